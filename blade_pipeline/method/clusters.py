"""Failed rollouts grouped by what the verifier said, where it said it in a few words."""

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blade_pipeline.gym.failed_checks import FAILED_CHECK
from blade_pipeline.gym.open_errors import MET_ERROR, TOOL_ERROR
from blade_pipeline.method.entries import verifier_entries
from blade_pipeline.method.expressions import Mask
from blade_pipeline.method.logged import by_class, equal_lines, logged_lines
from blade_pipeline.method.near_templates import merged
from blade_pipeline.method.nested import nested_values
from blade_pipeline.method.outcomes import SMALLEST, Outcomes
from blade_pipeline.method.said_texts import other_texts, said_texts
from blade_pipeline.method.signals import numbered
from blade_pipeline.method.task_numbers import task_numbers
from blade_pipeline.method.telling_fields import telling_fields
from blade_pipeline.method.verifier_text import code_of, codes_of, priority, template

MOST_CLUSTERS = 50
"""The largest clusters are modes of their own; rollouts of smaller ones count as wrong answers."""

MOST_UNTOLD = 200
"""The most frequent messages that are no modes, kept by their codes alone."""

_LOGS = r"(^|_)(logs?|notes?|warnings?|stderr|remarks?|info)(_|$)"
"""Names of fields that tell of every rollout something."""

_KNOWN = 0.8
"""Share of the rows of a bare state from which messages speak of the same rows, and say more."""

_LOGGED, _OF_CHECKS, _OF_TOOLS, _LAST, _STATES, _GOT_OVER = 97, 98, 99, 100, 101, 102
"""After every field whose name promises a message come lines of logs, failed checks, errors of tools, fields of other
names, states of fields, and errors of tools that were got over."""

Groups = dict[tuple[str, str], NDArray[np.int64]]


class Cluster(NamedTuple):
    """Rollouts with one message; ``hits`` marks the aligned rows that carry it."""

    code: str
    label: str
    hits: Mask


class Mined(NamedTuple):
    """The clusters, and how many failed rollouts carry what is none: ``{code, failed}``, the most frequent first."""

    told: list[Cluster]
    untold: list[dict[str, Any]]


class _Found(NamedTuple):
    priority: int | None
    failed: int
    field: str
    said: str
    rows: NDArray[np.int64]


def clusters(aligned: pa.Table) -> Mined:
    """Group measured rows by the template of their verifier's short messages, in order of precedence.

    A cluster counts when at least two failed rollouts carry it and it is at least twice as frequent among failed
    rollouts as among passed ones, beyond chance where passed ones carry it too, or where it is a log or a note of which
    passed ones have some. Fields that promise an error come before reasons, verdicts and statuses, then larger clusters
    before smaller ones; the telling lines of long logs follow, then errors that tools gave and that were not got over.
    Then come texts of fields whose names promise no message, and what flags and lists show by their state alone; errors
    of tools and these must be told from the passed rollouts beyond chance. Last come errors of tools that were got
    over, where having met one goes with failing beyond chance, inside tasks as well.
    """
    columns = ["outcome", "passed", "error_text", "failure_reason", "failure_kind", "error_lines"]
    samples = numbered(aligned.select(columns)).append_column("cell", pa.array(task_numbers(aligned)))
    fields, nested = verifier_entries(aligned), nested_values(aligned)
    outcomes, logged = Outcomes(aligned), logged_lines(samples)
    texts, other = said_texts(samples, fields, nested, logged), other_texts(fields, nested)
    named, lines, others = _by_template(texts), _by_template(equal_lines(logged)), _by_template(other)
    found = [
        *_ranked(None, _of_verifier(named, texts, outcomes), outcomes),
        *_ranked(_LOGGED, _of_logs({key: rows for key, rows in lines.items() if key not in named}, outcomes), outcomes),
        *_ranked(_OF_CHECKS, _of_checks(lines, outcomes), outcomes),
        *_ranked(_OF_TOOLS, _of_tools(lines, outcomes), outcomes),
        *_ranked(_LAST, _beyond_chance(others, outcomes), outcomes),
    ]
    known = _mask(np.concatenate([np.empty(0, np.int64), *(each.rows for each in found)]), aligned.num_rows)
    states, shown = telling_fields(samples, fields, nested, outcomes)
    said = {key: rows for key, rows in states.items() if known[rows].mean() < _KNOWN}
    found += _ranked(_STATES, said, outcomes)
    found += _ranked(_GOT_OVER, _got_over(lines, outcomes), outcomes)
    largest = sorted(found, key=lambda each: (-each.failed, each.field, each.said))[:MOST_CLUSTERS]
    chosen = sorted(largest, key=lambda each: (each.priority, -each.failed, each.field, each.said))
    codes = codes_of([(each.field, each.said) for each in chosen])
    told = [
        Cluster(code, _label(each.field, each.said), _mask(each.rows, aligned.num_rows))
        for code, each in zip(codes, chosen, strict=True)
    ]
    failed = shown | {key: outcomes.counts(rows)[0] for key, rows in (lines | named | others).items()}
    return Mined(told, _untold(failed, {(each.field, each.said) for each in chosen}))


def _untold(failed: dict[tuple[str, str], int], told: set[tuple[str, str]]) -> list[dict[str, Any]]:
    """What several failed rollouts carry and no cluster holds, by code."""
    found = ((code_of(*key), count) for key, count in failed.items() if count >= SMALLEST and key not in told)
    most = sorted(found, key=lambda each: (-each[1], each[0]))[:MOST_UNTOLD]
    return [{"code": code, "failed": count} for code, count in most]


