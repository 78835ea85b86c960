"""Build the prompt of a request: ``large.py`` and ``small.py`` read from top to bottom as theirs.

Invariant: except for the marks of ``fence.py``, a prompt depends only on input, budget and token
counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..gc_pause import pause_gc
from .examples import EXAMPLE_MARK
from .large import large_prompt
from .prompt_input import PromptInput, Style
from .small import small_prompt
from .small_code import changed_code_prompt, explanation_prompt, is_conversion
from .turns import Count

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from .fitting import Prompt

    Messages = list[BaseMessage]


async def build_messages(
    request: PromptInput, *, style: Style, budget: int, count: Count
) -> Prompt:
    """Return the messages to send, within ``budget`` tokens if possible, and their receipt."""
    if not _loaded:
        await asyncio.to_thread(_load)
    request = _without_mentioned_cells(request)
    if style == "full":
        return await large_prompt(request, budget, count)
    if request.parsed.is_question:
        return await explanation_prompt(request, budget, count)
    if request.only_adds or is_conversion(request.parsed):
        return await changed_code_prompt(request, budget, count)
    return await small_prompt(request, budget, count)


def _without_mentioned_cells(request: PromptInput) -> PromptInput:
    ids = {mention.cell_id for mention in request.mentions} - {None}
    cells = [cell for cell in request.cells if cell.cell_type != "code" or cell.cell_id not in ids]
    return replace(request, cells=cells)


def as_text(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Return each message's role (``system``, ``user`` or ``assistant``) and text."""
    roles = {"human": "user", "ai": "assistant"}
    return [(roles.get(message.type, message.type), str(message.text)) for message in messages]


def is_example(message: BaseMessage) -> bool:
    """Return whether ``build_messages`` added this message as an example."""
    return message.additional_kwargs.items() >= EXAMPLE_MARK.items()


_loaded = False


def _load() -> None:
    """Import what prompts need of LangChain, which takes half a second the first time."""
    global _loaded
    with pause_gc():
        import markdown_it
        from langchain_core import messages

        # LangChain imports a class's module only when it is used; answers need ``markdown_it``.
        _ = messages.AIMessage, messages.HumanMessage, messages.SystemMessage, markdown_it
    _loaded = True
