"""Label files that belong to no run, and would be passed over in silence."""

import difflib
from collections.abc import Iterable
from pathlib import Path

from blade_pipeline.method.teamfile import suggestion
from blade_pipeline.storage import Cell


def stray_labels(labels: Path, runs: Iterable[Cell]) -> list[str]:
    """One sentence per ``<benchmark>/<run>.yaml`` below the labels' folder whose run is not there.

    The labels may serve other runs too: a benchmark that is not at hand, nor nearly so by its name, is passed over.
    """
    runs = list(runs)
    at_hand = {cell.benchmark for cell in runs}
    known = {f"{cell.benchmark}/{cell.run}" for cell in runs}
    files = sorted(path for path in labels.glob("*/*") if path.suffix in (".yaml", ".yml"))
    found = []
    for path in files:
        if not difflib.get_close_matches(path.parent.name, at_hand, n=1):
            continue
        name = f"{path.parent.name}/{path.stem}"
        if path.suffix == ".yml":
            found.append(f"label file {path} is not read; its name must end in .yaml")
        elif name not in known:
            found.append(f"label file {path} is not used: there is no run {name}{suggestion(name, known)}")
    return found
