"""The command line in this process, in a folder and with a configuration of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aiserver.cli import main as cli
from aiserver.models import Session
from aiserver.sessions.record import codec

IMPORTS = Path(__file__).parent.parent / "data" / "imports"


class Done(NamedTuple):
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands are run in."""
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "config").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


@pytest.fixture
def run(work: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``jupyter aiserver sessions …``."""

    def _run(*arguments: str | Path) -> Done:
        capsys.readouterr()
        status = cli.main(["sessions", *map(str, arguments)])
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return _run


def configure(work: Path, **settings: Any) -> None:
    """Write a configuration as a server reads it."""
    text = json.dumps(settings)
    (work.parent / "config" / "jupyter_server_config.json").write_text(text)


def stored(root: Path) -> dict[str, Session]:
    """The sessions in a folder, by the names of their files."""
    files = sorted((root / ".aiserver_sessions").glob("*.json"))
    return {file.name: codec.parse(file.read_bytes()) for file in files}


def tree(root: Path) -> dict[str, bytes]:
    """Each file below a folder and its bytes, but for locks."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }
