"""Compose the messages for a request or its preview.

Invariants: if the model isn't on this machine, the secrets that ``redact`` recognises are replaced
in all messages. Requests and their previews contain the same messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from ..errors import SelectionCutsSecret
from ..llm.base import Additions, ChatModel
from ..models import PROSE_LANGUAGES, Interaction
from ..plugin import ContextPart, ContextRequest, ContextText
from ..prompts.context import build_messages
from ..prompts.language import code_of
from ..prompts.parsed_request import ParsedRequest, parse_request
from ..prompts.prompt_input import (
    FileProfile,
    FileText,
    OlderTurns,
    PromptInput,
    Remembered,
    RestOfCell,
    RulesText,
)
from ..prompts.receipt import ContextItem
from ..prompts.selection import as_cell
from ..redact import Vault
from ..requests import (
    RETRY_MODE,
    ContextCell,
    GenerateBody,
    PreviewBody,
    WarmUpBody,
)
from ..surrogates import fix_surrogates
from .additions import additions
from .allowed_parts import (
    Options,
    attached_frames,
    without_forbidden,
    without_unseen_images,
)
from .condensed_turns import answered_count
from .hidden_data import (
    has_content,
    hide,
    hide_in_file,
    hide_in_frame,
    hide_in_mention,
    last_frames,
    mentions_prose,
)

if TYPE_CHECKING:
    from ..prompts.context import Messages
    from .past_turns import PastTurns


_NO_OPTIONS = Options()
Part = TypeVar("Part")


@dataclass(frozen=True)
class Composed:
    """The messages, their receipt and secrets. ``cuts_secret``: one is cut in two."""

    messages: Messages
    items: list[ContextItem]
    vault: Vault
    cuts_secret: bool = False
    additions: Additions | None = None
    """The code that a small model's answer must contain unchanged."""


async def compose(
    model: ChatModel,
    body: WarmUpBody,
    past: PastTurns,
    options: Options = _NO_OPTIONS,
    parsed: ParsedRequest | None = None,
) -> Composed:
    """Compose the messages for a request. ``parsed`` is the result of ``parse_body``."""
    parsed = parsed or parse_body(body)
    on_this_machine = model.info.on_this_machine
    vault = Vault(conceal=not on_this_machine)
    has_path = body.notebook_path is not None
    body, left_out = without_forbidden(body, options.features, on_this_machine=on_this_machine)
    body, unseen = without_unseen_images(body, model.info)
    parts = await options.gather(
        ContextRequest(
            intent=_intent_of(body),
            source=body.source,
            on_this_machine=on_this_machine,
            forbids_files=has_path and body.notebook_path is None,
            body=body,
            model=model,
        )
    )
    left_out += [item for item in _of(ContextItem, parts) if item not in left_out]
    request = await asyncio.to_thread(
        _prompt_input, body, parsed, past, parts, vault, on_this_machine
    )
    added = None
    if model.style == "compact":
        added = additions(request.parsed)
        request = replace(request, only_adds=added is not None)
    messages, items = await build_messages(
        request, style=model.style, budget=model.prompt_tokens, count=model.count_tokens
    )
    selection = parsed.selection
    lines = (selection.selected, selection.above, selection.below) if selection else ()
    cuts_secret = bool(lines) and vault.is_cut_by(body.source, lines)
    items += [replace(item, name=hide(item.name, vault)) for item in (*left_out, *unseen)]
    return Composed(messages, items, vault, cuts_secret, added)


def _intent_of(body: WarmUpBody) -> str:
    return body.intent if isinstance(body, GenerateBody | PreviewBody) else ""


