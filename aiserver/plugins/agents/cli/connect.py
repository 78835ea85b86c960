"""Connect agents, so that they start ``jupyter aiserver mcp``.

The agents' own programs edit their settings. Where that isn't possible, a file that doesn't exist
yet is written in a project; otherwise, the error says what to add or remove by hand. ``hooks`` are
the settings of Claude Code by which its own writes are recorded.

Sources: the programs' help, https://opencode.ai/docs/mcp-servers,
https://block.github.io/goose/docs/guides/config-files, https://code.claude.com/docs/en/hooks, read
in November 2026
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

from ....cli.terminal import make_safe
from ....errors import SettingError
from . import LABELS
from .server_choice import NoServer, ServerChoice, without_secrets

_ENTRY = re.compile(r"(?i)jupyter-aiserver(\.exe)?[^\w:{}]+(args\W+)?mcp\b")  # in each format
_HOOKS = re.compile(r"aiserver\S* agents hook claude\b")
_GOOSE = ("", "XDG_CONFIG_HOME", ".config", "goose/config.yaml")
if sys.platform == "win32":
    _GOOSE = ("", "APPDATA", "AppData/Roaming", "Block/goose/config/config.yaml")
# The file in a project, if there is one; then the person's: the variable that names its folder,
# the folder in the home if the variable isn't set, and the path in it.
_FILES = {
    "claude": (".mcp.json", "CLAUDE_CONFIG_DIR", "", ".claude.json"),
    "codex": ("", "CODEX_HOME", ".codex", "config.toml"),
    "gemini": (".gemini/settings.json", "GEMINI_CLI_HOME", "", ".gemini/settings.json"),
    "opencode": ("opencode.json", "XDG_CONFIG_HOME", ".config", "opencode/opencode.json"),
    "goose": _GOOSE,
    "hooks": (".claude/settings.json", "CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
}


class Connection:
    """The settings of an agent in this folder or, also if it has none there, of the person."""

    def __init__(self, name: str, is_user: bool) -> None:
        self._name, self.label = name, LABELS.get(name, "")
        project_file, variable, default, path = _FILES[name]
        self.is_user = is_user or not project_file
        self.scope = "all of your projects" if self.is_user else "this project"
        folder = Path(os.environ.get(variable) or Path.home() / default)
        self._file = folder / path if self.is_user else Path.cwd() / project_file
        if (with_comments := self._file.with_suffix(".jsonc")).is_file():  # opencode's
            self._file = with_comments
        base, prefix = (Path.home(), "~/") if self.is_user else (Path.cwd(), "")
        self.file = make_safe(str(self._file).replace(f"{base}{os.sep}", prefix, 1))

    @property
    def state(self) -> str:
        """Return the state in words; empty if the agent isn't connected."""
        try:
            text = self._file.read_text("utf-8", errors="replace")
        except OSError:
            return ""
        if not (_HOOKS if self._name == "hooks" else _ENTRY).search(text):
            return ""
        is_own = bridge_program() in text or json.dumps(bridge_program())[1:-1] in text
        return "connected" if is_own else "connected to another installation"

    def run(self, verb: str) -> str:
        """Let the agent's program ``add`` or ``remove`` the entry; return its output."""
        program = shutil.which(self._name)
        # In a folder that isn't trusted, Gemini CLI would replace all settings of the project.
        names = ("claude", "codex", "gemini") if self.is_user else ("claude",)
        if program is None or self._name not in names:
            return ""
        scope = [] if self._name == "codex" else ["--scope", "user" if self.is_user else "project"]
        arguments = ["mcp", verb, *scope, "aiserver"]
        if verb == "add":
            arguments += [*([] if self._name == "gemini" else ["--"]), bridge_program(), "mcp"]
        try:
            done = subprocess.run(
                [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{error}\n"
        return make_safe((done.stdout + done.stderr).decode(errors="replace"))

    def write_new(self) -> None:
        """Write the file of a project that has none; no link is followed."""
        if not self.is_user and not self._file.parent.is_symlink():
            with suppress(OSError):
                self._file.parent.mkdir(exist_ok=True)
                with self._file.open("x", encoding="utf-8") as file:
                    file.write(self.entry())

    def remove_new(self) -> None:
        """Delete the file that ``write_new`` wrote, if nobody has changed it."""
        with suppress(OSError, ValueError):
            if not self.is_user and self._file.read_text("utf-8") == self.entry():
                self._file.unlink()

    def entry(self) -> str:
        """Return the text of settings that contain AI Server's entry and nothing else."""
        program = bridge_program()
        quoted = json.dumps(program)  # JSON's texts are also TOML's and YAML's
        if self._name == "hooks":
            hook = {"type": "command", "command": f"{shlex.quote(program)} agents hook claude"}
            entry = [{"matcher": "NotebookEdit|Edit|Write", "hooks": [hook]}]
            hooks = {"PreToolUse": entry, "PostToolUse": entry}
            return json.dumps({"hooks": hooks}, indent=2) + "\n"
        if self._name == "codex":
            return f'[mcp_servers.aiserver]\ncommand = {quoted}\nargs = ["mcp"]\n'
        if self._name == "goose":
            fields = ("enabled: true", "type: stdio", "name: aiserver", f"cmd: {quoted}")
            lines = "".join(f"    {line}\n" for line in (*fields, "args: [mcp]", "timeout: 300"))
            return f"extensions:\n  aiserver:\n{lines}"
        command: dict[str, object] = {"command": program, "args": ["mcp"]}
        data: dict[str, object] = {"mcpServers": {"aiserver": command}}
        if self._name == "opencode":  # which would add the schema itself
            command = {"type": "local", "command": [program, "mcp"], "enabled": True}
            data = {"$schema": "https://opencode.ai/config.json", "mcp": {"aiserver": command}}
        return json.dumps(data, indent=2) + "\n"


def connect(name: str, is_user: bool) -> int:
    """Connect an agent in this folder, or for the person. Raises SettingError."""
    connection, output = Connection(name, is_user), ""
    if connection.state != "connected":
        if connection.state:
            connection.run("remove")  # Claude Code refuses to replace an entry
        output = connection.run("add")
        connection.write_new()
    if connection.state != "connected":
        advice = f"To connect {connection.label}, add this to {connection.file}:\n\n"
        raise SettingError(output + advice + connection.entry())
    print(f"{connection.label} is connected in {connection.scope} ({connection.file}).")
    print(f"Start {connection.label} again to use the tools for notebooks.")
    if name == "claude":
        hooks = Connection("hooks", is_user)
        if not hooks.state:
            hooks.write_new()
        if hooks.state:
            print(f"Hooks in {hooks.file} record what it writes into notebooks with other tools.")
        else:
            print(f"To record what it writes with other tools, too, add this to {hooks.file}:\n")
            print(hooks.entry(), end="")
    return 0


def disconnect(name: str, is_user: bool) -> int:
    """Undo ``connect``. Raises SettingError if that must be done by hand."""
    connection = Connection(name, is_user)
    was_connected = bool(connection.state)
    output = connection.run("remove") if was_connected else ""
    connection.remove_new()
    if name == "claude":
        hooks = Connection("hooks", is_user)
        hooks.remove_new()
        if hooks.state:
            print(f"Remove the hooks with “agents hook claude” from {hooks.file}.")
    if connection.state:
        raise SettingError(f"{output}Remove the entry “aiserver” from {connection.file}.")
    adverb = "no longer" if was_connected else "not"
    print(f"{connection.label} is {adverb} connected in {connection.scope}.")
    if not connection.is_user and Connection(name, is_user=True).state:
        print(f"It is in all of your projects: jupyter aiserver agents disconnect {name} --user")
    return 0


def status() -> int:
    """Print where each agent is connected, and which server its calls go to."""
    for name, label in LABELS.items():
        both = [Connection(name, is_user) for is_user in (False, True)]
        states = {f"{each.state} in {each.scope} ({each.file})": 1 for each in both if each.state}
        print(f"{label:11}  {'; '.join(states) or 'not connected'}")
    print()
    try:
        server = ServerChoice().find()
    except NoServer as error:
        print(make_safe(str(error)))
    else:
        folder = f", which serves {server.root_dir}" if server.root_dir else ""
        print(make_safe(f"Agents in this folder use {without_secrets(server.url)}{folder}."))
    return 0


def bridge_program() -> str:
    """Return the absolute path of the program that agents start. Raises SettingError.

    It is the installed script, because ``python -m`` would first import modules from the folder in
    which the agent works.
    """
    started = Path(sys.argv[0])
    folders = [started.parent] if started.is_absolute() else []
    folders += [Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))]
    program = shutil.which("jupyter-aiserver", path=os.pathsep.join(map(str, folders)))
    if program is None:
        raise SettingError("The command “jupyter-aiserver” isn’t installed next to this Python.")
    return program
