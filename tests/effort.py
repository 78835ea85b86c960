"""A limit for the work of a function that doesn't depend on the machine's speed and load."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from contextlib import contextmanager

_STEPS = 200_000  # of the loop that is measured; they take about 5 ms


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Fail if the body needs more processor time than a Python loop of so many steps."""
    usual = _usual_step()
    started = time.process_time()
    yield
    taken = time.process_time() - started
    # The machine may have become slower since ``_usual_step``.
    assert taken <= steps * usual or taken <= steps * _step(), f"{taken / usual:,.0f} steps"


@functools.cache
def _usual_step() -> float:
    return _step()


def _step() -> float:
    """Return the processor time of a step of the loop, in seconds."""
    started = time.process_time()
    number = 0
    for each in range(_STEPS):
        number += each
    return (time.process_time() - started) / _STEPS
