"""Label files that belong to no run, and would be passed over in silence."""

from collections.abc import Iterable
from pathlib import Path

from blade_pipeline.method.teamfile import suggestion
from blade_pipeline.storage import Cell


def stray_labels(labels: Path, runs: Iterable[Cell]) -> list[str]:
    """One sentence per ``<benchmark>/<run>.yaml`` below the labels' folder whose run is not there."""
    known = {f"{cell.benchmark}/{cell.run}" for cell in runs}
    files = sorted(path for path in labels.glob("*/*") if path.suffix in (".yaml", ".yml"))
    found = []
    for path in files:
        name = f"{path.parent.name}/{path.stem}"
        if path.suffix == ".yml":
            found.append(f"label file {path} is not read; its name must end in .yaml")
        elif name not in known:
            found.append(f"label file {path} is not used: there is no run {name}{suggestion(name, known)}")
    return found
