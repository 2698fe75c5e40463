"""Templates of one field that say the same: in another order, with another list, with few other words."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from blade_pipeline.method.verifier_text import shared_start

APART = 0.25
"""Share of their words in which templates may differ and still say the same."""
VARIANTS = 3
"""Templates that must differ in a word before that word is taken for a variable; two may be two different things."""
SHORTEST = 4
"""Words below which one word is the message itself."""
TOLD = 80
"""Characters by which long templates are told apart."""
MOST = 2000
"""Templates of a field, equally long, beyond which it holds texts rather than messages, and nothing is compared."""

Key = tuple[str, str]


def merged(keys: Iterable[Key]) -> dict[Key, str]:
    """The common label of each ``(field, template)`` that is nearly equal to others of its field.

    Only those that were merged are in the answer.
    """
    fields: dict[str, list[str]] = defaultdict(list)
    for field, label in keys:
        fields[field].append(label)
    found: dict[Key, str] = {}
    for field, labels in fields.items():
        found |= {(field, label): name for label, name in _of_field(sorted(labels)).items()}
    return found


def _of_field(labels: list[str]) -> dict[str, str]:
    """Each step speaks of the labels that the step before gave."""
    names = {label: label for label in labels}
    for groups in (_beginning, _reordered, _listing, _alike):
        given = {old: new for new, group in groups(sorted(set(names.values()))) for old in group}
        names = {label: given.get(name, name) for label, name in names.items()}
    return {label: name for label, name in names.items() if label != name}


def _beginning(labels: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Long labels that begin alike; what they share speaks for all."""
    groups: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        if len(label) > TOLD:
            groups[label[:TOLD]].append(label)
    for group in groups.values():
        if len(group) > 1:
            yield f"{' '.join(shared_start([label.split(' ') for label in group]))}…", group


def _reordered(labels: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The same words, or named values, in another order; the first label speaks for all."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for label in labels:
        groups[tuple(sorted(_units(label)))].append(label)
    return ((group[0], group) for group in groups.values() if len(group) > 1 and len(group[0].split()) >= SHORTEST)


def _units(label: str) -> list[str]:
    """What may change places: words, or of a list of named values (``a: yes; b: no``) each name with its value."""
    parts = re.split(r"[;,|]", label)
    if len(parts) > 1 and all(re.search(r"\S\s*[:=]\s*\S", part) for part in parts):
        return [" ".join(part.split()) for part in parts]
    return [word.strip(".,;:()") for word in label.split()]


def _listing(labels: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The same beginning of at least two words, a colon, and lists of words of which one holds several."""
    groups: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        head, _, tail = label.rpartition(": ")
        if len(head.split()) > 1 and tail and all(len(part.split()) == 1 for part in tail.split(",")):
            groups[head].append(label)
    for head, group in groups.items():
        if len(group) >= VARIANTS or (len(group) > 1 and any("," in label.rpartition(": ")[2] for label in group)):
            yield f"{head}: [words]", group


def _alike(labels: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Equally many words, of which any two labels differ in a quarter at most; the words that differ are left out."""
    sizes: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    for label in labels:
        sizes[label.count(" ") + 1].append(tuple(label.split(" ")))
    for size, alike in sizes.items():
        if size < SHORTEST or not VARIANTS <= len(alike) <= MOST:
            continue
        codes = np.unique(np.array(alike), return_inverse=True)[1].reshape(len(alike), size)
        clusters = _clusters(codes)
        for number in np.flatnonzero(np.bincount(clusters) >= VARIANTS):
            group = [alike[place] for place in np.flatnonzero(clusters == number)]
            name = [words[0] if len(set(words)) == 1 else "[word]" for words in zip(*group, strict=True)]
            yield " ".join(name), [" ".join(words) for words in group]


def _clusters(codes: NDArray[np.int64]) -> NDArray[np.int32]:
    """The cluster of each row of codes, any two of which are at most ``APART`` apart.

    Few runs get here, and loading ``scipy.cluster`` is a twentieth of every command's start.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    clusters: NDArray[np.int32] = fcluster(linkage(codes, "complete", metric="hamming"), APART, "distance")
    return clusters
