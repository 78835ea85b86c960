"""The past turns of a cell, as pairs of a request and an answer.

Invariants: failed and cancelled turns are left out. Of the others, the newest that fit are in the
prompt, complete and in order. If the person changed the code between two turns, the prompt contains
the changed code, because the model must build on it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .modes import instruct
from .prompt_input import PromptInput

Count = Callable[[Sequence[str]], Awaitable[list[int]]]

PER_MESSAGE = 5  # tokens that a chat template adds


class Pair(NamedTuple):
    """A request and its answer. ``turn`` is the index of the past turn."""

    request: str
    answer: str
    turn: int | None = None


@dataclass(frozen=True)
class Conversation:
    """The past turns, and the cell's present code, which is never left out."""

    past: list[Pair]
    cell: Pair | None = None

    def first_turn(self, start: int) -> int | None:
        """Return the oldest turn of a prompt from ``past[start]`` on, or None."""
        first = self.past[start] if start < len(self.past) else self.cell
        return first.turn if first else None


class AnsweredTurn(NamedTuple):
    """A past turn. ``changed_code`` is the code before it, if it was changed."""

    number: int
    intent: str
    changed_code: str | None
    code: str
    words: str
    code_after: str


def answered_turns(request: PromptInput) -> Iterator[AnsweredTurn]:
    """Yield the turns of the history that have an answer."""
    code_after = ""
    for number, turn in enumerate(request.history):
        asked, answer = turn.user_request, turn.ai_response
        if answer.status != "success":
            continue
        changed = None if is_same(asked.current_code, code_after) else asked.current_code
        code_after = answer.suggestion if answer.suggestion.strip() else asked.current_code
        above = not asked.current_code.strip()
        intent = instruct(asked.intent, request.parsed.language, above=above)
        yield AnsweredTurn(
            number, intent, changed, answer.suggestion, answer.explanation, code_after
        )


def is_same(left: str, right: str) -> bool:
    """Return whether code is the same, apart from white space around it."""
    return left.strip() == right.strip()


async def newest_that_fit(
    pairs: Sequence[Pair], budget: int, count: Count
) -> tuple[int, list[int]]:
    """Return the index of the first pair to include, and each pair's number of tokens.

    LangChain's ``trim_messages`` does the same, but counts all tokens again for each try, which
    takes too long (``benchmarks/first_token.py``).
    """
    sizes = await count([text for pair in pairs for text in pair[:2]])
    pair_sizes = [
        request + answer + 2 * PER_MESSAGE
        for request, answer in zip(sizes[::2], sizes[1::2], strict=True)
    ]
    return first_that_fits(pair_sizes, budget), pair_sizes


def first_that_fits(sizes: Sequence[int], budget: int) -> int:
    """Return the index of the first pair to include."""
    start = len(sizes)
    while start and sizes[start - 1] <= budget:
        start -= 1
        budget -= sizes[start]
    return start
