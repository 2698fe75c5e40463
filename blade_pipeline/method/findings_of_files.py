"""What the files of a run say against its rows: shipped aggregates, forced re-verifications, rules for failures."""

from collections.abc import Iterator
from typing import Any

from blade_pipeline.rounding import percent

Finding = dict[str, Any]

_OF_FILES = ("scored from a reward profile", "re-verified rewards", "stale aggregate")
"""Findings of the manifest that decide what the numbers of a run speak of."""

_RULES = {
    "count_failures_as_zero": ("failed", "failed rollouts of these classes"),
    "count_missing_as_zero": ("missing", "missing rollouts"),
}


def file_findings(manifest: dict[str, Any], coverage: dict[str, Any], scores: dict[str, Any]) -> Iterator[Finding]:
    """Findings of the manifest about files, of the shipped aggregates, and of the configured rules for failures."""
    sizes = {file["name"]: file["size"] for file in manifest["files"]}
    for found in manifest["findings"]:
        if found["kind"] in _OF_FILES:
            named = {name: size for name, size in sizes.items() if name in found["detail"]}
            yield {"kind": found["kind"], "sentence": found["detail"], "numbers": {"bytes": named}}
    for entry in coverage["aggregates"]:
        yield from _of_aggregate(entry)
    yield from _of_rules(manifest["values"], coverage["accounting"], scores)


def _of_aggregate(entry: dict[str, Any]) -> Iterator[Finding]:
    file = entry["file"]
    if entry["problem"]:
        yield {"kind": "unreadable aggregate", "sentence": f"{entry['problem']}.", "numbers": {}}
    for share in entry["impossible"]:
        yield {
            "kind": "impossible share",
            "sentence": f"`{file}` says `{share['name']}` of `{share['agent']}` is {share['theirs']:g}, which is no "
            "share: it lies outside 0 and 100%.",
            "numbers": {"theirs": share["theirs"]},
        }
    if not entry["different"]:
        return
    first = entry["differences"][0]
    rules = [rule for difference in entry["differences"] for rule in difference.get("rules", [])]
    imputed = any("count as reward 0" in rule for rule in rules)
    yield {
        "kind": "imputed zeros in the aggregate" if imputed else "aggregate disagrees with the rows",
        "sentence": f"`{file}` disagrees with the rows in {entry['different']} of {entry['compared']} numbers, first "
        f"in `{first['name']}` of `{first['agent']}`: it says {first['theirs']:.6g}, the rows {first['ours']:.6g}. "
        + (_explained(rules) if rules else "No rule for failures, masks or late rows explains it."),
        "numbers": {
            "compared": entry["compared"],
            "different": entry["different"],
            "theirs": first["theirs"],
            "ours": first["ours"],
        },
    }


def _explained(rules: list[str]) -> str:
    return f"The rows give the shipped mean reward if {', or if '.join(dict.fromkeys(rules))}."


def _of_rules(values: dict[str, Any], counts: dict[str, Any], scores: dict[str, Any]) -> Iterator[Finding]:
    for key, (outcome, words) in _RULES.items():
        value = (values.get(key) or {}).get("value")
        if value in (None, False, "", "[]", "none", "false", "False"):
            continue
        rules = scores["accountings"]
        observed, zero = rules["observed"], rules["failures_as_zero" if outcome == "failed" else "all_unscored_as_zero"]
        pair = ""
        if observed is not None:
            pair = f" pass@1 is {percent(observed)} without them and {percent(zero)} with zeros for them."
        yield {
            "kind": "failures counted as zero",
            "sentence": f"NeMo Gym's own metrics of this run count {words} as reward 0 (`{key}` is {value}); here the "
            f"{counts[outcome]} {outcome} rollouts stay apart.{pair if counts[outcome] else ''}",
            "numbers": {outcome: counts[outcome], "observed": observed, "as_zero": zero},
        }
