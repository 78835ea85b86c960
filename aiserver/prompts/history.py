"""Past turns of the cell, as LangChain messages.

What must hold: failed and cancelled turns are left out; the newest turns that fit are kept, whole
and in order; a person's own change between two turns is told, for the model must build on it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from ..models import Interaction
from .fence import code_block
from .templates import changed_by_hand

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Count = Callable[[Sequence[str]], Awaitable[list[int]]]

PER_MESSAGE = 5  # tokens that a chat template puts around each message


def history_messages(turns: Sequence[Interaction], language: str) -> list[BaseMessage]:
    """Two messages for each turn that succeeded: the wish, and the code that came back."""
    from langchain_core.messages import AIMessage, HumanMessage

    messages: list[BaseMessage] = []
    previous = ""
    for turn in turns:
        if turn.ai_response.status != "success":
            continue
        request = turn.user_request
        text = request.intent
        if request.current_code.strip() != previous.strip():
            text = changed_by_hand(text, request.current_code)
        messages.append(HumanMessage(text))
        messages.append(AIMessage(code_block(turn.ai_response.suggestion, language)))
        previous = turn.ai_response.suggestion
    return messages


async def newest_that_fit(
    messages: Sequence[BaseMessage], budget: int, count: Count
) -> list[BaseMessage]:
    """The newest turns whose messages take at most ``budget`` tokens together."""
    from langchain_core.messages import trim_messages

    if not messages or budget <= 0:
        return []
    texts = [str(message.text) for message in messages]
    sizes = dict(zip(texts, await count(texts), strict=True))
    return trim_messages(
        list(messages),
        max_tokens=budget,
        token_counter=lambda some: sum(sizes[str(item.text)] + PER_MESSAGE for item in some),
        strategy="last",
        start_on="human",
    )
