"""From a request to the messages that a model gets: the one way, also for the preview of them.

What must hold: to a model that is not on this machine no secret is sent (P16). What is shown as
a preview is made by the same function as what is sent (P15).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ..llm.base import ChatModel
from ..models import Interaction
from ..prompts.context import PromptInput, build_messages
from ..redact import Vault
from ..requests import AnalyzeBody, DataFrameProfile, GenerateBody, PreviewBody, WarmUpBody
from ..surrogates import fix_surrogates

if TYPE_CHECKING:
    from ..prompts.context import Messages


QUICK = 20_000  # characters; so many are looked through in a millisecond, quicker than in a thread


async def compose(
    model: ChatModel, body: WarmUpBody, history: list[Interaction]
) -> tuple[Messages, Vault]:
    """The messages for a request, and the secrets that were hidden from them."""
    vault = Vault(conceal=not model.info.on_this_machine)
    if _size(body, history) < QUICK:
        request = _prompt_input(body, history, vault)
    else:
        request = await asyncio.to_thread(_prompt_input, body, history, vault)
    messages = await build_messages(
        request, style=model.style, budget=model.prompt_tokens, count=model.count_tokens
    )
    return messages, vault


def _size(body: WarmUpBody, history: list[Interaction]) -> int:
    """How many characters are looked through, but for the few of DataFrames' names."""
    texts = [body.source, *(cell.source for cell in body.context.cells)]
    if isinstance(body, GenerateBody | PreviewBody):
        texts.append(body.intent)
    for turn in history:
        asked = turn.user_request
        texts += asked.intent, asked.current_code, turn.ai_response.suggestion
    return sum(map(len, texts))


def _prompt_input(body: WarmUpBody, history: list[Interaction], vault: Vault) -> PromptInput:
    """What a prompt is made of. A refinement keeps the DataFrames of the turn it refines."""
    frames = list(body.dataframes) if isinstance(body, AnalyzeBody | PreviewBody) else []
    intent = body.intent if isinstance(body, GenerateBody | PreviewBody) else ""
    source = vault.hide(body.source)  # first: what it holds is then known in the history, too
    return PromptInput(
        intent=vault.hide(intent, is_prose=True),
        source=source,
        language=body.language,
        cell_type=body.cell_type,
        cells=[
            cell.model_copy(update={"source": vault.hide(cell.source)})
            for cell in body.context.cells
        ],
        history=[_hidden(turn, vault) for turn in history],
        dataframes=[_hidden_frame(frame, vault) for frame in frames or _last_frames(history)],
    )


def _hidden(turn: Interaction, vault: Vault) -> Interaction:
    asked, answer = turn.user_request, turn.ai_response
    request = {
        "intent": vault.hide(vault.recall(asked.intent), is_prose=True),
        "current_code": vault.hide(vault.recall(asked.current_code)),
    }
    reply = {"suggestion": vault.hide(vault.recall(answer.suggestion))}
    before = (asked.intent, asked.current_code, answer.suggestion)
    if before == (*request.values(), *reply.values()):
        return turn
    return turn.model_copy(
        update={
            "user_request": asked.model_copy(update=request),
            "ai_response": answer.model_copy(update=reply),
        }
    )


def _hidden_frame(frame: DataFrameProfile, vault: Vault) -> DataFrameProfile:
    """A column may be called by a key: whoever pivots a table of users has such."""

    def hide(text: str) -> str:
        return vault.hide(fix_surrogates(text))

    columns = [
        column.model_copy(update={"name": hide(column.name), "dtype": hide(column.dtype)})
        for column in frame.columns
    ]
    texts = {"name": hide(frame.name), "kind": hide(frame.kind)}
    return frame.model_copy(update=texts | {"columns": columns})


def _last_frames(history: list[Interaction]) -> list[DataFrameProfile]:
    for turn in reversed(history):
        if turn.dataframes:
            # Another tool, or a later version, may have stored more of them, or something else:
            # that must not make the cell unusable.
            try:
                known = DataFrameProfile.model_fields
                return [
                    DataFrameProfile.model_validate({k: v for k, v in frame.items() if k in known})
                    for frame in turn.dataframes
                ]
            except ValidationError:
                return []
    return []
