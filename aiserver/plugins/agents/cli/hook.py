"""``jupyter aiserver agents hook``: tell the server which notebook's file an agent writes.

An agent starts it before and after each use of a tool, with a description of the call in JSON on
standard input. Only calls that name an ``.ipynb`` file count.

Invariant: whatever happens, the agent's call goes on. A failure is one line on standard error.

Source: https://code.claude.com/docs/en/hooks
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from ....cli.terminal import make_safe
from ....running_servers.client import Server, ServerError
from . import LABELS
from .server_choice import NoServer, ServerChoice

_MAX_INPUT = 20_000_000  # bytes
_PATHS = ("notebook_path", "file_path", "absolute_path", "path", "filePath")
_BEFORE = ("PreToolUse", "BeforeTool")


def run(client: str) -> int:
    """Pass one call of a hook to the server; return the exit status, which is always 0."""
    try:
        call = json.loads(sys.stdin.buffer.read(_MAX_INPUT))
        path = _notebook(call) if isinstance(call, dict) else None
        if path is not None:
            server = ServerChoice().find()
            if (name := _name(path, server)) is not None:
                server.post("aiserver/agents/hook", _body(call, name, client))
    except (NoServer, ServerError, OSError, ValueError) as error:
        print(make_safe(f"AI Server hasn’t recorded this change: {error}"), file=sys.stderr)
    return 0


def _notebook(call: dict[str, Any]) -> Path | None:
    """Return the notebook's file that a call names; None if it names none."""
    given = call.get("tool_input")
    if not isinstance(given, dict):
        return None
    for key in _PATHS:
        path = given.get(key)
        if isinstance(path, str) and path.endswith(".ipynb"):
            folder = call.get("cwd")
            return Path(folder if isinstance(folder, str) else os.curdir, path)
    return None


def _name(path: Path, server: Server) -> str | None:
    """Return the path below the folder that a server serves; None if it isn't there."""
    try:
        return path.resolve().relative_to(Path(server.root_dir).resolve()).as_posix()
    except ValueError:
        return None


def _body(call: dict[str, Any], path: str, client: str) -> dict[str, str]:
    def text(*keys: str) -> str:
        values = (call.get(key) for key in keys)
        return next((value[:256] for value in values if isinstance(value, str)), "")

    is_before = text("hook_event_name") in _BEFORE
    return {
        "path": path,
        "phase": "before" if is_before else "after",
        "agent": LABELS[client],
        "session": text("session_id"),
        "tool": text("tool_name"),
        "call": text("tool_use_id"),
    }
