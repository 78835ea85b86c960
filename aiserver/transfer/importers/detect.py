"""Which format a file is in, by what it holds. A file's name is only the last hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import InvalidRequest
from . import agentscope, archive, chat, nanobot, ours, pcai, verdant
from .base import Importer, NotUnderstood, Read, Source, decoded, loads
from .lines import lines_of

FORMATS: dict[str, Importer] = {
    nanobot.FORMAT: nanobot.read,
    agentscope.FORMAT: agentscope.read,
    pcai.FORMAT: pcai.read,
    chat.FORMAT: chat.read,
    verdant.FORMAT: verdant.read,
    ours.FORMAT: ours.read,
    archive.FORMAT: archive.read,
}
_UNKNOWN = "unknown format"


def read(source: Source, format_: str | None = None) -> Read:
    """What a source holds. Raises NotUnderstood."""
    name = format_ or detected(source)
    try:
        return FORMATS[name](source)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, InvalidRequest) as exc:
        if isinstance(exc, NotUnderstood):
            raise
        # Somebody else's file may have any shape: it must not hold up the others.
        raise NotUnderstood(f"not a complete “{name}” file") from exc


def detected(source: Source) -> str:
    """The name of a source's format. Raises NotUnderstood if it has none."""
    if source.data.startswith(archive.MAGIC):
        return archive.FORMAT
    if source.path.suffix == ".jsonl":
        return _of_lines(source)
    try:
        content = loads(decoded(source.data))
    except NotUnderstood:
        return _of_lines(source, otherwise=True)
    found = next((name for name, fits in _TESTS.items() if fits(content)), None)
    if found is None and (source.agentscope or agentscope.has_messages(content)):
        return agentscope.FORMAT
    if found is None:
        notebook = isinstance(content, dict) and "nbformat" in content
        raise NotUnderstood("this is a notebook, not a history" if notebook else _UNKNOWN)
    return found


def is_agentscope_list(data: bytes) -> bool:
    """Whether these are messages that AgentScope has put into a session's folder."""
    lines, _ = lines_of(data)
    return bool(lines) and "_type" not in lines[0] and agentscope.has_messages(lines)


def _of_lines(source: Source, *, otherwise: bool = False) -> str:
    lines, _ = lines_of(source.data)
    if not lines or (otherwise and len(lines) < 2 and "_type" not in lines[0]):
        raise NotUnderstood("not valid or complete JSON")
    if any("_type" in line for line in lines):
        return nanobot.FORMAT
    if any({"seq", "type", "timestamp", "data"} <= line.keys() for line in lines):
        return ours.FORMAT
    if any({"notebook_id", "cell_id"} <= line.keys() for line in lines):
        raise NotUnderstood("exported as JSONL, which can't be imported; export it as JSON")
    if agentscope.has_messages(lines):
        return agentscope.FORMAT
    raise NotUnderstood(_UNKNOWN)


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
        isinstance(one, dict) and {"sender", "body"} <= one.keys() for one in messages
    )


def _is_pcai(content: Any) -> bool:
    names = pcai.plain_names(content)
    return {"id", "messages"} <= names.keys() and isinstance(names["messages"], list)


_TESTS: dict[str, Callable[[Any], bool]] = {
    ours.FORMAT: _is_ours,
    verdant.FORMAT: _is_verdant,
    chat.FORMAT: _is_chat,
    pcai.FORMAT: _is_pcai,
}
