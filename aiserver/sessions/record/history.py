"""Choose the newest turns that fit into a prompt, and read few turns that don't fit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from ...models import Interaction

_FIRST_LIMIT = 32  # turns to read first from a history that is limited by tokens

ReadNewest = Callable[[int | None], Awaitable[tuple[list[Interaction], bool]]]
"""Returns the newest turns, at most the given number, oldest first, and whether older exist."""


async def read_newest(
    read: ReadNewest,
    max_messages: int | None,
    max_tokens: int | None,
    count_tokens: Callable[[str], int],
) -> list[Interaction]:
    """Return the newest turns that fit, oldest first; see ``SessionManager.get_history``.

    ``read``: reads the newest turns without the older turns. As long as all turns that were read
    fit, this reads four times as many.
    """
    max_turns = None if max_messages is None else max(0, max_messages // 2)
    limit = max_turns
    if max_tokens is not None:
        limit = _FIRST_LIMIT if max_turns is None else min(max_turns, _FIRST_LIMIT)
    while True:
        turns, has_older = await read(limit)
        fitting = select_newest(turns, max_messages, max_tokens, count_tokens)
        if limit is None or limit == max_turns or not has_older or len(fitting) < len(turns):
            return fitting
        limit = limit * 4 if max_turns is None else min(max_turns, limit * 4)


def select_newest(
    turns: Sequence[Interaction],
    max_messages: int | None,
    max_tokens: int | None,
    count_tokens: Callable[[str], int],
) -> list[Interaction]:
    """Return the newest of these turns that fit, oldest first, as ``read_newest`` does."""
    first = len(turns)
    tokens_left = max_tokens
    while first and (max_messages is None or 2 * (len(turns) - first + 1) <= max_messages):
        turn = turns[first - 1]
        if tokens_left is not None:
            request, response = turn.user_request, turn.ai_response
            texts = (request.intent, request.current_code, response.suggestion)
            tokens_left -= sum(map(count_tokens, texts))
            if tokens_left < 0:
                break
        first -= 1
    return list(turns[first:])
