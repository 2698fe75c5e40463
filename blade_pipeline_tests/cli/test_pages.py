"""A stranger follows the tutorial and the how-to pages, and gets what they promise."""

import pytest

from blade_pipeline_tests.cli.conftest import Blade
from blade_pipeline_tests.walkthrough import blocks, follow

PAGES = (
    "tutorial.md",
    "sharing.md",
    "how-to/profile.md",
    "how-to/labels.md",
    "how-to/references.md",
    "how-to/upgrade.md",
)


@pytest.mark.long
def test_the_pages_say_what_happens(blade: Blade) -> None:
    """One after the other in one folder. The lines that install are those of the README, which CI itself uses."""

    def run(arguments: list[str]) -> str:
        said = blade(*arguments)
        assert said.code == 0, f"blade {' '.join(arguments)}: {said.err}"
        return said.out + said.err

    for page in PAGES:
        follow(page, blade.folder, run)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_commands_to_follow(page: str) -> None:
    assert any(kind == "sh" for kind, _ in blocks(page))


@pytest.mark.parametrize("page", [*PAGES, "how-to/nightly.md", "how-to/pages.md"])
def test_no_command_for_a_reader_stands_where_it_is_not_followed(page: str) -> None:
    others = [line for kind, lines in blocks(page) if kind not in ("sh", "text") for line in lines]
    assert [line for line in others if line.lstrip().startswith("blade ")] == []
