"""A tick of the sensor with nothing to do."""

import json
import tempfile

from blade_pipeline_tests.perf.measuring import Row, cost_of, row


def rows(small: bool) -> list[Row]:
    """One tick over run directories that are all known, and how many of their files it opened."""
    runs = 50 if small else 10_000
    with tempfile.TemporaryDirectory() as folder:
        cost = cost_of(["-m", "blade_pipeline_tests.perf.tick", folder, str(runs)])
    found = json.loads(cost.out)
    what, note = f"sensor tick over {runs} known run directories", f"{found['opened']} of their files opened"
    return [row(what, found["seconds"], found["cpu_seconds"], cost.peak, note=note)]
