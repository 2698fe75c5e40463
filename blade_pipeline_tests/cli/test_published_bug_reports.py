"""Bug reports about what gets published: another locale, secrets of a config, names that try to break out.

The runs are analysed by the command in processes of their own, once in the C locale and once in UTF-8.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blade_pipeline_tests.method.chain import planned, rollout, write_run
from blade_pipeline_tests.reporting.pages import Page

pytestmark = pytest.mark.long

SETTLED = 1_600_000_000
TEXT = "中文 — 🎲"
HOSTILE = 'a" onmouseover="x'
ANSWERS = ["<img src=x onerror=alert(1)>", "</script><script>1</script>"]
CONFIG = """
policy_base_url: http://user:pw-EXAMPLE@10.1.2.3:8000/v1
db_password: p4ss-EXAMPLE
client_secret: hush-EXAMPLE
policy_model_name: m
"""
SECRETS = ("p4ss-EXAMPLE", "hush-EXAMPLE", "pw-EXAMPLE", "10.1.2.3", "Bearer", "tok-EXAMPLE")


def answered(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return {"model": "m", "output": [{"type": "message", "role": "assistant", "content": content}]}


def write_runs(root: Path) -> None:
    author = {"agent_ref": {"name": TEXT}}
    foreign = [rollout(t, 0, float(t), verdict=TEXT, response=answered(TEXT), **author) for t in range(2)]
    write_run(root / "foreign" / "one", foreign, [planned(t, 0, **author) for t in range(2)])
    secret = write_run(root / "secret" / "one", [rollout(0, 0, response=answered("yes"))], [planned(0, 0)])
    (secret / "rollouts_resolved_config.yaml").write_text(CONFIG)
    (secret / "driver.log").write_text("Authorization: Bearer tok-EXAMPLE\n")
    agent = {"agent_ref": {"name": HOSTILE}}
    rows = [rollout(t, 0, 0.0, response=answered(text), verdict=text, **agent) for t, text in enumerate(ANSWERS)]
    write_run(root / "hostile" / "one", rows, [planned(t, 0, **agent) for t in range(2)])
    for path in root.rglob("*"):
        os.utime(path, (SETTLED, SETTLED))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The published folder by locale."""
    folder = tmp_path_factory.mktemp("published")
    write_runs(folder / "runs")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BLADE_", "DAGSTER_", "LC_"))}
    locales = {"C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "UTF-8": {"PYTHONUTF8": "1"}}
    for name, settings in locales.items():
        command = [sys.executable, "-c", "from blade_pipeline.cli import main; main()", "analyze", "runs"]
        command += ["--store", f"store-{name}"]
        done = subprocess.run(command, cwd=folder, env=clean | settings, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    return {name: folder / f"store-{name}" / "reports" for name in locales}


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_b43_the_locale_changes_no_byte(reports: dict[str, Path]) -> None:
    plain, unicode = files(reports["C"]), files(reports["UTF-8"])
    assert list(plain) == list(unicode)
    assert [name for name in plain if plain[name] != unicode[name]] == []
    assert "中文" in unicode["foreign/one/report.md"].decode("utf-8")


def test_b46_no_secret_of_a_config_or_log_is_published(reports: dict[str, Path]) -> None:
    published = files(reports["UTF-8"])
    assert "secret/one/report.html" in published
    leaks = [(name, secret) for name, text in published.items() for secret in SECRETS if secret.encode() in text]
    assert leaks == []


def test_b47_names_and_answers_stay_text(reports: dict[str, Path]) -> None:
    folder = reports["UTF-8"] / "hostile" / "one"
    html = (folder / "report.html").read_text(encoding="utf-8")
    assert not any(answer in html for answer in ANSWERS)
    page = Page(html)
    assert [name for _, attributes in page.tags for name in attributes if name.startswith("on")] == []
    assert "img" not in {tag for tag, _ in page.tags}
    assert "Content-Security-Policy" in html
    assert json.loads((folder / "metrics.json").read_text())["num_tasks"] == 2
