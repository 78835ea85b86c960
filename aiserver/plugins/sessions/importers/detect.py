"""Detect a file's format, mainly from its content, and read it."""

from __future__ import annotations

from typing import Any

from ....errors import SessionTooNew
from ....models import Session
from ....redact import redact_json
from ....sessions.record import codec
from ....sessions.record.codec import DamagedData
from ....sessions.record.filenames import decode
from ....sessions.record.mutations import check_writable, number_turn
from ....sessions.record.recovery import parse_with_duplicate_keys
from . import agentscope, chats, verdant
from .base import (
    Importer,
    InputFile,
    ReadResult,
    UnreadableInput,
    load_json,
    normalize_names,
    objects_in_lines,
)

_UNKNOWN_FORMAT = "unknown format"


def read(file: InputFile, format_: str | None = None) -> ReadResult:
    """Read a file in a given or detected format. Raises UnreadableInput."""
    name = format_ or detect_format(file)
    try:
        return _FORMATS[name](file)
    except UnreadableInput:
        raise
    except Exception as exc:  # other files are still imported
        raise UnreadableInput(f"not a complete “{name}” file") from exc


def detect_format(file: InputFile) -> str:
    """Return the name of a file's format. Raises UnreadableInput."""
    if file.path.suffix == ".jsonl":
        return _detect_line_format(file)
    try:
        content = load_json(file.data)
    except UnreadableInput:  # it may be JSON Lines with another suffix
        return _detect_line_format(file, is_fallback=True)
    format_ = _json_format(content)
    if format_ is None and (file.is_in_agentscope_folder or agentscope.has_messages(content)):
        return "agentscope"
    if format_ is None:
        is_notebook = isinstance(content, dict) and "nbformat" in content
        reason = "this is a notebook, not a history" if is_notebook else _UNKNOWN_FORMAT
        raise UnreadableInput(reason)
    return format_


def is_agentscope_list(data: bytes) -> bool:
    """Return whether JSON Lines contain AgentScope's messages."""
    lines, _ = objects_in_lines(data)
    return bool(lines) and "_type" not in lines[0] and agentscope.has_messages(lines)


def _detect_line_format(file: InputFile, *, is_fallback: bool = False) -> str:
    """Return the format of a JSON Lines file. Raises UnreadableInput.

    A file that isn't called ``.jsonl`` must have two readable lines, or one with ``_type``: damaged
    JSON may have one.
    """
    lines, _ = objects_in_lines(file.data)
    if not lines or (is_fallback and len(lines) < 2 and "_type" not in lines[0]):
        raise UnreadableInput("not valid or complete JSON")
    if any("_type" in line for line in lines):
        return "nanobot"
    if any({"seq", "type", "timestamp", "data"} <= line.keys() for line in lines):
        return "aiserver"
    if any({"notebook_id", "cell_id"} <= line.keys() for line in lines):
        raise UnreadableInput("exported as JSONL, which can't be imported; export it as JSON")
    if agentscope.has_messages(lines):
        return "agentscope"
    raise UnreadableInput(_UNKNOWN_FORMAT)


def _json_format(content: Any) -> str | None:
    """Return the format by the names in JSON; None if it can only be AgentScope's."""
    if not isinstance(content, dict):
        return None
    names = content.keys()
    if "interactions" in names and ("meta" in names or {"notebook_id", "cell_id"} <= names):
        return "aiserver"
    if {"checkpoints", "codeCells"} <= names:
        return "verdant"
    messages = content.get("messages")
    raws = [raw for raw in messages if isinstance(raw, dict)] if isinstance(messages, list) else []
    if any({"sender", "body"} <= raw.keys() for raw in raws):
        return "chat"
    if isinstance(messages, list) and {"users", "attachments"} <= names:
        return "chat"
    normalized = normalize_names(content)
    is_pcai = "id" in normalized and isinstance(normalized.get("messages"), list)
    return "pcai" if is_pcai else None


def _read_aiserver(file: InputFile) -> ReadResult:
    """Read a session or a change log unchanged.

    Only a legacy file, which has no ``meta``, is redacted: its secrets weren't.
    """
    if file.path.suffix == ".jsonl":
        return _read_log(file)
    try:
        session = parse_with_duplicate_keys(file.data)
        check_writable(session)
    except DamagedData as exc:
        raise UnreadableInput("not an AI Server session, or damaged") from exc
    except SessionTooNew as exc:
        raise UnreadableInput(
            "written by a newer version of AI Server; update AI Server first"
        ) from exc
    content = load_json(file.data)
    if isinstance(content, dict) and "meta" not in content:
        session = _redact_secrets(session)
    return ReadResult([session])


def _read_log(file: InputFile) -> ReadResult:
    entries, damaged_count = codec.parse_log(file.data)
    if not entries:
        raise UnreadableInput("nothing to import")
    problem = f"{damaged_count} lines of this notebook's log are damaged."
    # The name is the notebook id, then perhaps ``_`` and a hash of the owner.
    encoded_id = file.path.stem.split("_")[0]
    logs = {("", decode(encoded_id)): entries}
    return ReadResult(logs=logs, unreadable=[problem] if damaged_count else [])


def _redact_secrets(session: Session) -> Session:
    # `number_turn` also redacts. A turn without a seq gets its position as seq.
    session.interactions = [
        number_turn(turn, turn.turn_id, turn.seq or number)
        for number, turn in enumerate(session.interactions, 1)
    ]
    if session.events:
        events = [redact_json(codec.to_dict(event)) for event in session.events]
        session.events = [type(session.events[0]).model_validate(event) for event in events]
    return session


_FORMATS: dict[str, Importer] = {
    "nanobot": chats.read_nanobot,
    "agentscope": agentscope.read,
    "pcai": chats.read_pcai,
    "chat": chats.read_jupyter_ai,
    "verdant": verdant.read,
    "aiserver": _read_aiserver,
}
