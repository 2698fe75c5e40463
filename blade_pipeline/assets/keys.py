"""Names under which a materialization records what it read."""

from blade_pipeline.storage import Cell

SOURCE = "source"
RUNS = "runs"
BASELINE = "baseline"
GONE = "gone"
SHARE_KEY = "share key"
PREVIOUS = "previous"


def key_of(asset: str, cell: Cell) -> str:
    """The key of an artifact, such as ``coverage/aime/m1``."""
    return f"{asset}/{cell}"


def parse_key(key: str) -> tuple[str, Cell]:
    """Asset and cell of an artifact's key."""
    asset, *names = key.split("/")
    return asset, Cell(*names)
