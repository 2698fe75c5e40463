"""Every environment variable that the program reads, declared once; docs/environment.md follows from it."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from blade_pipeline.errors import UsageProblem


@dataclass(frozen=True)
class Variable:
    """A variable, what it sets, and what holds without it; the texts are Markdown with links below docs/."""

    name: str
    sets: str
    without: str

    def __str__(self) -> str:
        return self.name

    def value(self, environment: Mapping[str, str] = os.environ) -> str | None:
        """What it is set to; None where it is empty or not set."""
        return environment.get(self.name) or None


@dataclass(frozen=True)
class Place(Variable):
    """A folder, with its default below the current one."""

    fallback: str

    def place(self) -> str:
        """The folder as the environment sets it, else the default."""
        return self.value() or self.fallback


@dataclass(frozen=True)
class Amount(Variable):
    """A number from 0 on, with its unit and default."""

    unit: str
    default: float

    def amount(self) -> float:
        """The number as the environment sets it, else the default.

        Raises:
            UsageProblem: it is set to something else than such a number.
        """
        written = self.value() or str(self.default)
        try:
            found = float(written)
        except ValueError:
            found = math.nan
        if not 0 <= found < math.inf:
            raise UsageProblem(f"{self} is {written!r}; give a number of {self.unit}.")
        return found


def _place(name: str, sets: str, fallback: str) -> Place:
    return Place(name, sets, f"`{fallback}`", fallback)


def _amount(name: str, sets: str, unit: str, default: float) -> Amount:
    return Amount(name, sets, f"{default:g}", unit, default)


RUNS = _place("BLADE_RUNS", "folder of run directories", "data/runs")
STORE = _place("BLADE_STORE", "store of artifacts and reports, a folder or a URL", "data/store")
PROFILES = _place("BLADE_PROFILES", "folder of [profiles](profiles.md), `<benchmark>.yaml`", "data/benchmarks")
REFERENCES = _place(
    "BLADE_REFERENCES", "folder of [reference scores](how-to/references.md), `<benchmark>.yaml`", "data/references"
)
LABELS = _place("BLADE_LABELS", "folder of [labels](how-to/labels.md), `<benchmark>/<run>.yaml`", "data/labels")
DAGSTER_HOME = Variable(
    "DAGSTER_HOME",
    "folder of Dagster's records",
    "the current folder where it holds a `dagster.yaml`, else `.dagster` in the store",
)
QUIET_SECONDS = _amount(
    "BLADE_QUIET_SECONDS", "seconds without a change after which a run directory counts as complete", "seconds", 60
)
UNSETTLED_HOURS = _amount(
    "BLADE_UNSETTLED_HOURS",
    "hours of being written after which a run [needs a hand](operating.md#what-needs-a-hand)",
    "hours",
    24,
)
FRESH_HOURS = Variable(
    "BLADE_FRESH_HOURS",
    "hours without a new result after which a benchmark is [overdue](operating.md#expected-runs), where its profile "
    "has no `fresh_hours`",
    "never",
)
CELERY = Variable(
    "BLADE_CELERY",
    "settings file of [Celery](scaling.md#work-on-several-machines-celery), whose workers then do the work of runs",
    "each run does its own work",
)
KEEP_DAYS = _amount("BLADE_KEEP_DAYS", "days that the nightly job keeps finished runs of Dagster", "days", 30)
NOTIFY_FILE = Variable(
    "BLADE_NOTIFY_FILE", "file to which [notices](operating.md#notices) are appended as JSON lines", "no file"
)
NOTIFY_WEBHOOK = Variable("BLADE_NOTIFY_WEBHOOK", "address that gets a POST per notice", "no webhook")
NOTIFY_TOKEN = Variable("BLADE_NOTIFY_TOKEN", "bearer token for the webhook", "no token")
REPORTS_URL = Variable(
    "BLADE_REPORTS_URL",
    "address under which [the store's reports are served](operating.md#on-a-server), where links of Dagster and of "
    "notices lead",
    "links are paths on the server",
)
SHARE_KEY = Variable(
    "BLADE_SHARE_KEY",
    "key of the pseudonyms in [shareable reports](sharing.md), 16 characters or more",
    "made once, `.share-key` in the store",
)

VARIABLES = tuple(found for found in list(vars().values()) if isinstance(found, Variable))
"""All of them, in this order."""
