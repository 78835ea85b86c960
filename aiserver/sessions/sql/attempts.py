"""Decide after each failed transaction whether it is tried again.

Invariants: retries are few and end within some seconds; a transaction that may have been committed
is only tried again with ``Write.outcome_unknown``, so that the next attempt looks for its result.
"""

from __future__ import annotations

import random
import secrets
from typing import Any

from .errors import classify

_RETRY_DELAYS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)  # seconds between two attempts, on average


class Write:
    """The state of one operation across its attempts."""

    def __init__(self) -> None:
        self.id = secrets.randbits(63)
        """Stored in the rows that the operation inserts."""
        self.attempts = 1
        self.outcome_unknown = False
        """Whether a connection broke, so that an earlier attempt may have been committed."""
        self.result: Any = None
        """The result of the last attempt, should it have been committed."""

    def retry_delay(self, error: Exception) -> float:
        """Begin the next attempt: return the seconds to wait before it.

        Raises ``error``, or the StorageError for it, if there is no further attempt.
        """
        failure = classify(error)
        if failure is None:
            raise error
        can_retry = failure.can_retry or failure.outcome_unknown
        if not can_retry or self.attempts > len(_RETRY_DELAYS):
            raise failure.error from error
        self.outcome_unknown = self.outcome_unknown or failure.outcome_unknown
        delay = _RETRY_DELAYS[self.attempts - 1]
        self.attempts += 1
        return delay * random.uniform(0.5, 1.5)  # noqa: S311 (no secret)
