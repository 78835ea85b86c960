"""The agents that can be connected, and where each keeps its settings and skills.

Sources, read in November 2026: https://code.claude.com/docs/en/mcp,
https://developers.openai.com/codex/mcp, https://geminicli.com/docs/tools/mcp-server,
https://opencode.ai/docs/mcp-servers, https://block.github.io/goose/docs/guides/config-files
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .config_formats import Entry, Format
from .json_config import JSONConfig
from .toml_config import TOMLConfig
from .yaml_config import YAMLConfig


@dataclass(frozen=True)
class Place:
    """The file with the settings of a client, and the folder of its skills.

    ``root`` is the project that contains both; None for the settings of the person.
    """

    file: Path
    skills: Path
    root: Path | None


@dataclass(frozen=True)
class Client:
    """An agent that can be connected."""

    label: str
    format: Format
    entry: Callable[[list[str]], Entry]
    """Returns the entry that starts a command."""
    user: Callable[[], tuple[Path, Path]]
    """Returns the person's file and folder of skills."""
    project: tuple[str, str] | None
    """The same in a project; None if the client has none there."""
    approval: str = ""
    """What the client asks in a project, as a sentence."""

    def place(self, folder: Path, *, is_user: bool) -> Place:
        """Return the place in a project, or the person's."""
        if is_user or self.project is None:
            return Place(*self.user(), None)
        file, skills = self.project
        return Place(folder / file, folder / skills, folder)


def _claude() -> tuple[Path, Path]:
    if folder := os.environ.get("CLAUDE_CONFIG_DIR"):
        return Path(folder, ".claude.json"), Path(folder, "skills")
    return Path.home() / ".claude.json", Path.home() / ".claude/skills"


def _codex() -> tuple[Path, Path]:
    folder = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    return folder / "config.toml", Path.home() / ".agents/skills"


def _gemini() -> tuple[Path, Path]:
    folder = Path(os.environ.get("GEMINI_CLI_HOME") or Path.home()) / ".gemini"
    return folder / "settings.json", folder / "skills"


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _opencode() -> tuple[Path, Path]:
    folder = _config_home() / "opencode"
    return folder / "opencode.json", folder / "skills"


def _goose() -> tuple[Path, Path]:
    folder = _config_home() / "goose"
    skills = folder / "skills"
    if sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA", ""), "Block", "goose", "config")
    return folder / "config.yaml", skills


def _claude_entry(command: list[str]) -> Entry:
    return {"type": "stdio", "command": command[0], "args": command[1:]}


def _plain_entry(command: list[str]) -> Entry:
    return {"command": command[0], "args": command[1:]}


def _opencode_entry(command: list[str]) -> Entry:
    return {"type": "local", "command": command, "enabled": True}


def _goose_entry(command: list[str]) -> Entry:
    return {
        "enabled": True,
        "type": "stdio",
        "name": "aiserver",
        "description": "Reads and edits notebooks that are open in JupyterLab",
        "cmd": command[0],
        "args": command[1:],
        "envs": {},
        "timeout": 300,  # seconds
    }


_SERVERS = JSONConfig("mcpServers")

CLIENTS = {
    "claude": Client(
        "Claude Code",
        _SERVERS,
        _claude_entry,
        _claude,
        (".mcp.json", ".claude/skills"),
        "It asks once whether you allow the server “aiserver”.",
    ),
    "codex": Client("Codex", TOMLConfig(), _plain_entry, _codex, None),
    "gemini": Client(
        "Gemini CLI",
        _SERVERS,
        _plain_entry,
        _gemini,
        (".gemini/settings.json", ".gemini/skills"),
        "It starts no servers until you trust this folder.",
    ),
    "opencode": Client(
        "opencode",
        JSONConfig("mcp"),
        _opencode_entry,
        _opencode,
        ("opencode.json", ".opencode/skills"),
    ),
    "goose": Client("Goose", YAMLConfig(), _goose_entry, _goose, None),
}
"""The clients by the names that the command line uses."""
