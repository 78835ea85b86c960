"""Find the suggestion that can still be accepted. Pure.

It is that of the cell's last request; an answer in words changes nothing about it. Any older
suggestion without a decision was passed over: its outcome becomes ``unused``.
"""

from __future__ import annotations

from collections.abc import Sequence

from .step import Step


def mark_unused(steps: Sequence[Step]) -> None:
    """Set the outcome of each open suggestion that can no longer be accepted to ``unused``."""
    turns = [
        step
        for step in steps
        if step.kind == "turn" and step.repeats_turn_id is None and step.outcome != "done"
    ]
    for turn in turns[:-1]:
        if turn.outcome == "open":
            turn.outcome = "unused"
