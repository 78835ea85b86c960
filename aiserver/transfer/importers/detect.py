"""Detect a file's format from its content; its name is only a hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import InvalidRequest
from . import agentscope, chat, nanobot, ours, pcai, verdant
from .base import Importer, Read, Source, UnreadableSource, load_json
from .lines import lines_of

FORMATS: dict[str, Importer] = {
    nanobot.FORMAT: nanobot.read,
    agentscope.FORMAT: agentscope.read,
    pcai.FORMAT: pcai.read,
    chat.FORMAT: chat.read,
    verdant.FORMAT: verdant.read,
    ours.FORMAT: ours.read,
}
_UNKNOWN = "unknown format"


def read(source: Source, format_: str | None = None) -> Read:
    """Read a source. Raises UnreadableSource."""
    name = format_ or detect_format(source)
    try:
        return FORMATS[name](source)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, InvalidRequest) as exc:
        if isinstance(exc, UnreadableSource):
            raise
        # A malformed file must not stop the import of others.
        raise UnreadableSource(f"not a complete “{name}” file") from exc


def detect_format(source: Source) -> str:
    """Return the name of a source's format. Raises UnreadableSource."""
    if source.path.suffix == ".jsonl":
        return _detect_lines(source)
    try:
        content = load_json(source.data)
    except UnreadableSource:
        return _detect_lines(source, is_fallback=True)
    format_ = next((name for name, matches in _TESTS.items() if matches(content)), None)
    if format_ is None and (source.agentscope or agentscope.has_messages(content)):
        return agentscope.FORMAT
    if format_ is None:
        notebook = isinstance(content, dict) and "nbformat" in content
        raise UnreadableSource("this is a notebook, not a history" if notebook else _UNKNOWN)
    return format_


def is_agentscope_list(data: bytes) -> bool:
    """Return whether these are messages from a session folder of AgentScope."""
    lines, _ = lines_of(data)
    return bool(lines) and "_type" not in lines[0] and agentscope.has_messages(lines)


def _detect_lines(source: Source, *, is_fallback: bool = False) -> str:
    lines, _ = lines_of(source.data)
    if not lines or (is_fallback and len(lines) < 2 and "_type" not in lines[0]):
        raise UnreadableSource("not valid or complete JSON")
    if any("_type" in line for line in lines):
        return nanobot.FORMAT
    if any({"seq", "type", "timestamp", "data"} <= line.keys() for line in lines):
        return ours.FORMAT
    if any({"notebook_id", "cell_id"} <= line.keys() for line in lines):
        raise UnreadableSource("exported as JSONL, which can't be imported; export it as JSON")
    if agentscope.has_messages(lines):
        return agentscope.FORMAT
    raise UnreadableSource(_UNKNOWN)


def _is_ours(content: Any) -> bool:
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


_TESTS: dict[str, Callable[[Any], bool]] = {
    ours.FORMAT: _is_ours,
    verdant.FORMAT: _is_verdant,
    chat.FORMAT: _is_chat,
    pcai.FORMAT: _is_pcai,
}
