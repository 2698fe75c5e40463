"""What a text claims about one task or rollout: how many repeats pass, on which line the row stands."""

import re
from collections.abc import Iterator, Mapping

from blade_pipeline.method.verification.claims import Claim, claim, exactly
from blade_pipeline.method.verification.figures import Figure
from blade_pipeline.method.verification.ids import Ids
from blade_pipeline.method.verification.markdown import Said
from blade_pipeline.method.verification.names import bare
from blade_pipeline.method.verification.ratios import noun_of, ratios
from blade_pipeline.method.verification.sentences import Sentence

_OF_REPEATS = re.compile(r"^(?:(?:measured |all )?(?:repeats|rollouts|attempts) )?(?:pass|passed|passes)\b")
_PLACE = re.compile(r"⟦(?P<id>\d+)⟧(?: \(|, )⟦(?P<file>\d+)⟧ line (?P<line>\d+)")
_LIKE_AN_ID = re.compile(r"(?=.*\d)(?=.*[A-Za-z_]).{4,}")
_WORD = re.compile(r"[\w.:-]+")


def task_claims(sentence: Sentence, ids: Ids) -> Iterator[Claim]:
    """Passed and measured repeats of the only task that a sentence names."""
    named = _only_task(sentence, ids)
    known = ids.truths.tasks.get(named, []) if named is not None else []
    if len(known) != 1 or not sentence.firm:
        return
    for ratio in ratios(sentence.text, sentence.figures):
        noun, _ = noun_of(ratio)
        if _OF_REPEATS.match(noun):
            yield from claim(ratio.part, exactly(known[0].passed, f"passed repeats of task {named}"))
            yield from claim(ratio.whole, exactly(known[0].measured, f"measured repeats of task {named}"))


def place_claims(said: Said, figures: Mapping[int, Figure], ids: Ids) -> Iterator[Claim]:
    """The line on which a rollout's row stands in its file."""
    for found in _PLACE.finditer(said.text):
        name, file = bare(said.spans[int(found["id"])]), said.spans[int(found["file"])]
        lines = [truth.line for truth in ids.truths.rollouts.get(name, []) if truth.file == file]
        figure = figures.get(found.start("line"))
        if figure is not None:
            yield from claim(figure, [option for line in lines for option in exactly(line, f"the line of {name}")])


def _only_task(sentence: Sentence, ids: Ids) -> str | None:
    cited = {bare(found.id) for found in ids.in_words(sentence.said) if found.kind == "task"}
    words = {word for word in _WORD.findall(sentence.said.text) if _LIKE_AN_ID.match(word)}
    named = {name for name in cited or words if name in ids.tasks}
    return named.pop() if len(named) == 1 else None
