"""Convert chats to turns: a question, and the answers until the next question.

Invariants:

- A turn stores its original messages in ``imported.messages``; so do the events ``message`` (for
  messages before the first question) and ``state``.
- A question without an answer becomes a ``cancelled`` turn, which is shown but not sent to models.
- The suggestion is the code of all fences in the first fence's language; the rest of the answer is
  the explanation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ...redact import redact
from .base import to_timestamp

Role = Literal["user", "assistant", "other"]

_OPEN = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*")
_CLOSE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_NO_CODE = {"text", "txt", "plaintext", "output", "console", "log", "markdown", "md"}
_LANGUAGES = {"py": "python", "python3": "python", "ipython": "python", "js": "javascript"}
_USERS = {"user", "human"}
_ASSISTANTS = {"assistant", "ai", "model", "bot"}


@dataclass(frozen=True)
class Message:
    """A message and its original record."""

    role: Role
    text: str
    raw: Any
    timestamp: str | None = None
    user: str | None = None


class Answer(NamedTuple):
    """The parts of an answer."""

    code: str
    explanation: str
    language: str


def message_of(raw: dict[str, Any], fields: dict[str, Any] | None = None) -> Message:
    """Convert a record with ``role``, ``content`` and ``timestamp``, or with these ``fields``."""
    fields = raw if fields is None else fields
    return Message(
        role=_role(fields.get("role")),
        text=_text(fields.get("content")),
        raw=raw,
        timestamp=to_timestamp(fields.get("timestamp")),
    )


def _role(value: Any) -> Role:
    """Map a source's name of a role, in any case."""
    name = str(value).lower()
    if name in _USERS:
        return "user"
    return "assistant" if name in _ASSISTANTS else "other"


def _text(content: Any) -> str:
    """Return the text of a message's content; parts are joined by line breaks."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _text(content.get("text", ""))
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := _text(part)))
    return ""


def objects_in(messages: Iterable[Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the messages that are JSON objects, and a problem for each other one."""
    numbered = list(enumerate(messages, 1))
    objects = [raw for _, raw in numbered if isinstance(raw, dict)]
    problems = [
        f"message {number}: not a JSON object"
        for number, raw in numbered
        if not isinstance(raw, dict)
    ]
    return objects, problems


def records_from(messages: Iterable[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert a chat to turns and events, as data for ``create_session``."""
    items: list[dict[str, Any]] = []
    turn: list[Message] = []
    for message in messages:
        if message.role == "user" or (not turn and not items):
            items += _turn(turn, origin)
            turn = []
        if message.role == "user" or turn:
            turn.append(message)
        else:
            items.append(message_event("message", [_raw(message)], origin, message.timestamp))
    return items + _turn(turn, origin)


def message_event(
    type_: str, messages: Sequence[Any], origin: dict[str, Any], timestamp: str | None = None
) -> dict[str, Any]:
    """Return an event that stores messages outside of turns."""
    data = {"imported": origin | {"messages": list(messages)}}
    return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})


def _turn(messages: Sequence[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    if not messages:
        return []
    question, *others = messages
    answers = [message.text for message in others if message.role == "assistant" and message.text]
    answer = split("\n\n".join(answers))
    turn: dict[str, Any] = {
        "user_request": {"intent": question.text, "current_code": "", "language": answer.language},
        "ai_response": {
            "suggestion": answer.code,
            "explanation": answer.explanation,
            "status": "success" if answers else "cancelled",
            "error": None,
        },
        "mode": "chat",
        "imported": origin | {"messages": [_raw(message) for message in messages]},
    }
    if question.timestamp:
        turn["timestamp"] = question.timestamp
    if question.user:
        turn["user"] = question.user
    return [turn]


def _raw(message: Message) -> Any:
    """Return the original record; a person's text is redacted as prose, not as code."""
    return message.raw if message.role == "assistant" else _redact_prose(message.raw)


def _redact_prose(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value, is_prose=True)
    if isinstance(value, list):
        return [_redact_prose(item) for item in value]
    return {k: _redact_prose(v) for k, v in value.items()} if isinstance(value, dict) else value


def split(text: str) -> Answer:
    """Split an answer in Markdown. An unclosed fence extends to the end."""
    language = ""
    blocks: list[str] = []
    prose: list[str] = []
    block: list[str] = []
    fence, is_code = "", False
    for line in text.replace("\r\n", "\n").split("\n"):
        if fence:
            closing = _CLOSE.fullmatch(line)
            if closing and closing[1].startswith(fence):
                fence = ""
                if is_code:
                    blocks.append("\n".join(block))
                    continue
            (block if is_code else prose).append(line)
        elif opening := _OPEN.fullmatch(line):
            fence, tag = opening[1], opening[2].strip("{}.,").lower()
            tag = _LANGUAGES.get(tag, tag)
            is_code = tag not in _NO_CODE and tag in ("", language or tag)
            if is_code:
                language, block = language or tag or "python", []
            else:
                prose.append(line)
        else:
            prose.append(line)
    if fence and is_code:
        blocks.append("\n".join(block))
    return Answer("\n\n".join(blocks), "\n".join(prose).strip("\n"), language or "python")
