"""A side is read artifact by artifact, and without its samples where nobody asks for them."""

import pyarrow as pa
import pytest

from blade_pipeline.method.comparison import Side
from blade_pipeline.tables import ALIGNED_SAMPLES


@pytest.mark.parametrize("samples", [True, False])
def test_each_field_comes_from_its_artifact(samples: bool) -> None:
    tables = {name: pa.table({"of": [name]}) for name in ("pass_at_k", "aligned_samples")}
    asked: list[str] = []

    def table(name: str) -> pa.Table:
        asked.append(name)
        return tables[name]

    side = Side.read("m1", lambda name: {"of": name}, table, samples=samples)
    found = (side.run, side.manifest["of"], side.coverage["of"], side.scores["of"], side.per_task)
    assert found == ("m1", "run_manifest", "coverage", "pass_at_k", tables["pass_at_k"])
    assert side.aligned == (tables["aligned_samples"] if samples else ALIGNED_SAMPLES.empty_table())
    assert asked == ["pass_at_k", "aligned_samples"][: 1 + samples]