def _ranked(rank: int | None, groups: Groups, outcomes: Outcomes) -> list[_Found]:
    """The groups with their place in the order of precedence; without a rank the field's own."""
    return [
        _Found(
            priority(field) if rank is None else rank,
            outcomes.counts(rows)[0],
            field,
            label,
            rows,
        )
        for (field, label), rows in groups.items()
    ]


def _of_verifier(groups: Groups, texts: pa.Table, outcomes: Outcomes) -> Groups:
    """Messages that are told from those of passed rollouts."""
    general = {
        field
        for field, rows in zip(texts["field"].to_pylist(), texts["positions"], strict=True)
        if re.search(_LOGS, field) and outcomes.speaks_of_passed(np.asarray(rows.values))
    }
    return {
        (field, label): rows
        for (field, label), rows in groups.items()
        if outcomes.telling(rows)
        and (not (field in general or outcomes.speaks_of_passed(rows)) or outcomes.beyond_luck(rows))
        and not (_is_verdict(field) and outcomes.only_says_no(label, rows))
    }


def _of_logs(groups: Groups, outcomes: Outcomes) -> Groups:
    """Lines of logs, beyond luck where passed rollouts log some too."""
    general = {field for (field, _), rows in groups.items() if outcomes.speaks_of_passed(rows)}
    return {
        (field, label): rows
        for (field, label), rows in groups.items()
        if field not in (TOOL_ERROR, MET_ERROR, FAILED_CHECK)
        and outcomes.telling(rows)
        and (field not in general or outcomes.beyond_luck(rows))
    }


def _of_checks(groups: Groups, outcomes: Outcomes) -> Groups:
    """Checks that rollouts of several tasks failed, beyond luck where passed rollouts failed some too."""
    checks = {key: rows for key, rows in groups.items() if key[0] == FAILED_CHECK}
    shared = any(outcomes.speaks_of_passed(rows) for rows in checks.values())
    return {
        key: rows
        for key, rows in checks.items()
        if outcomes.telling(rows) and outcomes.of_several_tasks(rows) and (not shared or outcomes.beyond_luck(rows))
    }


def _of_tools(groups: Groups, outcomes: Outcomes) -> Groups:
    """Errors of tools, which passed rollouts meet as well: only beyond chance."""
    return {
        key: rows
        for key, rows in groups.items()
        if key[0] == TOOL_ERROR and outcomes.telling(rows) and outcomes.beyond_chance(rows)
    }


def _got_over(groups: Groups, outcomes: Outcomes) -> Groups:
    """Errors that rollouts got over, where having met one goes with failing."""
    return {
        key: rows
        for key, rows in groups.items()
        if key[0] == MET_ERROR
        and outcomes.telling(rows)
        and outcomes.beyond_chance(rows)
        and outcomes.beyond_chance_within_tasks(rows)
    }


def line_says(field: str, text: str, label: str | None) -> bool:
    """Whether a line of a log belongs to the cluster of a label; without one, whether it says anything."""
    own = template(text)
    if own is None or label is None:
        return own is not None
    names = [_label(*key) for key in ((field, own), *by_class([(field, own)]))]
    return label in names or (label.endswith("…") and names[0].startswith(label[:-1].rstrip()))


def _beyond_chance(groups: Groups, outcomes: Outcomes) -> Groups:
    """The texts that passed rollouts lack beyond chance, and that vary within tasks."""
    return {
        key: rows
        for key, rows in groups.items()
        if outcomes.telling(rows)
        and outcomes.varies(rows)
        and outcomes.beyond_chance(rows)
        and not outcomes.only_says_no(key[1], rows)
    }


def _is_verdict(field: str) -> bool:
    return bool(re.search(r"(^|_)(verdict|outcome|status)(_|$)", field))


def _by_template(texts: pa.Table) -> Groups:
    """Rows by field and template of their message, nearly equal templates together."""
    found: dict[tuple[str, str], list[pa.Array]] = {}
    for field, value, positions in zip(
        texts["field"].to_pylist(), texts["value"].to_pylist(), texts["positions"], strict=True
    ):
        label = template(value)
        if label is not None:
            found.setdefault((field, label), []).append(positions.values)
    joined: dict[tuple[str, str], list[pa.Array]] = {}
    names = merged(list(found))
    for key, parts in found.items():
        joined.setdefault((key[0], names.get(key, key[1])), []).extend(parts)
    groups = {key: np.unique(np.concatenate([np.asarray(part) for part in parts])) for key, parts in joined.items()}
    classes = by_class(key for key, rows in groups.items() if len(rows) < SMALLEST)
    groups |= {key: np.unique(np.concatenate([groups[member] for member in group])) for key, group in classes.items()}
    return {key: rows for key, rows in groups.items() if len(rows) >= SMALLEST}


def _mask(rows: NDArray[np.int64], size: int) -> Mask:
    mask = np.zeros(size, dtype=np.bool_)
    mask[rows] = True
    return mask


def _label(field: str, label: str) -> str:
    """The field and its message; codes such as ``judge_failed`` become words."""
    words = label.replace("_", " ") if " " not in label else label
    return f"{field.replace('_', ' ')}: {words}"
