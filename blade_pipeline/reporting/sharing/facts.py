"""Anchor facts as sentences of our own around numbers and the names that may be shared."""

import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from blade_pipeline.method.contrasts import FEATURES
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.sharing.allow import plain
from blade_pipeline.reporting.sharing.texts import OWN_MODES, Texts

_SENTENCES = {
    "accounting": "{measured} of {expected} expected rollouts were measured.",
    "score": "{passed} of {measured} measured rollouts pass, a mean over tasks of {score_percent}%.",
    "scores": "One attempt at a task passes with a chance of {pass_at_1_percent}%, at least one of {k} with "
    "{pass_at_k_percent}%, and all {k} with {consistency_percent}%.",
    "mean score": "The mean score over {tasks} tasks is {mean}; {reach} of {measured} measured rollouts reach {mark}.",
    "best of k": "One rollout of a task scores {mean} on average, the best of {k} {best}.",
    "mean scores of tasks": "The mean scores of {tasks} tasks go from {low} to {high}, with a median of {median}.",
    "buckets": "Of {tasks} tasks, {always_pass} always pass, {sometimes_pass} sometimes pass and {always_fail} "
    "never pass.",
    "never pass": "No rollout passes on {never} of {tasks} tasks, out of {rollouts} measured rollouts there.",
    "undecided": "The bucket of {undecided} of {tasks} tasks ({percent}%) depends on rollouts that were not measured.",
    "funnel": "The largest drop is at the phase {phase}: {lost} of {entered} rollouts ({percent}%) do not get through.",
    "failure mode": "{count} of {total_failed} failed rollouts ({percent}%) show {mode}, on {tasks} tasks.",
    "slice": "{with} of {tasks} measured tasks with {field} = {value} show {mode}, against {rest_with} of {rest_tasks} "
    "elsewhere (Fisher, Benjamini-Hochberg q = {q}).",
    "slice score": "Measured tasks with {field} = {value} ({tasks}) score {score}, the other {rest_tasks} {rest_score} "
    "(permutation of tasks, Benjamini-Hochberg q = {q}).",
    "absence": "Of {rollouts} rollouts whose rows would show it, none shows {mode}.",
    "root cause": "Of all causes that were seen, most score could be recovered from {label}: {rollouts} lost rollouts "
    "on {tasks} of {total_tasks} tasks carry it, {recoverable} in the sum of task scores if all of them passed.",
    "root cause in graded scores": "Of all causes that were seen, most of the mean score could be recovered from "
    "{label}: {rollouts} rollouts on {tasks} of {total_tasks} tasks show it, {recoverable} at most if all of them had "
    "the best score.",
    "root cause of losses": "Of all causes that were seen, most rollouts were lost to {label}: {rollouts} lost "
    "rollouts on {tasks} of {total_tasks} tasks carry it.",
    "failure records": "{attempts} failed attempts are on record; {recovered} rollouts of the most frequent class left "
    "a row all the same.",
    "within-task difference": "Within the same task, passing rollouts have on average {passing} for {feature} and "
    "failing ones {failing}, over {tasks} sometimes-pass tasks.",
}


_ONE = re.compile(r"(?<![\d.,])1 (task|rollout)s")
_KEYS = frozenset(name for sentence in _SENTENCES.values() for _, name, _, _ in Formatter().parse(sentence) if name)
_FEATURES = frozenset((*FEATURES, "cut short"))


def shared_facts(facts: list[Json], texts: Texts) -> list[Json]:
    """``[{id, kind, difficulty, numbers, fact}]``; a fact that has no sentence of ours stays behind."""
    found = []
    for fact in facts:
        kind, numbers = fact["evidence"]["kind"], _numbers(fact["evidence"]["numbers"])
        try:
            sentence = _SENTENCES[kind].format_map({**numbers, **_words(kind, fact["evidence"], texts)})
        except KeyError:
            texts.names.take("fact without a sentence of its own")
            continue
        entry = {"id": fact["id"], "fact": _ONE.sub(r"1 \1", sentence), "difficulty": fact["difficulty"]}
        found.append(entry | {"evidence": {"kind": kind, "numbers": numbers}})
    return found


def _numbers(numbers: Mapping[str, Any]) -> dict[str, float | int]:
    """The numbers under names of our own: plain words, as keys of a query are."""
    passed = ((name, plain(value)) for name, value in numbers.items() if name in _KEYS)
    return {name: value for name, value in passed if value is not None}


def _words(kind: str, evidence: Json, texts: Texts) -> dict[str, str]:
    make = _WORDS.get(kind)
    return make(evidence, texts) if make else {}


def _of_slice(evidence: Json, texts: Texts) -> dict[str, str]:
    row = evidence["rows"][0]
    field, value = texts.slice(row["field"], row["value"])
    return {"field": field, "value": value, "mode": f"the failure mode {texts.mode(row['mode'])}"}


def _of_slice_score(evidence: Json, texts: Texts) -> dict[str, str]:
    row = evidence["rows"][0]
    field, value = texts.slice(row["field"], row["value"])
    return {"field": field, "value": value}


def _of_absence(evidence: Json, _: Texts) -> dict[str, str]:
    code = evidence["rows"][0]["code"]
    return {"mode": f"the failure mode {code}"} if code in OWN_MODES else {}


def _of_feature(evidence: Json, texts: Texts) -> dict[str, str]:
    rows = evidence["rows"]
    if len(rows) != 1:
        return {}
    feature = rows[0]["feature"]
    return {"feature": feature if feature in _FEATURES else texts.names.numbered("feature", feature)}


_WORDS: dict[str, Callable[[Json, Texts], dict[str, str]]] = {
    "slice": _of_slice,
    "slice score": _of_slice_score,
    "absence": _of_absence,
    "within-task difference": _of_feature,
    "funnel": lambda evidence, texts: {"phase": texts.phase(evidence["rows"][0]["phase"])},
    "failure mode": lambda evidence, texts: {"mode": f"the failure mode {texts.mode(evidence['about'])}"},
    "root cause": lambda evidence, _: {"label": evidence["about"]},
    "root cause in graded scores": lambda evidence, _: {"label": evidence["about"]},
    "root cause of losses": lambda evidence, _: {"label": evidence["about"]},
}
