"""The summary of a cell's older turns, as a text of the prompt.

Invariants:

- The summary comes before the past turns. It gets at most 1 / ``SHARE`` of the room; if it is
  longer, its last lines are left out.
- If all turns that the summary covers are in the prompt word for word, the summary is left out.
"""

from __future__ import annotations

from dataclasses import replace

from .. import templates
from ..history import Conversation, Count
from ..project.rules_files import first_lines
from ..prompt_input import OlderTurns
from ..receipt import ContextItem
from ..templates import Style

SHARE = 6


async def older_turns_text(
    older: OlderTurns | None,
    conversation: Conversation,
    start: int,
    style: Style,
    room: int,
    count: Count,
) -> tuple[str, list[ContextItem]]:
    """Return the text, and its item of the receipt; "" and [] if there is none.

    ``start`` is the index in ``conversation.past`` of the first message that fits. ``room`` is the
    number of tokens for the summary, the past turns and the earlier cells.
    """
    first_turn = conversation.first_turn(start)
    if older is None or (first_turn is not None and first_turn <= older.start):
        return "", []
    text = older.text
    [full_size] = await count([templates.older_turns(text, style)])
    size, share = full_size, max(room, 0) // SHARE
    while size > share and text:
        text = first_lines(text, share / size)
        [size] = await count([templates.older_turns(text, style)])
    item = ContextItem("summary", tokens=full_size, count=older.count, is_included=bool(text))
    if not text:
        return "", [item]
    item = replace(item, tokens=size, is_shortened=text != older.text)
    return templates.older_turns(text, style), [item]
