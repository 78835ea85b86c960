"""Run the command line in this process, in its own folder with its own configuration."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aiserver.cli import main as cli
from aiserver.models import Session
from aiserver.sessions.record import codec

IMPORTS = Path(__file__).parent.parent / "data" / "imports"


class Result(NamedTuple):
    """The exit status and output of a command."""

    status: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that commands are run in."""
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "config").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


@pytest.fixture
def command_line(work: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``jupyter aiserver …``."""

    def _run(*arguments: str | Path) -> Result:
        capsys.readouterr()
        status = cli.main([*map(str, arguments)])
        output = capsys.readouterr()
        return Result(status, output.out, output.err)

    return _run


@pytest.fixture
def run(command_line: Run) -> Run:
    """Run ``jupyter aiserver sessions …``."""
    return partial(command_line, "sessions")


def configure(work: Path, **settings: Any) -> None:
    """Write a configuration file of Jupyter Server."""
    text = json.dumps(settings)
    (work.parent / "config" / "jupyter_server_config.json").write_text(text)


def stored(root: Path) -> dict[str, Session]:
    """Return the sessions in a folder by file name."""
    files = sorted((root / ".aiserver_sessions").glob("*.json"))
    return {file.name: codec.parse(file.read_bytes()) for file in files}


def tree(root: Path) -> dict[str, bytes]:
    """Return the content of each file below a folder, except locks."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }
