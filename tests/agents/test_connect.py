"""``jupyter aiserver agents connect``, ``status`` and ``disconnect``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from aiserver.plugins.agents.cli import LABELS
from aiserver.plugins.agents.cli.connect import Connection, bridge_program

from ..cli.conftest import Result, tree
from .command_line import main

Run = Callable[..., Result]

# It records its arguments, and “adds” an entry to the file FILE, as the agents' programs do.
PROGRAM = f"""#!{sys.executable}
import json, os, pathlib, sys
with open(os.environ["RECORD"], "a") as record:
    record.write(json.dumps([os.path.basename(sys.argv[0]), *sys.argv[1:]]) + "\\n")
file = pathlib.Path(os.environ["FILE"])
if os.environ.get("FAILS"):
    sys.exit("It \\x1b[1mfails.")
entry = json.dumps({{"command": sys.argv[-2], "args": ["mcp"]}})
file.write_text(entry if "add" in sys.argv else "")
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the person's home; the project is the folder ``project`` in it."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("RECORD", str(tmp_path / "record"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``jupyter aiserver agents …``."""

    def _run(*arguments: str) -> Result:
        capsys.readouterr()
        status = main(["agents", *arguments])
        output = capsys.readouterr()
        return Result(status, output.out, output.err)

    return _run


@pytest.fixture
def install(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Install the program of an agent that edits a file in the home."""

    def _install(name: str, file: str) -> None:
        (home / "bin").mkdir(exist_ok=True)
        (home / "bin" / name).write_text(PROGRAM)
        (home / "bin" / name).chmod(0o755)
        (home / file).parent.mkdir(exist_ok=True)
        monkeypatch.setenv("FILE", str(home / file))

    return _install


@pytest.mark.parametrize(
    ("command", "file", "add", "remove"),
    [
        (
            "claude",
            "project/.mcp.json",
            ["--scope", "project", "aiserver", "--"],
            ["--scope", "project", "aiserver"],
        ),
        (
            "claude --user",
            ".claude.json",
            ["--scope", "user", "aiserver", "--"],
            ["--scope", "user", "aiserver"],
        ),
        ("codex", ".codex/config.toml", ["aiserver", "--"], ["aiserver"]),
        (
            "gemini --user",
            ".gemini/settings.json",
            ["--scope", "user", "aiserver"],
            ["--scope", "user", "aiserver"],
        ),
    ],
)
def test_the_agents_own_program_is_used(
    run: Run,
    home: Path,
    install: Callable[[str, str], None],
    command: str,
    file: str,
    add: list[str],
    remove: list[str],
) -> None:
    name = command.split()[0]
    install(name, file)
    for _ in range(2):  # the second time, nothing is to be done
        result = run("connect", *command.split())
        assert (result.status, result.err) == (0, "") and file.split("/")[-1] in result.out
    assert f"{LABELS[name]:11}  connected in " in run("status").out
    assert "no longer" in run("disconnect", *command.split()).out
    assert "not connected" in run("disconnect", *command.split()).out
    calls = [json.loads(line) for line in (home / "record").read_text().splitlines()]
    program = bridge_program()
    assert calls == [[name, "mcp", "add", *add, program, "mcp"], [name, "mcp", "remove", *remove]]


def test_an_entry_of_another_installation_is_replaced(
    run: Run, home: Path, install: Callable[[str, str], None]
) -> None:
    install("claude", "project/.mcp.json")
    Path(".mcp.json").write_text('{"command": "/old/jupyter-aiserver", "args": ["mcp"]}')
    assert "connected to another installation in this project" in run("status").out
    assert run("connect", "claude").status == 0
    calls = [json.loads(line)[2] for line in (home / "record").read_text().splitlines()]
    assert calls == ["remove", "add"]


def test_a_program_that_fails_is_quoted_without_control_characters(
    run: Run,
    home: Path,
    install: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install("codex", ".codex/config.toml")
    monkeypatch.setenv("FAILS", "1")
    result = run("connect", "codex")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("It \N{REPLACEMENT CHARACTER}[1mfails.\nTo connect Codex, add")
    (home / ".codex/config.toml").write_text(Connection("codex", is_user=True).entry())
    assert "Remove the entry “aiserver” from ~/.codex" in run("disconnect", "codex").err


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("claude", ".mcp.json"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", "opencode.json"),
    ],
)
def test_without_a_program_a_new_file_is_written_and_deleted(
    run: Run, home: Path, name: str, file: str
) -> None:
    for _ in range(2):
        assert run("connect", name).out.startswith(f"{LABELS[name]} is connected in this project")
    hooks = ["project/.claude/settings.json"] if name == "claude" else []
    assert [*tree(home)] == sorted([*hooks, f"project/{file}"])
    assert bridge_program() in Path(file).read_text() and file in run("status").out
    assert "no longer" in run("disconnect", name).out
    assert tree(home) == {}


@pytest.mark.parametrize("name", ["claude", "gemini", "opencode"])
def test_a_file_that_exists_is_not_changed(run: Run, home: Path, name: str) -> None:
    file = Connection(name, is_user=False)._file
    file.parent.mkdir(exist_ok=True)
    file.write_text('{\n  // mine\n  "model": "x"\n}\n')
    before = tree(home)
    result = run("connect", name)
    assert result.status == 1 and f"add this to {file.relative_to(Path.cwd())}" in result.err
    assert json.loads(result.err[result.err.index("{") :])
    assert tree(home) == before
    file.write_text(result.err[result.err.index("{") :] + "// by hand")
    before = tree(home)
    assert "Remove the entry" in run("disconnect", name).err
    assert tree(home) == before


def test_the_hooks_of_claude_are_added_only_to_a_new_file(run: Run, home: Path) -> None:
    file = Path(".claude/settings.json")
    assert "Hooks in .claude/settings.json record" in run("connect", "claude").out
    hooks = json.loads(file.read_text())["hooks"]
    (before,), (after,) = hooks["PreToolUse"], hooks["PostToolUse"]
    command = f"{bridge_program()} agents hook claude"
    assert before == after and before["hooks"] == [{"type": "command", "command": command}]
    file.write_text(mine := file.read_text().replace("{", '{\n  "model": "x",', 1))
    assert "Remove the hooks with “agents hook claude” from" in run("disconnect", "claude").out
    assert file.read_text() == mine
    file.write_text('{"model": "x"}')
    out = run("connect", "claude").out
    assert json.loads(out[out.index("{") :])["hooks"] == hooks
    assert file.read_text() == '{"model": "x"}'
    assert "hooks" not in run("disconnect", "claude").out
    assert "Hooks" not in run("connect", "gemini").out


def test_the_hooks_of_all_projects_are_printed(
    run: Run, home: Path, install: Callable[[str, str], None]
) -> None:
    install("claude", ".claude.json")
    out = run("connect", "claude", "--user").out
    assert "add this to ~/.claude/settings.json" in out
    assert not (home / ".claude").exists()


def test_the_entry_for_goose_and_for_codex_is_printed(run: Run, home: Path) -> None:
    result = run("connect", "goose")
    assert "add this to ~/.config/goose/config.yaml" in result.err
    text = result.err[result.err.index("extensions:") :]
    entry = yaml.safe_load(text)["extensions"]["aiserver"]
    assert (entry["cmd"], entry["args"]) == (bridge_program(), ["mcp"])
    assert "[mcp_servers.aiserver]" in run("connect", "codex").err
    assert tree(home) == {}
    (home / ".config/goose").mkdir(parents=True)
    (home / ".config/goose/config.yaml").write_text(text)
    assert "Goose        connected in all of your projects (~/.config" in run("status").out


def test_links_of_a_project_are_not_followed(run: Run, home: Path) -> None:
    """P6: a project can come from anybody."""
    (home / "away").mkdir()
    Path(".gemini").symlink_to(home / "away")
    Path("opencode.json").symlink_to(home / "away/opencode.json")
    Path(".claude").symlink_to(home / "away")
    for name in ("gemini", "opencode"):
        assert run("connect", name).status == 1
    assert "add this to .claude/settings.json" in run("connect", "claude").out
    assert tree(home / "away") == {}


def test_disconnecting_names_the_other_scope(run: Run, home: Path) -> None:
    (home / ".claude.json").write_text(Connection("claude", is_user=True).entry())
    assert "disconnect claude --user" in run("disconnect", "claude").out


def test_a_folder_with_the_name_of_the_program_is_no_connection(run: Run, home: Path) -> None:
    (home / ".claude.json").write_text('{"projects": {"/me/jupyter-aiserver": {"mcp": {}}}}')
    assert "Claude Code  not connected" in run("status").out


def test_the_status_shows_the_server_without_its_token(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P8"""
    assert "No Jupyter server is running" in run("status").out
    info = {
        "pid": os.getpid(),
        "port": 8877,
        "hostname": "localhost",
        "base_url": "/",
        "token": "canary-5d20",
        "root_dir": str(home),
    }
    (home / "runtime").mkdir()
    (home / "runtime" / f"jpserver-{os.getpid()}.json").write_text(json.dumps(info))
    out = run("status").out
    assert f"use http://localhost:8877/, which serves {home}." in out and "canary" not in out
    monkeypatch.setenv("AISERVER_URL", "http://127.0.0.1:1/?token=canary-5d20")
    out = run("status").out
    assert "use http://127.0.0.1:1/." in out and "canary" not in out
