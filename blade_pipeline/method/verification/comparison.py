"""What a text claims about a pair of runs, held against the document of that pair."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade_pipeline.method.verification.cell import Cell
from blade_pipeline.method.verification.claims import Claim, Option, claim
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.ids import is_among
from blade_pipeline.method.verification.markdown import Table
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.ratios import N

Json = dict[str, Any]
Figures = Mapping[int, Figure]

_FLIPS = re.compile(rf"^Tasks gained: (?P<gained>{N}), lost: (?P<lost>{N}), unchanged: (?P<unchanged>{N})")
_MOVES = re.compile(
    rf"^Tasks with a higher mean score: (?P<up>{N}), lower: (?P<down>{N}), the same: (?P<unchanged>{N})"
)
_COMMON = re.compile(rf"^(?P<common>{N}) tasks? in common\b")
_ONLY = re.compile(
    rf"; (?P<only_a>{N}) only in the first run, (?P<only_b>{N}) only in the second, (?P<changed_content>{N}) with "
)
_MEAN = re.compile(rf"\bOn (?P<tasks>{N}) common tasks? the mean difference in [a-z@0-9 ]+ is (?P<value>{N})")
_SCORES = re.compile(rf"^scores (?P<value>{N})(?: points)? against\b")
_CHECKS = re.compile(
    rf"\bOf (?P<all>{N}) checks (?P<same>{N}) agrees?, (?P<different>{N}) differs? "
    rf"and (?P<unknown>{N}) (?:is|are) unknown"
)
_SIGNS = re.compile(rf"^(?P<gained>{N}) tasks? gained, (?P<lost>{N}) lost, (?P<tied>{N}) tied")
_INTERVALS = {
    "new_tasks": re.compile(rf"interval for new tasks of this kind is (?P<low>{N})(?: points|%)? to (?P<high>{N})"),
    "these_tasks": re.compile(rf"interval for a rerun on these tasks is (?P<low>{N})(?: points|%)? to (?P<high>{N})"),
}
_SIGN_FLIP = re.compile(rf"\bsign-flip test gives p = (?P<sign_flip_p>{N})")
_SIGN_TEST = re.compile(
    rf"(?P<gained>{N}) tasks? (?:gained|scored higher), (?P<lost>{N}) (?:lost|lower) and (?P<tied>{N}) tied "
    rf"\(sign test p = (?P<p>{N})\)"
)
_SMALLEST = re.compile(rf"\bThe smallest difference that this design finds with {N}% power is (?P<value>{N})")
_SEEN = re.compile(rf"\bA true difference of (?P<value>{N})(?: points|%)? would be seen\b")
_BY_RULE = re.compile(
    rf"(?P<value>{N})(?: points|%)? \((?P<rule>observed|failures as zero|all unscored as zero|all as one)\)"
)
_INDICES = re.compile(
    rf": (?P<pass_to_fail_count>{N}) pass to fail, (?P<fail_to_pass_count>{N}) fail to pass, (?P<tied_count>{N}) tied, "
    rf"(?P<unchanged_count>{N}) unchanged; (?P<common_task_count>{N}) task (?:index|indices) in common"
)
_APART = re.compile(
    rf"\bthey differ by (?P<value>{N})(?: points)?(?: \({N}% interval for new tasks (?P<low>{N})(?: points)? to "
    rf"(?P<high>{N})(?: points)?\))?"
)
_WENT = re.compile(
    rf"^ \((?P<tasks>{N}) tasks?\) went from (?P<a>{N})%? before to (?P<b>{N})%?, (?P<value>{N})(?: points)?, "
    rf"p = (?P<holm_p>{N})"
)
_ENDS = ("low", "high")
_OVER = re.compile(rf"^mean over (?P<tasks>{N}) tasks?\b")


def pair_of(path: tuple[str, ...], pairs: Sequence[Json]) -> Json | None:
    """The pair that the last heading names, as ``B against A: verdict``."""
    title = path[-1] if path else ""
    return next((pair for pair in pairs if title.startswith(f"{pair['run_b']} against {pair['run_a']}: ")), None)


def sentence_claims(text: str, figures: Figures, pair: Json) -> Iterator[Claim]:
    """Differences, flips, tasks in common and checks that a sentence below a pair's heading counts."""
    difference = pair["difference"] or {}
    yield from _named(_FLIPS, text, figures, pair.get("flips") or {}, "tasks")
    yield from _named(_MOVES, text, figures, pair.get("moves") or {}, "tasks by mean score")
    for pattern in (_COMMON, _ONLY):
        yield from _named(pattern, text, figures, pair.get("pairing") or {}, "tasks")
    statuses = Counter(check["status"] for check in pair["checks"])
    counted = {name: statuses[name] for name in ("same", "different", "unknown")} | {"all": len(pair["checks"])}
    yield from _named(_CHECKS, text, figures, counted, "checks")
    yield from _named(_MEAN, text, figures, difference, "difference")
    yield from _uncertainty(text, figures, difference)
    agents = (pair.get("gym_compare") or {}).get("agents") or []
    if len(agents) == 1:
        yield from _named(_INDICES, text, figures, agents[0]["flips"], "gym eval compare")
    yield from headline_claims(text, figures, pair)


