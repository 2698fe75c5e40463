"""The project's key for the pseudonyms of shareable reports; who has it can recognise a task by its pseudonym."""

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from blade_pipeline.environment import SHARE_KEY
from blade_pipeline.models import BladeError
from blade_pipeline.storage.store import Store

FILE = ".share-key"
_SHORTEST = 16


def share_key(store: Store) -> bytes:
    """The key from ``BLADE_SHARE_KEY``, else from the store's ``.share-key``, made for its owner alone if absent.

    Raises:
        BladeError: the variable is too short, the file cannot be read or is open to others, or the store is no folder
            and the variable is not set.
    """
    given = SHARE_KEY.value()
    if given:
        if len(given) < _SHORTEST:
            raise BladeError(f"{SHARE_KEY} is too short; give {_SHORTEST} characters or more.")
        return given.encode()
    if not store.local:
        raise BladeError(f"A store that is no folder keeps no key; set {SHARE_KEY}.")
    path = Path(store.path(FILE))
    try:
        _make(path)
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise BladeError(f"{path} is open to others; run chmod 600 on it.")
        key = path.read_bytes().strip()
    except OSError as error:
        raise BladeError(f"{path} cannot be used ({error.strerror}); mend it or set {SHARE_KEY}.") from None
    if len(key) < _SHORTEST:
        raise BladeError(f"{path} holds no key; remove it, or set {SHARE_KEY}.")
    return key


def mark_of(key: bytes) -> str:
    """What may be recorded of a key: whether it is the same one."""
    return hmac.new(key, b"mark of the key", hashlib.sha256).hexdigest()[:16]


def _make(path: Path) -> None:
    """Writes a new key unless there is one, whole or not at all."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    finally:
        temporary.unlink()
