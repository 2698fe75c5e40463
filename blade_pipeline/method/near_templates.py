"""Templates of one field that say the same: in another order, with another word in one place, with another list."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

VARIANTS = 3
"""Templates that must differ in one word before that word is taken for a variable; two may be two different things."""
SHORTEST = 4
"""Words below which one word is the message itself."""
MOST = 2000
"""Templates of a field beyond which it holds texts rather than messages, and nothing is compared."""

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
        if 1 < len(labels) <= MOST:
            found |= {(field, label): name for label, name in _of_field(sorted(labels)).items()}
    return found


def _of_field(labels: list[str]) -> dict[str, str]:
    """Each step speaks of the labels that the step before gave."""
    names = {label: label for label in labels}
    for groups in (_reordered, _listing, _varying):
        given = {old: new for new, group in groups(sorted(set(names.values()))) for old in group}
        names = {label: given.get(name, name) for label, name in names.items()}
    return {label: name for label, name in names.items() if label != name}


def _reordered(labels: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The same words in another order; the first label speaks for all."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for label in labels:
        groups[tuple(sorted(word.strip(".,;:()") for word in label.split()))].append(label)
    return ((group[0], group) for words, group in groups.items() if len(group) > 1 and len(words) >= SHORTEST)


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


def _varying(labels: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The same words but for one place; a label that varies in several places goes with the largest group."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for label in labels:
        words = label.split()
        for place in range(len(words) if len(words) >= SHORTEST else 0):
            groups[(*words[:place], "[word]", *words[place + 1 :])].append(label)
    taken: set[str] = set()
    for words_of_group, group in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        left = [label for label in group if label not in taken]
        if len(left) >= VARIANTS:
            taken.update(left)
            yield " ".join(words_of_group), left
