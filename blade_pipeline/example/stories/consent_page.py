"""Rollouts that circle on a consent page in one locale: ``site_errands``, errands on invented sites, in plain text.

The agent has no tools: it writes one action per message, and the next user message shows what the browser shows.
"""

from blade_pipeline.example.benchmark import Json, Task, message
from blade_pipeline.example.draws import Draws
from blade_pipeline.example.stories.setting import story_benchmark
from blade_pipeline.example.stories.story import Rollout, Setting, Statement, Story, drawn, keys, passing, share, values

INSIDE = (45, 80)
"""Least and greatest percentage of the locale's passing rollouts that circle on the consent page."""
OUTSIDE = 0.015
"""Share of the other passing rollouts that do."""
ASKED = 0.4
"""Chance that a site asks for consent at all; most rollouts agree and go on."""
FEWEST, MOST = 6, 11
"""Rounds of a circle."""
WARNED = 0.2
"""Chance that the browser's console holds a warning, whatever becomes of the rollout."""

_CONSENT = {
    "en-GB": ("Your privacy", "Accept all"),
    "de-AT": ("Datenschutz", "Alle akzeptieren"),
    "fr-BE": ("Vos données", "Tout accepter"),
    "nl-NL": ("Uw privacy", "Alles accepteren"),
    "pl-PL": ("Twoja prywatność", "Zaakceptuj wszystko"),
}
_KINDS = ("shop", "timetable", "museum")
_SITES = ("brindle.example", "tarrow.example", "oxmoor.example", "quay12.example")
_THINGS = ("green kettle", "evening ferry", "family ticket", "oak shelf", "night tram")
_CIRCLES = (("scroll(down)",), ("click(3)", "go_back()"), ("wait(2)", "click(7)"))
_WARNINGS = (
    "Uncaught TypeError: t.closest is not a function",
    "Failed to load resource: net::ERR_BLOCKED_BY_CLIENT",
)
_NO_PRICE = "DONE: the site shows no price"


def _write_task(draws: Draws, index: int, base: float) -> Task:
    locale, kind, site = list(_CONSENT)[index % len(_CONSENT)], draws.choice(_KINDS), draws.choice(_SITES)
    thing, cents = draws.choice(_THINGS), draws.between(250, 9900)
    price = f"{cents // 100}.{cents % 100:02d}"
    question = f"Open https://{site}/{locale} and find what the {thing} costs. End with 'DONE:' and the price."
    fields: Json = {"errand_id": f"se-{index:03d}", "locale": locale, "site_kind": kind, "price": price}
    fields |= {"requires_login": draws.uniform() < 0.3}
    return Task(index, base, locale, question, fields, {"site": site, "thing": thing, "cents": cents})


def _healthy(draws: Draws, task: Task, repeat: int) -> Rollout:
    passed = draws.uniform() < task.base
    turns = [("goto(start)", _page(task, "Start"))]
    if draws.uniform() < ASKED:
        turns = [("goto(start)", _consent(task)), ("click(0)", _page(task, "Start"))]
    if task.fields["requires_login"]:
        turns.append(("type(1, 'guest')", _page(task, "Guest")))
    turns += [("scroll(down)", _page(task, f"Page {page}")) for page in range(1, draws.between(1, 4))]
    cents = task.facts["cents"] + (0 if passed else draws.between(10, 240))
    said = f"{cents // 100}.{cents % 100:02d}"
    turns.append((f"click({draws.between(4, 9)})", f"{_page(task, task.facts['thing'])}\n  [9] text: {said}"))
    verifier = _verdict(draws, task, said, len(turns), passed=passed)
    thinking = draws.between(50, 300)
    return Rollout(task, repeat, passed, [*_dialogue(turns), _last(f"DONE: {said}")], verifier, thinking=thinking)


def _page(task: Task, title: str) -> str:
    return f"URL: https://{task.facts['site']}/{task.category}\nTITLE: {title}\nELEMENTS:\n  [0] a: Menu\n  [1] input:"


def _consent(task: Task) -> str:
    title, agree = _CONSENT[task.category]
    shown = f"URL: https://{task.facts['site']}/{task.category}\nTITLE: {title}\nELEMENTS:"
    return f"{shown}\n  [0] button: {agree}\n  [3] a: Partner (248)\n  [7] a: Cookies"


def _dialogue(turns: list[tuple[str, str]]) -> list[Json]:
    items: list[Json] = []
    for number, (action, seen) in enumerate(turns, start=1):
        items += [message(action, number), {"type": "message", "role": "user", "content": seen}]
    return items


def _last(text: str) -> Json:
    return message(text, 99)


def _verdict(draws: Draws, task: Task, said: str | None, steps: int, *, passed: bool) -> Json:
    """Fields as a text environment leaves them; ``truncated`` says that the steps ran out."""
    info: Json = {"steps": steps, "answer": said, "success": passed}
    if draws.uniform() < WARNED:
        info["console"] = [draws.choice(_WARNINGS)]
    return {**task.fields, "terminated": said is not None, "truncated": said is None, "info": info}


def _plant(draws: Draws, rollouts: list[Rollout]) -> list[Statement]:
    locale = draws.choice(values(rollouts, "locale"))
    limited = draws.uniform() < 0.5
    right = passing(rollouts)
    inside = drawn(draws, (r for r in right if r.task.category == locale), share(draws, *INSIDE))
    outside = drawn(draws, (r for r in right if r.task.category != locale), OUTSIDE)
    for rollout in (*inside, *outside):
        _circle(draws, rollout, limited=limited)
    where = {"field": "locale", "value": locale}
    return [Statement("thrashing", {}, keys([*inside, *outside])), Statement("concentration", where, keys(inside))]


def _circle(draws: Draws, rollout: Rollout, *, limited: bool) -> None:
    task, seen = rollout.task, _consent(rollout.task)
    actions = list(draws.choice(_CIRCLES)) * draws.between(FEWEST, MOST)
    turns = [(action, seen) for action in ("goto(start)", *actions)]
    said = None if limited else _NO_PRICE.removeprefix("DONE: ")
    rollout.passed = False
    rollout.output = _dialogue(turns) if limited else [*_dialogue(turns), _last(_NO_PRICE)]
    rollout.verifier |= _verdict(draws, task, said, len(turns), passed=False)


_SYSTEM = "You steer a browser. Write one action per message: goto, click, type, scroll, wait or go_back."
STORY = Story(
    "consent-page",
    "rollouts circle on the consent page of one locale",
    _plant,
    Setting(story_benchmark("site_errands", list(_CONSENT), _SYSTEM, _write_task), _healthy),
)
