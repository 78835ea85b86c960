"""Build the turn of a request and its answer, as it will be saved."""

from __future__ import annotations

from typing import Any

from ..errors import AIServerError
from ..models import AIResponse, NewTurn, Status, UserRequest
from ..prompts.answers.reader import Answer
from ..prompts.parsed_request import ParsedRequest
from ..prompts.receipt import ContextItem
from ..requests import ANALYZE_MODE, DETECT_MODE, RETRY_MODE, AnalyzeBody, GenerateBody
from .allowed_parts import attached_frames
from .privacy_levels import schema_only, stored_frame


def build_turn(
    body: GenerateBody,
    request: ParsedRequest,
    timestamp: str,
    answer: AIResponse,
    receipt: list[ContextItem],
    *,
    explains: bool,
    gets_values: bool,
    **fields: Any,
) -> NewTurn:
    """Return the turn of a request.

    ``explains`` means that a small model explained the cell's code. Such a model gets no
    DataFrames, so none are stored. ``gets_values`` means that the administrator allows statistics
    and rows of DataFrames for the model. ``fields`` are further fields of the turn.
    """
    language = request.language
    turn = NewTurn(
        timestamp=timestamp,
        user_request=UserRequest(
            intent=body.intent,
            current_code=body.source,
            # For a cell in the kernel's language, store the name that the request contains.
            language=body.language if language.name == language.kernel else language.name,
        ),
        ai_response=answer,
        mode=_stored_mode(body, request),
        **fields,
    )
    if selection := body.context.selection:
        turn.selection = selection.model_dump()
    if body.parent_turn_id is not None:
        turn.parent_turn_id = body.parent_turn_id
    if body.repeats_turn_id is not None:
        turn.repeats_turn_id = body.repeats_turn_id
    if not explains and (frames := attached_frames(body)):
        turn.dataframes = [
            stored_frame(frame if gets_values else schema_only(frame)) for frame in frames
        ]
    if receipt:
        turn.context = [item.to_dict() for item in receipt]
    return turn


def build_answer(answer: Answer, status: Status, error: AIServerError | None) -> AIResponse:
    """Return the answer of a turn. If the generation failed, ``error`` is the reason."""
    response = AIResponse(
        suggestion=answer.code,
        explanation=answer.explanation,
        status=status,
        error=error.message if error else None,
    )
    if answer.code and answer.replaced:
        response.replaced_characters = list(answer.replaced)
    if answer.thoughts:
        response.thoughts = answer.thoughts
    return response


def _stored_mode(body: GenerateBody, request: ParsedRequest) -> str:
    """Return the mode as it is stored in the turn."""
    if body.mode not in (DETECT_MODE, ANALYZE_MODE, RETRY_MODE):
        return body.mode
    if isinstance(body, AnalyzeBody) and request.slash_mode is None:
        return ANALYZE_MODE
    return request.mode
