"""Environment variables that cannot be used as they are set."""

from collections.abc import Callable, Iterator

from blade_pipeline.assets.freshness import fresh_hours
from blade_pipeline.automation.doctor.finding import Finding
from blade_pipeline.automation.executor import executor
from blade_pipeline.automation.notify.webhook import is_address
from blade_pipeline.environment import NOTIFY_WEBHOOK, VARIABLES, Amount
from blade_pipeline.models import UsageProblem

_DO = "mend it where the services and this command take their settings from, and start the services again"


def variable_findings() -> list[Finding]:
    """One finding per variable that holds something else than it should; nothing of an address is repeated."""
    return [Finding("settings", "act", problem, _DO) for problem in _problems()]


def _problems() -> Iterator[str]:
    amounts = [variable.amount for variable in VARIABLES if isinstance(variable, Amount)]
    readers: list[Callable[[], object]] = [*amounts, fresh_hours, executor]
    for read in readers:
        try:
            read()
        except UsageProblem as error:
            yield str(error).rstrip(".")
    url = NOTIFY_WEBHOOK.value()
    if url is not None and not is_address(url):
        yield f"{NOTIFY_WEBHOOK} is no http or https address"
