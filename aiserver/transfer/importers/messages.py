"""Convert the messages of a chat to turns and events.

A message of a person is a question. A question and all messages until the next question become a
turn. Each message before the first question becomes an event of the type ``message``. For data of a
chat that isn't a message, such as an agent's memory, importers use events of the type ``state``.

Invariants:

- Each turn, and each event of these two types, stores its original data in ``imported.messages``.
  Only the secrets in this data are redacted.
- A question without an answer becomes a ``cancelled`` turn, which is shown but not sent to models.
- The suggestion of a turn is the code in the answer's fenced blocks. A block with a tag such as
  ``text`` or ``output`` doesn't count as code. If the blocks have different languages, the
  suggestion is the code of the blocks that have the first code block's language or no language.
- The remaining text of the answer is the explanation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ...redact import redact
from .base import to_timestamp

Role = Literal["user", "assistant", "other"]

_OPENING_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*")
_CLOSING_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
# Language tags of fenced blocks that contain no code.
_NO_CODE_TAGS = {"text", "txt", "plaintext", "output", "console", "log", "markdown", "md"}
_LANGUAGE_BY_TAG = {"py": "python", "python3": "python", "ipython": "python", "js": "javascript"}
_USER_ROLES = {"user", "human"}
_ASSISTANT_ROLES = {"assistant", "ai", "model", "bot"}


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: Role
    text: str
    raw: Any
    """The original message, as the other program stored it."""
    timestamp: str | None = None
    user: str | None = None


class Answer(NamedTuple):
    """An answer, divided into code and explanation."""

    code: str
    explanation: str
    language: str


def message_of(raw: dict[str, Any], fields: dict[str, Any] | None = None) -> Message:
    """Convert a message that has ``role``, ``content`` and ``timestamp``.

    If ``raw`` has other names for these three fields, ``fields`` contains their values under the
    names ``role``, ``content`` and ``timestamp``.
    """
    fields = raw if fields is None else fields
    return Message(
        role=_to_role(fields.get("role")),
        text=_text_of(fields.get("content")),
        raw=raw,
        timestamp=to_timestamp(fields.get("timestamp")),
    )


def _to_role(value: Any) -> Role:
    """Convert another program's name for a role, ignoring case."""
    name = str(value).lower()
    if name in _USER_ROLES:
        return "user"
    return "assistant" if name in _ASSISTANT_ROLES else "other"


def _text_of(content: Any) -> str:
    """Return the text of a message's content. The texts in a list are joined by line breaks."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _text_of(content.get("text", ""))
    if isinstance(content, list):
        return "\n".join(text for block in content if (text := _text_of(block)))
    return ""


def objects_in(messages: Sequence[Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the messages that are JSON objects, and an error text for each other message.

    An error text contains the message's number, counted from 1.
    """
    objects = [raw for raw in messages if isinstance(raw, dict)]
    problems = [
        f"message {number}: not a JSON object"
        for number, raw in enumerate(messages, 1)
        if not isinstance(raw, dict)
    ]
    return objects, problems


def records_from(messages: Iterable[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert the messages of a chat to the data of turns and events, for ``create_session``.

    ``origin`` contains the names of the format and of the chat. It is stored in each record.
    """
    records: list[dict[str, Any]] = []
    turn_messages: list[Message] = []
    for message in messages:
        if message.role == "user":
            records += _turn_from(turn_messages, origin)
            turn_messages = [message]
        elif turn_messages:
            turn_messages.append(message)
        else:
            records.append(
                message_event("message", [_redacted_raw(message)], origin, message.timestamp)
            )
    return records + _turn_from(turn_messages, origin)


def message_event(
    type_: str, messages: Sequence[Any], origin: dict[str, Any], timestamp: str | None = None
) -> dict[str, Any]:
    """Return an event for data outside all turns: messages, or data such as an agent's memory.

    ``type_`` is ``message`` or ``state``.
    """
    data = {"imported": origin | {"messages": list(messages)}}
    return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})


def _turn_from(messages: Sequence[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert a question and the messages that follow it to a turn. Without messages, return []."""
    if not messages:
        return []
    question, *following = messages
    answers = [
        message.text for message in following if message.role == "assistant" and message.text
    ]
    answer = split_answer("\n\n".join(answers))
    turn: dict[str, Any] = {
        "user_request": {"intent": question.text, "current_code": "", "language": answer.language},
        "ai_response": {
            "suggestion": answer.code,
            "explanation": answer.explanation,
            "status": "success" if answers else "cancelled",
            "error": None,
        },
        "mode": "chat",
        "imported": origin | {"messages": [_redacted_raw(message) for message in messages]},
    }
    if question.timestamp:
        turn["timestamp"] = question.timestamp
    if question.user:
        turn["user"] = question.user
    return [turn]


def _redacted_raw(message: Message) -> Any:
    """Return the original message. Unless an assistant wrote it, redact its secrets as in prose.

    Redacting as in prose finds more secrets, but could damage the code in an assistant's message.
    Later, ``create_session`` redacts the secrets in all messages as in code.
    """
    return message.raw if message.role == "assistant" else _redact_prose(message.raw)


def _redact_prose(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value, is_prose=True)
    if isinstance(value, list):
        return [_redact_prose(item) for item in value]
    return {k: _redact_prose(v) for k, v in value.items()} if isinstance(value, dict) else value


def split_answer(text: str) -> Answer:
    """Split an answer in Markdown into code and explanation.

    A fenced block that isn't closed extends to the end of the answer.
    """
    language = ""
    code_blocks: list[str] = []
    prose_lines: list[str] = []
    block_lines: list[str] = []
    open_fence, is_code = "", False
    for line in text.replace("\r\n", "\n").split("\n"):
        if open_fence:
            closing = _CLOSING_FENCE.fullmatch(line)
            if closing and closing[1].startswith(open_fence):
                open_fence = ""
                if is_code:
                    code_blocks.append("\n".join(block_lines))
                    continue
            (block_lines if is_code else prose_lines).append(line)
        elif opening := _OPENING_FENCE.fullmatch(line):
            open_fence, tag = opening[1], opening[2].strip("{}.,").lower()
            tag = _LANGUAGE_BY_TAG.get(tag, tag)
            # A block in another language than the first code block's stays in the explanation.
            is_code = tag not in _NO_CODE_TAGS and tag in ("", language or tag)
            if is_code:
                language, block_lines = language or tag or "python", []
            else:
                prose_lines.append(line)
        else:
            prose_lines.append(line)
    if open_fence and is_code:
        code_blocks.append("\n".join(block_lines))
    explanation = "\n".join(prose_lines).strip("\n")
    return Answer("\n\n".join(code_blocks), explanation, language or "python")
