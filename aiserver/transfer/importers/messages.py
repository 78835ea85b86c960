"""Chats become turns: what was asked, and what was answered until the next question.

What must hold:

- A turn keeps its messages as they were in ``imported.messages``; so do the events called
  ``message`` (what stands before the first question) and ``state``.
- A question without an answer is a turn that was ``cancelled``: it is there to be seen, and is
  not told to a model again.
- The suggestion is the code of all fences in the first one's language; all else of the answer is
  explanation. An answer without a fence is explanation alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ...redact import redact

Role = Literal["user", "assistant", "other"]

_OPEN = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*")
_CLOSE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_NO_CODE = {"text", "txt", "plaintext", "output", "console", "log", "markdown", "md"}
_LANGUAGES = {"py": "python", "python3": "python", "ipython": "python", "js": "javascript"}
_USERS = {"user", "human"}
_ASSISTANTS = {"assistant", "ai", "model", "bot"}


@dataclass(frozen=True)
class Message:
    """One message, and the record that it was read from."""

    role: Role
    text: str
    raw: Any
    timestamp: str | None = None
    user: str | None = None


class Answer(NamedTuple):
    """An answer in its parts."""

    code: str
    explanation: str
    language: str


def role_of(value: Any) -> Role:
    """Whose message it is, by the name that the source uses, in whatever capitals."""
    name = str(value).lower()
    if name in _USERS:
        return "user"
    return "assistant" if name in _ASSISTANTS else "other"


def text_of(content: Any) -> str:
    """The text in a message's content: itself, or that of its parts, a line apart."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("text", ""))
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := text_of(part)))
    return ""


def items_of(messages: Iterable[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    """The turns and events that a chat makes, as data for ``session_of``."""
    items: list[dict[str, Any]] = []
    turn: list[Message] = []
    for message in messages:
        if message.role == "user" or (not turn and not items):
            items += _turn(turn, origin)
            turn = []
        if message.role == "user" or turn:
            turn.append(message)
        else:
            items.append(kept("message", [_raw(message)], origin, message.timestamp))
    return items + _turn(turn, origin)


def kept(
    type_: str, messages: Sequence[Any], origin: dict[str, Any], timestamp: str | None = None
) -> dict[str, Any]:
    """An event that holds what is no turn."""
    data = {"imported": origin | {"messages": list(messages)}}
    return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})


def _turn(messages: Sequence[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    if not messages:
        return []
    asked, *others = messages
    said = [message.text for message in others if message.role == "assistant" and message.text]
    answer = split("\n\n".join(said))
    turn: dict[str, Any] = {
        "user_request": {"intent": asked.text, "current_code": "", "language": answer.language},
        "ai_response": {
            "suggestion": answer.code,
            "explanation": answer.explanation,
            "status": "success" if said else "cancelled",
            "error": None,
        },
        "mode": "chat",
        "imported": origin | {"messages": [_raw(message) for message in messages]},
    }
    if asked.timestamp:
        turn["timestamp"] = asked.timestamp
    if asked.user:
        turn["user"] = asked.user
    return [turn]


def _raw(message: Message) -> Any:
    """Its record; what a person said in their own words has secrets of another form than code."""
    return message.raw if message.role == "assistant" else _unsaid(message.raw)


def _unsaid(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value, is_prose=True)
    if isinstance(value, list):
        return [_unsaid(item) for item in value]
    return {k: _unsaid(v) for k, v in value.items()} if isinstance(value, dict) else value


def split(text: str) -> Answer:
    """An answer in Markdown as code and explanation. A fence that is not closed ends with it."""
    language = ""
    blocks: list[str] = []
    around: list[str] = []
    block: list[str] = []
    fence, ours = "", False
    for line in text.replace("\r\n", "\n").split("\n"):
        if fence:
            closing = _CLOSE.fullmatch(line)
            if closing and closing[1].startswith(fence):
                fence = ""
                if ours:
                    blocks.append("\n".join(block))
                    continue
            (block if ours else around).append(line)
        elif opening := _OPEN.fullmatch(line):
            fence, tag = opening[1], opening[2].strip("{}.,").lower()
            tag = _LANGUAGES.get(tag, tag)
            ours = tag not in _NO_CODE and tag in ("", language or tag)
            if ours:
                language, block = language or tag or "python", []
            else:
                around.append(line)
        else:
            around.append(line)
    if fence and ours:
        blocks.append("\n".join(block))
    return Answer("\n\n".join(blocks), "\n".join(around).strip("\n"), language or "python")
