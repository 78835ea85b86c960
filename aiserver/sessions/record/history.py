"""Choose the newest turns that fit into a prompt. Older turns are read only if needed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

from ...models import Interaction

# The maximum number of turns in the first read, if the number of tokens is limited.
_FIRST_LIMIT = 32

ReadNewest = Callable[[int | None], Awaitable[tuple[list[Interaction], bool]]]
"""A function that reads the newest turns.

Its argument is the maximum number of turns, or None for all turns. It returns the turns, oldest
first, and whether there may be older turns.
"""


async def read_newest(
    read: ReadNewest,
    max_messages: int | None,
    max_tokens: int | None,
    count_tokens: Callable[[str], int],
) -> list[Interaction]:
    """Return the newest turns that fit, oldest first; see ``SessionManager.get_history``.

    If the number of tokens is limited, this function first calls ``read`` with a low maximum
    number of turns. If all returned turns fit and there may be older turns, it calls ``read`` again
    with four times this maximum, and so on.
    """
    max_turns = None if max_messages is None else max(0, max_messages // 2)
    limit = max_turns
    if max_tokens is not None:
        limit = _FIRST_LIMIT if max_turns is None else min(max_turns, _FIRST_LIMIT)
    while True:
        turns, has_older = await read(limit)
        fitting = select_newest(turns, max_turns, max_tokens, count_tokens)
        if limit is None or limit == max_turns or not has_older or len(fitting) < len(turns):
            return fitting
        limit = limit * 4 if max_turns is None else min(max_turns, limit * 4)


def select_newest(
    turns: Sequence[Interaction],
    max_turns: int | None,
    max_tokens: int | None,
    count_tokens: Callable[[str], int],
) -> list[Interaction]:
    """Return the newest of these turns that fit, oldest first."""
    fitting: list[Interaction] = []
    tokens_left = max_tokens
    for turn in islice(reversed(turns), max_turns):
        if tokens_left is not None:
            request, response = turn.user_request, turn.ai_response
            texts = (request.intent, request.current_code, response.suggestion)
            tokens_left -= sum(map(count_tokens, texts))
            if tokens_left < 0:
                break
        fitting.append(turn)
    return fitting[::-1]
