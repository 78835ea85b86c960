"""``jupyter aiserver agents connect``, ``status`` and ``disconnect``."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from aiserver.plugins.agents.cli import clients, parser, skill
from aiserver.plugins.agents.cli.commands import bridge_command

from ..cli.conftest import Result, tree
from .command_line import main, parse_toml

Run = Callable[..., Result]

CLIENTS = [*clients.CLIENTS]
SKILL = "aiserver-notebooks/SKILL.md"
PROJECT_FILES = {
    "claude": (".mcp.json", ".claude/skills"),
    "gemini": (".gemini/settings.json", ".gemini/skills"),
    "opencode": ("opencode.json", ".opencode/skills"),
}
USER_FILES = {
    "claude": (".claude.json", ".claude/skills"),
    "codex": (".codex/config.toml", ".agents/skills"),
    "gemini": (".gemini/settings.json", ".gemini/skills"),
    "opencode": (".config/opencode/opencode.json", ".config/opencode/skills"),
    "goose": (".config/goose/config.yaml", ".config/goose/skills"),
}
PLACES = [
    *((name, False, *files) for name, files in PROJECT_FILES.items()),
    *((name, True, *files) for name, files in USER_FILES.items()),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the person's home; the project is the folder ``project`` in it."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
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


def options(is_user: bool) -> list[str]:
    return ["--user"] if is_user else []


def test_the_command_line_knows_all_clients() -> None:
    assert [*parser._CLIENTS] == CLIENTS


@pytest.mark.parametrize(("name", "is_user", "file", "skills"), PLACES)
def test_connecting_and_disconnecting_leaves_nothing(
    run: Run, home: Path, name: str, is_user: bool, file: str, skills: str
) -> None:
    before = tree(home)
    result = run("connect", name, *options(is_user))
    assert result.status == 0 and file in result.out and result.err == ""
    root = home if is_user else home / "project"
    assert {*tree(home)} == {
        str((root / path).relative_to(home)) for path in (file, f"{skills}/{SKILL}")
    }
    written = tree(home)
    assert run("connect", name, *options(is_user)).status == 0
    assert tree(home) == written
    assert file in run("status").out
    assert "no longer" in run("disconnect", name, *options(is_user)).out
    assert tree(home) == before == {}
    assert [*(home / "project").iterdir()] == []
    assert "is not connected" in run("disconnect", name, *options(is_user)).out


def test_each_client_starts_the_same_command(run: Run, home: Path) -> None:
    for name in CLIENTS:
        run("connect", name, *options(name in ("codex", "goose")))
    program, argument = bridge_command()
    assert Path(program).is_absolute() and Path(program).exists() and argument == "mcp"
    project = home / "project"
    entry = json.loads((project / ".mcp.json").read_text())["mcpServers"]["aiserver"]
    assert entry == {"type": "stdio", "command": program, "args": ["mcp"]}
    entry = json.loads((project / ".gemini/settings.json").read_text())["mcpServers"]["aiserver"]
    assert entry == {"command": program, "args": ["mcp"]}
    entry = json.loads((project / "opencode.json").read_text())["mcp"]["aiserver"]
    assert entry == {"type": "local", "command": [program, "mcp"], "enabled": True}
    servers = parse_toml((home / ".codex/config.toml").read_text())["mcp_servers"]
    assert servers == {"aiserver": {"command": program, "args": ["mcp"]}}
    extensions = yaml.safe_load((home / ".config/goose/config.yaml").read_text())["extensions"]
    assert (
        extensions["aiserver"].items() >= {"type": "stdio", "cmd": program, "enabled": True}.items()
    )


@pytest.mark.parametrize("name", ["codex", "goose"])
def test_clients_without_settings_in_projects_use_the_persons(run: Run, home: Path, name: str):
    assert "all of your projects" in run("connect", name).out
    assert not tree(home / "project")


@pytest.mark.parametrize(("name", "is_user", "file", "skills"), PLACES)
def test_a_damaged_file_is_not_changed(
    run: Run, home: Path, name: str, is_user: bool, file: str, skills: str
) -> None:
    path = (home if is_user else home / "project") / file
    path.parent.mkdir(parents=True, exist_ok=True)
    for data in (b"{ not = valid: [", b"\xff\xfe"):
        path.write_bytes(data)
        before = tree(home)
        for command in ("connect", "disconnect"):
            result = run(command, name, *options(is_user))
            assert (result.status, result.out) == (1, "")
            assert "so it was not changed" in result.err and file in result.err
        assert tree(home) == before
        assert "can’t be read" in run("status").out


def test_the_entry_for_a_file_with_comments_is_printed(run: Run, home: Path) -> None:
    Path("opencode.json").write_text('{\n  // mine\n  "model": "x"\n}\n')
    result = run("connect", "opencode")
    assert result.status == 1 and "isn’t valid JSON, so it was not changed" in result.err
    assert json.loads(result.err[result.err.index("{") :])["mcp"]["aiserver"]["type"] == "local"


def test_a_server_of_another_program_with_our_name_stays(run: Run, home: Path) -> None:
    text = '{"mcpServers": {"aiserver": {"command": "other", "args": ["mcp"]}}}'
    Path(".mcp.json").write_text(text)
    assert "of another program" in run("connect", "claude").err
    assert "is not connected" in run("disconnect", "claude").out
    assert Path(".mcp.json").read_text() == text
    assert "not connected" in run("status").out.splitlines()[0]


def test_a_moved_environment_is_shown_and_connected_again(run: Run, home: Path) -> None:
    entry = {"type": "stdio", "command": "/gone/bin/jupyter-aiserver", "args": ["mcp"]}
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"b": {}, "aiserver": entry}}))
    assert "its program is gone: connect it again" in run("status").out
    run("connect", "claude")
    assert "gone" not in run("status").out
    run("disconnect", "claude")
    assert Path(".mcp.json").read_text() == '{"mcpServers": {"b": {}}}'


def test_disconnecting_names_the_other_scope(run: Run, home: Path) -> None:
    run("connect", "claude", "--user")
    assert "disconnect claude --user" in run("disconnect", "claude").out
    assert (home / ".claude.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_the_mode_of_a_file_stays(run: Run, home: Path) -> None:
    for mode in (0o600, 0o640, 0o644):
        Path(".mcp.json").write_text("{}")
        Path(".mcp.json").chmod(mode)
        run("connect", "claude")
        assert stat.S_IMODE(Path(".mcp.json").stat().st_mode) == mode
        run("disconnect", "claude")
        assert Path(".mcp.json").read_text() == "{}"
        assert stat.S_IMODE(Path(".mcp.json").stat().st_mode) == mode
    run("connect", "codex")
    assert stat.S_IMODE((home / ".codex/config.toml").stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_links_of_a_project_are_not_followed(run: Run, home: Path) -> None:
    """P6: a project can come from anybody."""
    (home / "away.json").write_text("{}")
    Path(".mcp.json").symlink_to(home / "away.json")
    (home / "away").mkdir()
    Path(".gemini").symlink_to(home / "away")
    Path(".opencode").symlink_to(home / "away")
    before = tree(home / "away"), (home / "away.json").read_bytes()
    for name in ("claude", "gemini"):
        result = run("connect", name)
        assert result.status == 1 and "link" in result.err
    assert run("connect", "opencode").status == 0  # without the skill
    assert (tree(home / "away"), (home / "away.json").read_bytes()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_a_link_of_the_person_is_followed(run: Run, home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles/config.toml").write_text('model = "x"\n')
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").symlink_to(home / "dotfiles/config.toml")
    run("connect", "codex")
    assert (home / ".codex/config.toml").is_symlink()
    assert "aiserver" in (home / "dotfiles/config.toml").read_text()
    run("disconnect", "codex")
    assert (home / "dotfiles/config.toml").read_text() == 'model = "x"\n'


def test_environment_variables_move_the_persons_files(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home / name))
    for client in CLIENTS:
        assert run("connect", client, "--user").status == 0
    files = [
        "CLAUDE_CONFIG_DIR/.claude.json",
        "CODEX_HOME/config.toml",
        "GEMINI_CLI_HOME/.gemini/settings.json",
        "XDG_CONFIG_HOME/opencode/opencode.json",
        "XDG_CONFIG_HOME/goose/config.yaml",
    ]
    assert all((home / file).exists() for file in files)


def test_a_skill_of_somebody_else_stays(run: Run, home: Path) -> None:
    file = Path(".claude/skills", SKILL)
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: mine\n---\n")
    result = run("connect", "claude")
    assert result.status == 0 and "was not changed" in result.out
    run("disconnect", "claude")
    assert file.read_text() == "---\nname: mine\n---\n"


def test_a_skill_of_an_older_version_is_replaced_and_deleted(run: Run, home: Path) -> None:
    run("connect", "claude")
    file = Path(".claude/skills", SKILL)
    file.write_text(file.read_text() + "more\n")
    run("connect", "claude")
    assert file.read_text() == skill.TEXT
    file.write_text(file.read_text() + "more\n")
    run("disconnect", "claude")
    assert not Path(".claude").exists()


def test_the_skill_is_valid() -> None:
    _, header, body = skill.TEXT.split("---\n", 2)
    fields = yaml.safe_load(header)
    assert fields["name"] == skill.FOLDER and "aiserver" in fields["description"]
    assert len(fields["description"]) <= 1024 and ".ipynb" in body


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
