"""What goes wrong in Dagster's runs and ticks, whose pages keep what an exception says."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from blade_pipeline.errors import fault_of
from blade_pipeline.gym.public import without_secrets
from blade_pipeline.models import BladeError


@contextmanager
def told_in_a_sentence() -> Iterator[None]:
    """Tells our own sentences without secrets, and a fault of the program by its kind and place.

    Raises:
        dg.Failure: something went wrong; no retry would mend it.
    """
    try:
        yield
    except dg.Failure:
        raise
    except BladeError as error:
        raise dg.Failure(without_secrets(str(error)), allow_retries=False) from None
    except Exception as error:
        raise dg.Failure(f"{fault_of(error)}.", allow_retries=False) from None
