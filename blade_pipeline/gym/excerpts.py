"""What to read of one rollout: short, redacted pieces of its row, read from the run's file at the row's place.

Nothing here is kept: an excerpt lives as long as the command that shows it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from blade_pipeline.gym.answer_fields import answer_pair
from blade_pipeline.gym.content import fingerprint, text_of
from blade_pipeline.gym.error_lines import lines_of_logs
from blade_pipeline.gym.lines import LINE_CAP, Row, classify
from blade_pipeline.gym.public import redacted
from blade_pipeline.gym.shape import shape_of
from blade_pipeline.gym.trajectory import step_texts
from blade_pipeline.gym.values import clean_text, compact_json, listed, mapping

LIMIT = 600
"""Characters of one excerpt."""

MOST_FIELDS = 12
_FIELD_LIMIT = 200
_MARGIN = 2**14
"""Characters beyond an excerpt that are redacted with it, so that no part of a longer secret is left."""


class Place(NamedTuple):
    """Where a row lies: bytes of a file relative to the run directory, and the digest that they had when analysed."""

    file: str
    offset: int
    length: int
    payload_digest: str


class Excerpt(NamedTuple):
    """A piece of text: what it is, the text and how many characters the whole has."""

    what: str
    text: str
    characters: int


class ChangedError(Exception):
    """The row can no longer be read as it was analysed; the message says why in one sentence."""


def read_row(directory: Path, place: Place) -> Row:
    """The row at a place, as it was when the run was analysed.

    Raises:
        ChangedError: the directory or file is gone or unreadable, or other bytes lie there now.
    """
    path = directory / place.file
    if not directory.is_dir():
        raise ChangedError(f"The run directory {directory} is gone; put it back to read its rollouts.")
    if not path.is_file():
        raise ChangedError(f"{place.file} is gone from {directory}; put it back to read its rollouts.")
    if place.length > LINE_CAP:
        raise ChangedError(
            f"{place.file} holds a line of {place.length} bytes at byte {place.offset}, too long to show."
        )
    try:
        with path.open("rb") as stream:
            stream.seek(place.offset)
            raw = stream.read(place.length)
    except OSError as error:
        raise ChangedError(f"{path} cannot be read ({error.strerror}); mend its permissions.") from None
    if fingerprint(raw) != place.payload_digest:
        raise ChangedError(f"{place.file} has changed since the run was analysed; run blade analyze and ask again.")
    row = classify(raw, first=place.offset == 0)[1]
    if row is None:
        raise ChangedError(f"{place.file} holds no row at byte {place.offset}; run blade analyze and ask again.")
    return row


def task_excerpt(row: Row) -> Excerpt | None:
    """The last message that states the task; null where the row holds none."""
    asked = mapping(row.get("responses_create_params")).get("input")
    messages = [item for item in listed(asked) if isinstance(item, dict) and item.get("role") == "user"]
    text = asked if isinstance(asked, str) else text_of(messages[-1].get("content")) if messages else ""
    text = text or next((row[name] for name in shape_of(tuple(row)).prompts if isinstance(row[name], str)), "")
    return _excerpt("task", text) if text.strip() else None


def rollout_excerpts(row: Row, step: int | None) -> list[Excerpt]:
    """The step that was asked for (counted from 1), the last step that looks like an error, the end, the verifier."""
    return [*_steps(row, step), *_verifier(row)]


def _steps(row: Row, wanted: int | None) -> Iterator[Excerpt]:
    pairs = step_texts(row, mapping(row.get("response")))
    last = len(pairs)
    chosen: dict[int, str] = {}
    if wanted is not None and 1 <= wanted <= last:
        chosen[wanted] = "where they part"
    errors = [number for number, (step, _) in enumerate(pairs, start=1) if step[4]]
    if errors:
        chosen.setdefault(errors[-1], "last error")
    answers = [n for n, (step, text) in enumerate(pairs, start=1) if step[:2] == ["message", "assistant"] and text]
    if pairs:
        chosen.setdefault(answers[-1] if answers else last, "end")
    for number in sorted(chosen):
        step, text = pairs[number - 1]
        name = f" {step[1]}" if step[1] else ""
        what = f"step {number} of {last}, {step[0].replace('_', ' ')}{name} ({chosen[number]})"
        yield _excerpt(what, text, tail=chosen[number] == "end")


def _verifier(row: Row) -> Iterator[Excerpt]:
    """Expected against extracted answer, telling lines of logs, and short fields of the verifier, texts first."""
    shape = shape_of(tuple(row))
    pair = answer_pair({name: row[name] for name in shape.verifier})
    if pair is not None:
        yield _excerpt(f"expected answer, field {pair.expected_field}", _text(pair.expected), limit=_FIELD_LIMIT)
        yield _excerpt(f"extracted answer, field {pair.extracted_field}", _text(pair.extracted), limit=_FIELD_LIMIT)
    for name, line in lines_of_logs(row, shape.results):
        yield _excerpt(f"error line of field {name}", line, limit=_FIELD_LIMIT)
    told = {pair.expected_field, pair.extracted_field} if pair else set()
    kept = {name: row[name] for name in shape.verifier if name not in told and row[name] not in (None, "", [], {})}
    texts = [name for name in kept if isinstance(kept[name], str)]
    rest = [name for name in kept if isinstance(kept[name], (bool, int, float))]
    nested = [name for name in kept if isinstance(kept[name], (list, dict))]
    for name in [*texts, *rest, *nested][:MOST_FIELDS]:
        yield _excerpt(f"field {name}", _text(kept[name]), limit=_FIELD_LIMIT)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else compact_json(value)


def _excerpt(what: str, text: str, *, limit: int = LIMIT, tail: bool = False) -> Excerpt:
    text = clean_text(text)
    return Excerpt(_name(what), cut(text, limit, tail=tail), len(text))


def cut(text: str, limit: int, *, tail: bool = False, margin: int = _MARGIN) -> str:
    """At most ``limit`` characters, of the end where ``tail`` is set, redacted before they are cut."""
    if len(text) <= limit:
        return redacted(text)
    window = limit + margin
    if tail:
        shown = redacted(text if len(text) <= window else _after_first(text[-window:]))
        return f"…{shown[-limit:]}" if len(shown) > limit else shown
    shown = redacted(text if len(text) <= window else _before_last(text[:window]))
    return f"{shown[:limit]}…" if len(shown) > limit else shown


def _after_first(text: str) -> str:
    """Without the first word, which may be the end of a cut one."""
    return (text.split(maxsplit=1) or [""])[-1]


def _before_last(text: str) -> str:
    """Without the last word, which may be the beginning of a cut one."""
    return (text.rsplit(maxsplit=1) or [""])[0]


def _name(what: str) -> str:
    return redacted(clean_text(what))[:_FIELD_LIMIT]
