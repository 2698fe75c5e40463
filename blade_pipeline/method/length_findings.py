"""What the comparisons of lengths say in words: whether a pooled difference stays, vanishes or turns under control."""

from typing import Any

from blade_pipeline.method.facts import joined

FALSE_SHARE = 0.05
"""q up to which a difference is beyond chance."""
HALF = 0.5
Entry = dict[str, Any]

_NEXT = {
    "stays": "they still are",
    "vanishes": "nothing beyond chance remains",
    "turns": "it is the other way round",
    "open": "too little is left to tell",
}
_AGAIN = {
    "alike": "they do not either",
    "untested": "too few tasks are left to tell",
    "longer": "failing ones are longer",
    "shorter": "failing ones are shorter",
}


def length_findings(features: list[Entry], controls: list[str], fields: list[str]) -> list[Entry]:
    """One sentence per group of features that fare alike, in the order of the features.

    Args:
        features: of ``lengths``, with ``{share, p, q}`` by control.
        controls: names of the controls, ``pooled`` first.
        fields: the fields that strata are equal in.

    Returns:
        ``{features, pooled, then, sentence}``: ``pooled`` is longer, shorter, alike or untested; ``then`` says by
        further control whether that stays, vanishes (nothing beyond chance, and at most half of the excess over one
        half), turns, or is open; where pooling shows nothing it is longer, shorter, alike or untested again.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for row in features:
        pooled = _direction(row["pooled"])
        then = tuple(_then(pooled, row["pooled"], row[name]) for name in controls[1:])
        groups.setdefault((pooled, then), []).append(row["feature"])
    strata = [among(name, fields) for name in controls[1:]]
    return [
        {
            "features": names,
            "pooled": pooled,
            "then": dict(zip(controls[1:], then, strict=True)),
            "sentence": _sentence(joined([f"`{name}`" for name in names]), pooled, then, strata),
        }
        for (pooled, then), names in groups.items()
    ]


def _direction(compared: Entry) -> str:
    if compared["q"] is None:
        return "untested"
    if compared["q"] > FALSE_SHARE or compared["share"] == HALF:
        return "alike"
    return "longer" if compared["share"] > HALF else "shorter"


def _then(pooled: str, before: Entry, after: Entry) -> str:
    found = _direction(after)
    if pooled not in ("longer", "shorter"):
        return found
    if found in ("longer", "shorter"):
        return "stays" if found == pooled else "turns"
    shrunk = found == "alike" and abs(after["share"] - HALF) <= abs(before["share"] - HALF) / 2
    return "vanishes" if shrunk else "open"


def among(control: str, fields: list[str]) -> str:
    """The strata of a further control in words."""
    if control == "pass_rate":
        return "at equal pass rate as well" if fields else "among tasks of equal pass rate"
    return f"among tasks of equal {joined([f'`{name}`' for name in fields])}"


def _sentence(by: str, pooled: str, then: tuple[str, ...], strata: list[str]) -> str:
    if pooled in ("longer", "shorter"):
        parts = [f"Pooled, failing rollouts are {pooled} by {by}"]
        parts += [f"{where} {_NEXT[found]}" for where, found in zip(strata, then, strict=True)]
        so = " So the pooled difference lies in which tasks fail." if then and then[-1] == "vanishes" else ""
        return f"{'; '.join(parts)}.{so}"
    if pooled == "untested":
        return f"Whether failing rollouts are longer by {by} cannot be tested: there are too few tasks."
    parts = [f"By {by} failing and passing rollouts do not differ beyond chance when pooled"]
    parts += [f"{where} {_AGAIN[found]}" for where, found in zip(strata, then, strict=True)]
    return f"{'; '.join(parts)}."
