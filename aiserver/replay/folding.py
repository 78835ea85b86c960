"""Combine the steps of a cell into those that are shown and numbered. Pure.

Shown inside an earlier step, as its parts, are the runs of the code that it wrote; changes of a
suggestion before it was accepted, so that a request is one step (P49); and a paste directly after
the cut, as a move. A run of code that no step wrote is a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from .step import Step


def assign_parts(steps: Sequence[Step]) -> None:
    """Set ``part_of`` of each part: the index of the step that shows it."""
    shown: list[tuple[Step, str]] = []  # each with the cell's source after it and its parts
    for step, previous in zip(steps, [None, *steps], strict=False):
        if step.kind == "run":
            step.part_of = _step_of_run(shown, step)
        elif previous and _changes_accepted(previous, step):
            step.part_of = previous.index if previous.part_of is None else previous.part_of
        elif previous and _is_cut_and_paste(previous, step):
            step.part_of = previous.index
        if step.part_of is None:
            shown.append((step, step.after))
        elif step.kind == "edit":
            shown[-1] = shown[-1][0], step.after


def shown_steps(steps: Sequence[Step]) -> Iterator[tuple[Step, list[Step]]]:
    """Yield each step that isn't a part, with its parts."""
    parts: dict[int, list[Step]] = {}
    for step in steps:
        if step.part_of is not None:
            parts.setdefault(step.part_of, []).append(step)
    return ((step, parts.get(step.index, [])) for step in steps if step.part_of is None)


def shown_numbers(steps: Sequence[Step]) -> list[int]:
    """Return the number with which each step is shown, from 1; a part has that of its step."""
    numbers = list(accumulate(int(step.part_of is None) for step in steps))
    return [numbers[step.index if step.part_of is None else step.part_of] for step in steps]


def request_numbers(steps: Sequence[Step]) -> dict[int, tuple[int, Step]]:
    """Return for each turn the number of its request, and its step.

    A request without an answer has the number 0, and so has one that was asked again.
    """
    numbers: dict[int, tuple[int, Step]] = {}
    count = 0
    for step in steps:
        if step.kind == "turn":
            is_counted = step.outcome not in ("error", "cancelled", "repeated")
            count += is_counted
            numbers |= dict.fromkeys(step.turn_ids, (count if is_counted else 0, step))
    return numbers


def _changes_accepted(previous: Step, step: Step) -> bool:
    is_same_event = step.seq in (previous.seq, previous.settled_seq)
    return (step.kind, step.event) == ("edit", "accept") and previous.applied and is_same_event


def _is_cut_and_paste(cut: Step, paste: Step) -> bool:
    """Return whether ``cut`` deleted the cell, and ``paste`` restored it at another position."""
    if (cut.kind, paste.kind, paste.code) != ("delete", "undelete", cut.code):
        return False
    # ``after`` is the id of the cell above; None if the cell was the first one.
    above = [(step.data or {}).get("after", 0) for step in (cut, paste)]
    return above[0] != above[1] and all(id_ is None or isinstance(id_, str) for id_ in above)


def _step_of_run(shown: Sequence[tuple[Step, str]], run: Step) -> int | None:
    """Return the index of the step that wrote the code which was run; None if there is none."""
    index = None
    for step, after in reversed(shown):
        if after != run.code:
            break
        if step.applied:
            index = step.index
            if step.before != run.code or step.kind == "turn":
                break
    return index
