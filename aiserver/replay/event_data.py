"""The meaning of an event's data: the result of a run, the corrections before an accept. Pure."""

from __future__ import annotations

from typing import Any

from ..models import Event
from .step import Outcome

_SKIPPED_MS = 200


def corrected_suggestion(event: Event, source: str) -> str | None:
    """Return the suggestion with AI Server's changes before a person accepted it.

    These are obvious corrections, and what the person chose, such as another name. Return None if
    there were none. ``source`` is the accepted code. It may contain further changes by the person;
    only then, or if nothing was corrected automatically, the data of the event contains the result
    of AI Server's changes.
    """
    data = event.data or {}
    corrections, corrected = data.get("corrections"), data.get("corrected")
    if isinstance(corrected, str):
        return corrected
    return source if isinstance(corrections, list) and corrections else None


def was_skipped(data: dict[str, Any]) -> bool:
    """Return whether the cell of a run didn't run at all, because an earlier cell had failed.

    Earlier versions of AI Server recorded such runs. They took no time, unlike runs that ended with
    their kernel.
    """
    duration = data.get("duration_ms")
    is_aborted = data.get("status") in ("abort", "aborted") and data.get("execution_count") is None
    return is_aborted and isinstance(duration, int) and duration < _SKIPPED_MS


def run_result(data: dict[str, Any]) -> tuple[Outcome, str | None]:
    """Return the outcome of a run, and ``ename: evalue`` if it failed."""
    status = data.get("status")
    if status in ("abort", "aborted", "cancelled"):
        return "cancelled", None
    if status == "error" or data.get("ename"):
        return "error", run_error(data) or None
    return "done", None


def run_error(data: dict[str, Any]) -> str:
    """Return the name and message of a run's error; empty if the run succeeded."""
    name_and_message = (data.get("ename"), data.get("evalue"))
    return ": ".join(text for text in name_and_message if isinstance(text, str) and text)