def _prompt_input(
    body: WarmUpBody,
    parsed: ParsedRequest,
    past: PastTurns,
    parts: Sequence[ContextPart],
    vault: Vault,
    on_this_machine: bool,
) -> PromptInput:
    is_retry = isinstance(body, GenerateBody) and body.mode == RETRY_MODE
    frames = attached_frames(body)
    history = past.recent
    detached = body.context.detached
    # The source first, so that `update_marks` can give a secret the same mark in the history.
    code = vault.hide(parsed.code, is_prose=parsed.language.is_prose)
    rest = None
    if parsed.selection:
        code, rest = _hide_in_selection(parsed, body.cell_id, code, vault)
    files, remembered = _of(FileProfile, parts), [*_of(Remembered, parts), Remembered()][0]
    described_files = {file.name for file in files}
    texts = {file.path: file.text for file in _of(FileText, parts)}
    above = parsed.above
    hidden = replace(
        parsed,
        intent=vault.hide(parsed.intent, is_prose=True),
        code=code,
        above=_hide_in_cell(above, vault) if above else None,
    )
    return PromptInput(
        hidden,
        cells=[_hide_in_cell(cell, vault) for cell in body.context.cells if cell is not above],
        history=[_hide_in_turn(turn, vault) for turn in history],
        dataframes=[
            hide_in_frame(frame, vault, on_this_machine)
            for frame in frames or last_frames(history)
            if frame.name not in detached
        ],
        variables=[
            variable.model_copy(
                update={"name": hide(variable.name, vault), "kind": hide(variable.kind, vault)}
            )
            for variable in body.context.variables
        ],
        files=[hide_in_file(file, vault, on_this_machine) for file in files],
        mentions=[
            hide_in_mention(
                mention,
                texts,
                vault,
                on_this_machine,
                is_prose=mentions_prose(mention, body.context.cells),
            )
            for mention in body.context.mentions
            if mention.file not in described_files and has_content(mention, on_this_machine)
        ],
        rules_files=[
            RulesText(hide(file.path, vault), hide(file.text, vault, is_prose=True))
            for file in _of(RulesText, parts)
        ],
        plugin_texts=[
            ContextText(hide(text.name, vault), hide(text.text, vault))
            for text in _of(ContextText, parts)
        ],
        memory=[
            replace(
                entry,
                text=hide(entry.text, vault, is_prose=True),
                section=hide(entry.section, vault, is_prose=True),
            )
            for entry in remembered.entries
        ],
        memory_count=remembered.total,
        note=hide(remembered.note, vault, is_prose=True),
        rest=rest,
        older_turns=_hide_in_older_turns(past, vault),
        earlier_answers=max(past.left_out, 1) if is_retry else 0,
    )


def _of(kind: type[Part], parts: Iterable[object]) -> list[Part]:
    return [part for part in parts if isinstance(part, kind)]


def _hide_in_cell(cell: ContextCell, vault: Vault) -> ContextCell:
    source = vault.hide(cell.source, is_prose=cell.cell_type != "code")
    return cell.model_copy(update={"source": source})


def _hide_in_older_turns(past: PastTurns, vault: Vault) -> OlderTurns | None:
    condensed = past.condensed
    if condensed is None:
        return None
    count = answered_count(past.all[condensed.start : condensed.end])
    text = vault.hide(fix_surrogates(condensed.text), is_prose=True)
    return OlderTurns(text, count, condensed.start - past.recent_start)


def parse_body(body: WarmUpBody) -> ParsedRequest:
    """Return what a request asks for. A warm-up has no text yet."""
    selection = body.context.selection
    return parse_request(
        _intent_of(body),
        body.source,
        body.language,
        body.cell_type,
        cells=body.context.cells,
        lines=(selection.first, selection.last) if selection else None,
        mentions_cell=any(mention.cell_id for mention in body.context.mentions),
    )


def _hide_in_selection(
    parsed: ParsedRequest, cell_id: str, source: str, vault: Vault
) -> tuple[str, RestOfCell]:
    """Return the selected lines as a cell's code, and the other lines, with secrets hidden.

    Raises SelectionCutsSecret, because a part of a secret can't be recognised.
    """
    selection = parsed.selection
    assert selection is not None
    selected, above, below = (
        vault.hide(text, is_prose=parsed.language.is_prose)
        for text in (selection.selected, selection.above, selection.below)
    )
    if any(text not in source for text in (selected, above, below)):
        raise SelectionCutsSecret
    # Cell magics may contain a secret.
    language = replace(parsed.language, head=vault.hide(parsed.language.head))
    return as_cell(selected, selection, language), RestOfCell(cell_id, above, below)


def _hide_in_turn(turn: Interaction, vault: Vault) -> Interaction:
    request, response = turn.user_request, turn.ai_response
    code = code_of(request.current_code, request.intent)
    is_prose = request.language in PROSE_LANGUAGES
    request_update = {
        "intent": vault.hide(vault.update_marks(request.intent), is_prose=True),
        "current_code": vault.hide(vault.update_marks(code), is_prose=is_prose),
    }
    response_update = {
        "suggestion": vault.hide(vault.update_marks(response.suggestion), is_prose=is_prose),
        "explanation": vault.hide(vault.update_marks(response.explanation), is_prose=True),
    }
    old_texts = (request.intent, request.current_code, response.suggestion, response.explanation)
    if old_texts == (*request_update.values(), *response_update.values()):
        return turn
    return turn.model_copy(
        update={
            "user_request": request.model_copy(update=request_update),
            "ai_response": response.model_copy(update=response_update),
        }
    )
