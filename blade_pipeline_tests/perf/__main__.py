"""Runs every measurement on generated data and prints one table: ``python -m blade_pipeline_tests.perf``."""

import argparse
import json
import os
import platform
import time
from importlib import import_module
from pathlib import Path

from blade_pipeline_tests.perf.measuring import Row, shown

MODULES = ("ingest", "analysis", "command", "bulk", "grown", "quiet", "report", "overhead")


def machine() -> dict[str, object]:
    """Where and when the figures were taken, and how busy the machine was before them."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measures what is asked for, row by row, and writes the table as JSON too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="little data, to see that it works")
    parser.add_argument("--only", choices=MODULES, action="append", help="one measurement; may be given again")
    parser.add_argument("--out", type=Path, help="file for the table as JSON")
    options = parser.parse_args()
    before, rows = machine(), list[Row]()
    for name in options.only or MODULES:
        rows += import_module(f"blade_pipeline_tests.perf.{name}").rows(options.small)
        print(f"{name} measured", flush=True)
    print(f"\n{shown(rows)}")
    if options.out:
        options.out.write_text(json.dumps({"machine": before, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
