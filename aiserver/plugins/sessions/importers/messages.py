"""Convert the messages of a chat to turns and events.

A message of a person is a question. A question and all messages until the next question become a
turn. Each message before the first question becomes an event of the type ``message``. For data of a
chat that isn't a message, such as an agent's memory, importers use events of the type ``state``.

Invariants:

- Each turn, and each event of these two types, stores its original data in ``imported.messages``.
  Only the secrets in this data are redacted.
- A question without an answer becomes a ``cancelled`` turn, which is shown but not sent to models.
- An answer is read like a model's answer for a cell in the language of its first block of code. A
  block with a tag such as ``text`` or ``output`` doesn't count as code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ....prompts.answers.code import language_of
from ....prompts.answers.reader import Answer, read_answer
from ....prompts.answers.thoughts import split_thoughts, stored_thoughts
from ....prompts.language import cell_language
from ....redact import redact
from .base import to_timestamp

Role = Literal["user", "assistant", "other"]

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


def message_of(raw: dict[str, Any], fields: dict[str, Any] | None = None) -> Message:
    """Convert a message that has ``role``, ``content`` and ``timestamp``.

    If ``raw`` has other names for them, ``fields`` contains their values under these names.
    """
    fields = raw if fields is None else fields
    return Message(
        role=_to_role(fields.get("role")),
        text=_text_of(fields.get("content")),
        raw=raw,
        timestamp=to_timestamp(fields.get("timestamp")),
    )


def _to_role(value: Any) -> Role:
    name = str(value).lower()
    if name in _USER_ROLES:
        return "user"
    return "assistant" if name in _ASSISTANT_ROLES else "other"


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _text_of(content.get("text", ""))
    if isinstance(content, list):
        return "\n".join(text for block in content if (text := _text_of(block)))
    return ""


def objects_in(messages: Sequence[Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the messages that are JSON objects, and an error text for each other one."""
    objects = [raw for raw in messages if isinstance(raw, dict)]
    problems = [
        f"message {number}: not a JSON object"
        for number, raw in enumerate(messages, 1)
        if not isinstance(raw, dict)
    ]
    return objects, problems


def records_from(messages: Iterable[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert messages to the data of turns and events, for ``create_session``.

    ``origin``, the names of the format and of the chat, is stored in each record.
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
    """Return an event, ``message`` or ``state``, for data outside all turns."""
    data = {"imported": origin | {"messages": list(messages)}}
    return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})


def _turn_from(messages: Sequence[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert a question and the messages that follow it to a turn."""
    if not messages:
        return []
    question, *following = messages
    answers = [
        message.text for message in following if message.role == "assistant" and message.text
    ]
    answer, language = split_answer("\n\n".join(answers))
    turn: dict[str, Any] = {
        "user_request": {"intent": question.text, "current_code": "", "language": language},
        "ai_response": {
            "suggestion": answer.code,
            "explanation": answer.explanation,
            "status": "success" if answers else "cancelled",
            "error": None,
        },
        "mode": "chat",
        "imported": origin | {"messages": [_redacted_raw(message) for message in messages]},
    }
    if answer.thoughts:
        turn["ai_response"]["thoughts"] = stored_thoughts(answer.thoughts)
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


def split_answer(text: str) -> tuple[Answer, str]:
    """Read an answer in Markdown. Return it with the language of its code."""
    language = language_of(split_thoughts(text)[1])
    return read_answer(text, cell_language(language)), language
