"""The program of a helper process: parses the spans it is asked for, see ``helpers``.

Each line of its input is one span; its columns are left as a file under the span's number, complete or not at all.
"""

import json
import marshal
import sys
from contextlib import suppress
from pathlib import Path

from blade_pipeline.gym.content import Contents
from blade_pipeline.gym.lines import Span
from blade_pipeline.gym.parsing import parse_span


def main(folder: Path) -> None:
    """Serve until the input ends."""
    contents = Contents()
    for number, request in enumerate(sys.stdin):
        path, start, stop, stamp = json.loads(request)
        columns = parse_span(Span(path, start, stop, tuple(stamp)), contents)
        unfinished = folder / f"{number}.part"
        unfinished.write_bytes(marshal.dumps(columns))
        unfinished.replace(folder / str(number))
    _clean(folder)


def _clean(folder: Path) -> None:
    """Removes what nobody fetches any more: the input ends only when the process that asked was killed."""
    with suppress(OSError):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        folder.parent.rmdir()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