def _uncertainty(text: str, figures: Figures, difference: Json) -> Iterator[Claim]:
    """The intervals and tests of a difference, as a pair's summary tells them."""
    for name, pattern in _INTERVALS.items():
        yield from _named(pattern, text, figures, difference.get(name) or {}, f"interval for {name.replace('_', ' ')}")
    yield from _named(_SIGN_FLIP, text, figures, difference, "difference")
    yield from _named(_SIGN_TEST, text, figures, difference.get("sign_test") or {}, "sign test")
    yield from _named(_SMALLEST, text, figures, difference.get("mde") or {}, "smallest detectable difference")


def headline_claims(text: str, figures: Figures, pair: Json) -> Iterator[Claim]:
    """The difference in ``B scores ... against A`` or by counting rule, alone or after ``Comparison:``; the power."""
    effect = (pair["difference"] or {}).get("mde") or {}
    yield from _named(_SEEN, text, figures, effect, "smallest detectable difference")
    yield from _slice_claims(text, figures, pair)
    yield from _named(_APART, text, figures, _of_interval(pair), "difference")
    rules = (pair["difference"] or {}).get("accountings") or {}
    for found in _BY_RULE.finditer(text):
        figure = figures.get(found.start("value"))
        if figure is not None:
            yield from _claim(figure, [rules.get(found["rule"].replace(" ", "_"))], f"difference, {found['rule']}")
    words = text.removeprefix("Comparison: ").removeprefix(f"{pair['run_b']} ")
    yield from _named(_SCORES, words, _moved(figures, len(text) - len(words)), pair["difference"] or {}, "difference")


def _slice_claims(text: str, figures: Figures, pair: Json) -> Iterator[Claim]:
    """Each slice that is said to have moved, by its name."""
    for entry in pair.get("secondary") or ():
        start = text.find(f"{entry['name']} (")
        if start >= 0 and " = " in entry["name"]:
            after = start + len(entry["name"])
            yield from _named(_WENT, text[after:], _moved(figures, after), entry, f"slice {entry['name']}")


def _of_interval(pair: Json) -> Json:
    difference = pair["difference"] or {}
    return {"value": difference.get("value")} | {end: (difference.get("new_tasks") or {}).get(end) for end in _ENDS}


def table_claims(table: Table, cell: Cell, pair: Json) -> Iterator[Claim]:
    """A cell of the tables of a pair's difference and of the tasks that changed most."""
    if table.header[0] == "Quantity":
        yield from _quantity_claims(cell, pair["difference"] or {})
    elif _lists_moves(table):
        yield from _move_claims(cell, pair)
    elif _lists_flips(table):
        yield from _flip_claims(cell.name, cell.heading, list(cell.figures.values()), pair)


def _lists_flips(table: Table) -> bool:
    return table.header[:2] == ["Task", "First run passes"]


def _lists_moves(table: Table) -> bool:
    return table.header[:2] == ["Task", "First run scores"]


def _move_claims(cell: Cell, pair: Json) -> Iterator[Claim]:
    """A cell of the table of the tasks whose mean score moved most."""
    columns = {"first run scores": "a", "second run scores": "b", "change": "change", "p": "p"}
    column = columns.get(cell.heading, "q")
    values = [item[column] for item in _moved_most(pair) if item["task"] == cell.name]
    if cell.lone is not None:
        yield from _claim(cell.lone, values, f"{cell.heading} of task {cell.name}")


