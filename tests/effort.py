"""A limit for the work of a function that doesn't depend on the machine's speed and load."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_STEPS = 200_000  # of the loop that is measured; they take about 5 ms


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Fail if the body needs more processor time than a Python loop of so many steps."""
    before = _one_loop()
    started = time.process_time()
    yield
    taken = time.process_time() - started
    # Measured before and after, because the speed of a busy machine changes.
    step = max(before, _one_loop()) / _STEPS
    assert taken <= steps * step, f"{taken / step:,.0f} steps"


def _one_loop() -> float:
    started = time.process_time()
    number = 0
    for each in range(_STEPS):
        number += each
    return time.process_time() - started
