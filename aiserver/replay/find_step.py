"""Find the steps of a session to which a record refers. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from .step import Step


def last_index_with_source(steps: Sequence[Step], index: int, source: str | None) -> int:
    """Return the index of the last step that follows step ``index`` with the same source.

    For example, if step ``index`` is followed by two runs, return the index of the second run.
    If the source after step ``index`` isn't ``source``, return ``index``.
    """
    if steps[index].after != source:
        return index
    for step in steps[index + 1 :]:
        if step.parent == index and step.after == source:
            index = step.index
    return index


def restored_step(steps: Sequence[Step], source: str | None, seq: object) -> Step | None:
    """Return the step that was restored, or None if it isn't found.

    This is the step with ``seq``. If several steps have this ``seq``, one with the code ``source``
    is preferred. If no step has it, return the newest step with this code.
    """
    step_with_seq = None
    if isinstance(seq, int):
        for step in reversed(steps):
            if step.seq < seq:
                break
            if step.seq == seq:
                if source in step.codes:
                    return step
                step_with_seq = step_with_seq or step
    return step_with_seq or next((step for step in reversed(steps) if source in step.codes), None)
