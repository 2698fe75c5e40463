"""A side is read artifact by artifact, and without its samples where nobody asks for them."""

import pyarrow as pa
import pytest

from blade_pipeline.method.comparison import Side
from blade_pipeline.models import BladeError
from blade_pipeline.tables import ALIGNED_SAMPLES, PASS_AT_K


@pytest.mark.parametrize("samples", [True, False])
def test_each_field_comes_from_its_artifact(samples: bool) -> None:
    tables = {"pass_at_k": PASS_AT_K.empty_table(), "aligned_samples": ALIGNED_SAMPLES.empty_table()}
    asked: list[str] = []

    def table(name: str) -> pa.Table:
        asked.append(name)
        return tables[name]

    side = Side.read("m1", lambda name: {"of": name}, table, samples=samples)
    found = (side.run, side.manifest["of"], side.coverage["of"], side.scores["of"], side.per_task)
    assert found == ("m1", "run_manifest", "coverage", "pass_at_k", tables["pass_at_k"])
    assert asked == ["pass_at_k", "aligned_samples"][: 1 + samples]


def test_artifacts_of_another_version_are_named() -> None:
    with pytest.raises(BladeError, match="m1 was analysed by another version of this package; run blade analyze"):
        Side.read("m1", lambda name: {"of": name}, lambda _: pa.table({"task": ["0"]}))
