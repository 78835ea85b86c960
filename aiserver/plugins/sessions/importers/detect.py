"""Detect a file's format, mainly from its content, and read the file with the format's importer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import agentscope, aiserver_files, chat, nanobot, pcai, verdant
from .base import Importer, InputFile, ReadResult, UnreadableInput, load_json, objects_in_lines

FORMATS: dict[str, Importer] = {
    nanobot.FORMAT: nanobot.read,
    agentscope.FORMAT: agentscope.read,
    pcai.FORMAT: pcai.read,
    chat.FORMAT: chat.read,
    verdant.FORMAT: verdant.read,
    aiserver_files.FORMAT: aiserver_files.read,
}
_UNKNOWN_FORMAT = "unknown format"


def read(file: InputFile, format_: str | None = None) -> ReadResult:
    """Read a file in a format, or in the one that is detected. Raises UnreadableInput."""
    name = format_ or detect_format(file)
    try:
        return FORMATS[name](file)
    except UnreadableInput:
        raise
    except Exception as exc:  # a malformed file must not stop the import of other files
        raise UnreadableInput(f"not a complete “{name}” file") from exc


def detect_format(file: InputFile) -> str:
    """Return the name of a file's format. Raises UnreadableInput."""
    if file.path.suffix == ".jsonl":
        return _detect_line_format(file)
    try:
        content = load_json(file.data)
    except UnreadableInput:  # the file may be a JSON Lines file with a different suffix
        return _detect_line_format(file, is_fallback=True)
    format_ = next((name for name, matches in _JSON_FORMATS.items() if matches(content)), None)
    if format_ is None and (file.is_in_agentscope_folder or agentscope.has_messages(content)):
        return agentscope.FORMAT
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
    """Return the name of a JSON Lines file's format. Raises UnreadableInput.

    A file that isn't called ``.jsonl`` must have two readable lines, or one with ``_type``: a
    damaged JSON file may contain one readable line.
    """
    lines, _ = objects_in_lines(file.data)
    if not lines or (is_fallback and len(lines) < 2 and "_type" not in lines[0]):
        raise UnreadableInput("not valid or complete JSON")
    if any("_type" in line for line in lines):
        return nanobot.FORMAT
    if any({"seq", "type", "timestamp", "data"} <= line.keys() for line in lines):
        return aiserver_files.FORMAT
    if any({"notebook_id", "cell_id"} <= line.keys() for line in lines):
        raise UnreadableInput("exported as JSONL, which can't be imported; export it as JSON")
    if agentscope.has_messages(lines):
        return agentscope.FORMAT
    raise UnreadableInput(_UNKNOWN_FORMAT)


def _is_aiserver_session(content: Any) -> bool:
    if not isinstance(content, dict) or "interactions" not in content:
        return False
    return "meta" in content or {"notebook_id", "cell_id"} <= content.keys()


def _is_verdant(content: Any) -> bool:
    return isinstance(content, dict) and {"checkpoints", "codeCells"} <= content.keys()


def _is_chat(content: Any) -> bool:
    if not isinstance(content, dict) or not isinstance(content.get("messages"), list):
        return False
    messages = content["messages"]
    return ("users" in content and "attachments" in content) or any(
        isinstance(message, dict) and {"sender", "body"} <= message.keys() for message in messages
    )


def _is_pcai(content: Any) -> bool:
    names = pcai.normalize_names(content)
    return {"id", "messages"} <= names.keys() and isinstance(names["messages"], list)


# The formats that `detect_format` tries before AgentScope's, in this order. Each function returns
# whether the content of a JSON file has the format.
_JSON_FORMATS: dict[str, Callable[[Any], bool]] = {
    aiserver_files.FORMAT: _is_aiserver_session,
    verdant.FORMAT: _is_verdant,
    chat.FORMAT: _is_chat,
    pcai.FORMAT: _is_pcai,
}
