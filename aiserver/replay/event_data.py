"""The meaning of an event's data: the result of a run, the corrections before an accept. Pure."""

from __future__ import annotations

from typing import Any

from ..models import Event
from .step import Outcome


def corrected_suggestion(event: Event, source: str) -> str | None:
    """Return the suggestion with the corrections that AI Server made before a person accepted it.

    Return None if there were none. ``source`` is the accepted code. It may contain further changes
    by the person; only then, the data of the event contains the corrected suggestion.
    """
    data = event.data or {}
    corrections, corrected = data.get("corrections"), data.get("corrected", source)
    is_corrected = isinstance(corrections, list) and bool(corrections)
    return corrected if is_corrected and isinstance(corrected, str) else None


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
