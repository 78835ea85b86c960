"""Import chats: those of nanobot, PCAI and jupyter-ai. A chat becomes one session.

A person's message is a question, which becomes a turn with all messages until the next one.
Messages before the first question become events ``message``. Other data, such as an agent's memory,
becomes an event ``state``.

Invariants:

- Each turn and event stores its original data, redacted, in ``imported.messages``.
- A question without an answer becomes a ``cancelled`` turn, which isn't sent to models.
- An answer is read like that of a model for a cell in the language of its first block of code.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ....models import Session
from ....prompts.answers.code import language_of
from ....prompts.answers.reader import Answer, read_answer
from ....prompts.answers.thoughts import split_thoughts, stored_thoughts
from ....prompts.language import cell_language
from ....redact import redact
from .base import (
    InputFile,
    ReadResult,
    UnreadableInput,
    create_session,
    derive_id,
    load_json,
    normalize_names,
    objects_in_lines,
    to_timestamp,
)

Role = Literal["user", "assistant", "other"]

_PERSONA_PREFIX = "jupyter-ai-personas::"  # begins the ids of jupyter-ai's assistants
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


def read_nanobot(file: InputFile) -> ReadResult:
    """Convert JSON Lines with a line of metadata and a line for each message.

    Other lines become events ``state``. The key of a session, such as ``telegram:42``, is in the
    metadata of newer files. The name of an older file is the key in base64, that of an even older
    one is like ``telegram_42``, and used unchanged. The terminal's session has the same key in each
    workspace, so it is also identified by its beginning.
    """
    lines, problems = objects_in_lines(file.data)
    metadata = next((line for line in lines if line.get("_type") == "metadata"), {})
    origin = {"format": "nanobot", "name": str(metadata.get("key") or _key_from(file.path.stem))}
    messages = [message_of(line) for line in lines if "role" in line]
    others = [line for line in lines if "role" not in line and line.get("_type") != "metadata"]
    if not (messages or others or problems or metadata):
        raise UnreadableInput("no messages found")
    if not (messages or others):
        return ReadResult(unreadable=problems)
    records = records_from(messages, origin)
    records += [message_event("state", [line], origin) for line in others]
    created = to_timestamp(metadata.get("created_at"))
    began = metadata.get("created_at")
    begin = {"began": str(began)} if began and origin["name"].startswith("cli:") else {}
    session = _session(records, origin | begin, origin | {"metadata": metadata}, created)
    return ReadResult([session], unreadable=problems)


def _key_from(stem: str) -> str:
    try:
        key = base64.urlsafe_b64decode(stem + "=" * (-len(stem) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return stem
    return key if ":" in key and key.isprintable() else stem


def read_pcai(file: InputFile) -> ReadResult:
    """Convert a JSON object with ``id``, ``messages`` and ``last_update`` (or ``lastUpdate``).

    Messages have no times; they get that of the last update, which changes.
    """
    content = normalize_names(load_json(file.data))
    messages = content.get("messages")
    if not isinstance(messages, list):
        raise UnreadableInput("no messages found")
    origin = {"format": "pcai", "name": str(content.get("id") or file.path.stem)}
    raws, problems = _objects_in(messages)
    session_time = to_timestamp(content.get("lastupdate"))
    parsed = (message_of(raw, normalize_names(raw)) for raw in raws)
    timed = (replace(each, timestamp=each.timestamp or session_time) for each in parsed)
    records = records_from(timed, origin)
    created = to_timestamp(content.get("createdat"))
    sessions = [_session(records, origin, origin, created)] if records else []
    return ReadResult(sessions, unreadable=problems, has_times=False)


def read_jupyter_ai(file: InputFile) -> ReadResult:
    """Convert a ``.chat`` file of jupyterlab-chat.

    A chat has no id, and its file may be renamed. So ids are derived from the id of its first
    message or, without one, from the file's name. A turn must not contain this name, because
    existing turns are recognised by their content.
    """
    content = load_json(file.data)
    if not isinstance(content, dict) or not isinstance(content.get("messages"), list):
        raise UnreadableInput("not a JupyterLab chat")
    raws, problems = _objects_in(content["messages"])
    if not raws:
        return ReadResult(unreadable=problems)
    users = content.get("users")
    users = users if isinstance(users, dict) else {}
    turn_origin = {"format": "chat", "name": str(raws[0].get("id") or file.path.stem)}
    records = records_from((_chat_message(raw, users) for raw in raws), turn_origin)
    origin = {"format": "chat", "name": file.path.stem, "users": users}
    return ReadResult([_session(records, turn_origin, origin)], unreadable=problems)


def _chat_message(raw: dict[str, Any], users: dict[str, Any]) -> Message:
    sender = str(raw.get("sender") or "")
    profile = users.get(sender)
    has_bot_profile = isinstance(profile, dict) and profile.get("bot") is True
    is_bot = has_bot_profile or sender.startswith(_PERSONA_PREFIX)
    role: Role = "assistant" if is_bot else "user"
    if raw.get("deleted"):  # jupyterlab-chat keeps deleted messages, but empties them
        role = "other"
    body = raw.get("body")
    return Message(
        role=role,
        text=body if isinstance(body, str) else "",
        raw=raw,
        timestamp=to_timestamp(raw.get("time")),
        user=None if is_bot else sender or None,
    )


def _session(
    records: list[dict[str, Any]],
    ids: dict[str, str],
    origin: dict[str, Any],
    created: str | None = None,
) -> Session:
    """Create a chat's session; ``ids`` identify the chat."""
    names = tuple(ids.values())
    return create_session(
        derive_id(*names), derive_id(*names, "messages"), records, origin=origin, created=created
    )


def message_of(raw: dict[str, Any], fields: dict[str, Any] | None = None) -> Message:
    """Convert a message with ``role``, ``content`` and ``timestamp``.

    ``fields`` has these values if ``raw`` uses other names.
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


def _objects_in(messages: Sequence[Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the objects, and an error text for each other message."""
    objects = [raw for raw in messages if isinstance(raw, dict)]
    problems = [
        f"message {number}: not a JSON object"
        for number, raw in enumerate(messages, 1)
        if not isinstance(raw, dict)
    ]
    return objects, problems


def records_from(messages: Iterable[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert messages to the data of turns and events, for ``create_session``.

    ``origin``, the format and the chat, is stored in each record.
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
    """Return an event ``message`` or ``state``."""
    data = {"imported": origin | {"messages": list(messages)}}
    return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})


def _turn_from(messages: Sequence[Message], origin: dict[str, Any]) -> list[dict[str, Any]]:
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
    """Redact a message as prose, unless an assistant wrote it.

    This finds more secrets, but could damage an assistant's code. Later, ``create_session`` redacts
    all messages as code.
    """
    return message.raw if message.role == "assistant" else _redact_prose(message.raw)


def _redact_prose(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value, is_prose=True)
    if isinstance(value, list):
        return [_redact_prose(item) for item in value]
    return {k: _redact_prose(v) for k, v in value.items()} if isinstance(value, dict) else value


def split_answer(text: str) -> tuple[Answer, str]:
    """Read an answer in Markdown; return also the language of its code."""
    language = language_of(split_thoughts(text)[1])
    return read_answer(text, cell_language(language)), language
