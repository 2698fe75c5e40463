"""Rollouts that are not read: those that somebody compressed, and what is no plain file."""

from collections.abc import Collection
from pathlib import Path

from blade_pipeline.gym.files import RunFile, role_of
from blade_pipeline.models import BladeError

_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".lz4")
_SIDECARS = ("materialized_inputs", "failures")
_COUNTED = ("rollouts", "reverified", "failures")


def refuse_packed(files: list[RunFile], *, declared: bool) -> None:
    """Refuses a folder whose rollouts, or some of them, lie there compressed only.

    Rollouts are told by their name, or by a sidecar of NeMo Gym beside them: what is compressed is not opened.

    Args:
        files: the folder's files with their roles.
        declared: whether a ``run.yaml`` says which are the rollouts, so that no others are missed.

    Raises:
        BladeError: it holds some; without them the others would pass for the whole run.
    """
    names = {file.path.name for file in files}
    for file in sorted(files, key=lambda file: file.path):
        chosen = file.role == "rollouts" if declared else _are_rollouts(file.path, names)
        if chosen and file.path.suffix in _ENDINGS:
            raise BladeError(
                f"{file.path} is compressed, which is not read; unpack it in its folder, or move the folder away."
            )


def passed_over(path: Path) -> str | None:
    """What to say of a pipe, a device, a socket or a folder in a run that is named like rows; ``None`` of any other."""
    if role_of(path.name) not in _COUNTED:
        return None
    return (
        f"{path} is no plain file and is not read; the rest of its folder passes for the whole run until it is mended."
    )


def _are_rollouts(path: Path, names: Collection[str]) -> bool:
    """Whether the name without its last ending is that of rollouts which do not lie there themselves."""
    plain = path.stem
    if plain in names or not plain.endswith(".jsonl"):
        return False
    sidecars = {f"{plain.removesuffix('.jsonl')}_{sidecar}.jsonl" for sidecar in _SIDECARS}
    return role_of(plain) == "rollouts" or (role_of(plain) is None and not sidecars.isdisjoint(names))
