"""The comparison with the baseline, as the first page tells it."""

from blade_pipeline.method.comparison.amounts import signed
from blade_pipeline.reporting.blocks import Text, ended, joined, quoted, say
from blade_pipeline.reporting.inputs import Json
from blade_pipeline.reporting.numbers import distance, level
from blade_pipeline.reporting.view.evidence import Evidence


def comparison_sentence(evidence: Evidence) -> Text:
    """The first pair's sentence, and what it could have seen."""
    comparison = evidence.inputs.comparison
    if not comparison["pairs"]:
        return say("none: ", ended(comparison["reason"]))
    pair = comparison["pairs"][0]
    return say(quoted(pair["sentence"]), _apart_words(pair), _power_words(pair["difference"]))


def moved_sentences(evidence: Evidence) -> Text:
    """The slices, failure modes and tools that moved beyond chance in the first pair; empty where none did."""
    comparison = evidence.inputs.comparison
    slices = (pair.get("slice_sentence") for pair in comparison["pairs"][:1])
    behaviour = ((comparison.get(name) or {}).get("sentence") for name in ("modes", "tools"))
    moved = [quoted(text, 1000) for text in (*slices, *behaviour) if text]
    return joined(moved, " ")


def _apart_words(pair: Json) -> str:
    """How far two runs lie apart that are not comparable: other verdicts tell it in their sentence."""
    difference = pair["difference"]
    if pair["verdict"] != "not_comparable" or difference["value"] is None:
        return ""
    metric, interval = difference["metric"], difference["new_tasks"]
    ends = ""
    if interval["low"] is not None:
        span = f"{signed(interval['low'], metric)} to {signed(interval['high'], metric)}"
        ends = f" ({level(interval['level'])} interval for new tasks {span})"
    return f" Taken as they are, they differ by {signed(difference['value'], metric)}{ends}."


def _power_words(difference: Json) -> str:
    """The smallest difference that the design would probably have seen; empty when that is unknown."""
    effect = difference.get("mde") or {}
    if effect.get("value") is None or difference.get("metric", "pass@1") != "pass@1":
        return ""
    if effect["value"] > 1:
        return f" No true difference would be seen with {level(effect['power'])} chance: the runs share too little."
    least = "more than " * bool(effect.get("at_least"))
    return (
        f" A true difference of {least}{distance(effect['value'])} would be seen with {level(effect['power'])} chance."
    )
