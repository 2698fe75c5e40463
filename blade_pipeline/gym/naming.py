"""Names of benchmarks and runs that are safe as partition keys, folder names and URLs."""

import hashlib
import re

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,127}")
_LONGEST = 128
_HASH_LENGTH = 8


def safe_name(original: str) -> str:
    """The name itself when it is safe, else a readable safe form that ends in a hash of the original.

    The hash keeps two different originals apart after their unsafe characters became ``_``.
    """
    if SAFE_NAME.fullmatch(original):
        return original
    digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
    readable = re.sub(r"[^A-Za-z0-9._+-]+", "_", original).lstrip("._+-").rstrip("_")
    readable = readable[: _LONGEST - _HASH_LENGTH - 1]
    return f"{readable}-{digest}" if readable else f"name-{digest}"