def _moved_most(pair: Json) -> list[Json]:
    found: list[Json] = (pair.get("moves") or {}).get("candidates") or []
    return found


def _quantity_claims(cell: Cell, difference: Json) -> Iterator[Claim]:
    if cell.heading == "means":
        yield from _named(_OVER, cell.said.text, cell.figures, difference, "of the mean difference")
        yield from _named(_SIGNS, cell.said.text, cell.figures, difference.get("sign_test") or {}, "tasks")
    if cell.heading == "value":
        known = _quantities(difference).get(re.sub(r"^[\d.]+% interval$", "interval", cell.name), [])
        for place, figure in enumerate(cell.figures.values()):
            yield from _claim(figure, [values[place] for values in known if place < len(values)], cell.name)


def _flip_claims(task: str, heading: str, figures: Sequence[Figure], pair: Json) -> Iterator[Claim]:
    column = {"first run passes": "a", "second run passes": "b", "p": "p"}.get(heading, "q")
    values = [item[column] for item in _candidates(pair) if item["task"] == task]
    parts = [value.split(" of ") if isinstance(value, str) else [value] for value in values]
    for place, figure in enumerate(figures):
        right = [float(part[place]) for part in parts if len(part) == len(figures)]
        yield from _claim(figure, right, f"{heading} of task {task}")


def unknown_flips(table: Table, pair: Json | None) -> Iterator[Json]:
    """Tasks in the table of those that changed most that the pair's document does not name."""
    if pair is None or not (_lists_flips(table) or _lists_moves(table)):
        return
    known = {bare(item["task"]) for item in (_moved_most if _lists_moves(table) else _candidates)(pair)}
    for row in table.rows:
        for name in row.cells[0].spans[:1]:
            if not is_among(name, known):
                yield {"line": row.line, "kind": "task", "id": name, "problem": "does not exist"}


def _candidates(pair: Json) -> list[Json]:
    found: list[Json] = (pair.get("flips") or {}).get("candidates") or []
    return found


def _quantities(difference: Json) -> dict[str, list[list[float | None]]]:
    """The values of each row of the table, in the order of its figures; two rows have the same name."""
    spans = [_ends(difference.get(name)) for name in ("new_tasks", "these_tasks")]
    found: dict[str, list[list[float | None]]] = {
        "difference": [[difference.get("value")]],
        "interval": spans,
        "bounds": [_ends(difference.get("bounds"))],
        "re-run noise": [[(difference.get("noise_floor") or {}).get("band95")]],
        "smallest detectable": [[(difference.get("mde") or {}).get("value")]],
        "sign-flip test": [[difference.get("sign_flip_p")]],
        "sign test": [[(difference.get("sign_test") or {}).get("p")]],
        "equivalence test": [[(difference.get("tost") or {}).get("p")]],
        "tipping point": [[(difference.get("tipping_point") or {}).get("q")]],
        "McNemar's test": [[(difference.get("single_repeat") or {}).get("p_exact")]],
        "Bonett-Price interval": [_ends((difference.get("single_repeat") or {}).get("bonett_price"))],
        "under every counting rule": [[value] for value in (difference.get("accountings") or {}).values()],
    }
    return found | {f"under {rule}": [[value]] for rule, value in (difference.get("accountings") or {}).items()}


def _moved(figures: Figures, start: int) -> Figures:
    """The figures by their place in the text from ``start`` on."""
    return {place - start: figure for place, figure in figures.items()}


def _ends(interval: Json | None) -> list[float | None]:
    return [(interval or {}).get("low"), (interval or {}).get("high")]


def _named(
    pattern: re.Pattern[str], text: str, figures: Figures, right: Mapping[str, Any], what: str
) -> Iterator[Claim]:
    """Each group of the pattern, held against the entry of its name."""
    found = pattern.search(text)
    for name in pattern.groupindex if found else ():
        assert found is not None
        figure = figures.get(found.start(name))
        if figure is not None:
            yield from _claim(figure, [right.get(name)], f"{name.replace('_', ' ')}, {what}")


def _claim(figure: Figure, values: Sequence[float | None], what: str) -> Iterator[Claim]:
    """Fractions are written in percent or points, all else as it is."""
    scale = 100 if figure.unit in ("%", "points") else 1
    yield from claim(figure, [Option(scale * value, what) for value in values if value is not None])
