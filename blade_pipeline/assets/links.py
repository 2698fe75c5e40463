"""Where a reader finds a published page."""

from urllib.parse import quote

from blade_pipeline.environment import REPORTS_URL
from blade_pipeline.storage import Cell, Store


def place_of(store: Store, cell: Cell, name: str) -> str:
    """The page below ``BLADE_REPORTS_URL``, where somebody serves the store's ``reports`` folder, else its path."""
    path, served = store.report_path(cell, name), REPORTS_URL.value()
    if not served:
        return path
    below = path.removeprefix(store.path("reports")).lstrip("/")
    return f"{served.rstrip('/')}/{quote(below)}"
