"""A person decides once what git does with the histories; nothing is written without that."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from aiserver.git.setup import LINES
from tests.conftest import Call, request


@pytest.fixture
def repository(extension: Any) -> Path:
    root = Path(extension.sessions.root)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def names(root: Path) -> set[str]:
    return {path.name for path in root.iterdir() if path.name.startswith(".git")}


async def test_it_is_open_once_a_history_is_written_in_a_repository(
    call: Call, repository: Path
) -> None:
    assert (await call("GET", "git")).data == {"repository": None}, "nothing is written yet"
    await call("POST", "generate", request())
    found = (await call("GET", "git")).data["repository"]
    assert Path(found).samefile(repository)
    assert names(repository) == {".git"}, "looking writes nothing"


async def test_outside_of_a_repository_nothing_is_open(call: Call) -> None:
    await call("POST", "generate", request())
    assert (await call("GET", "git")).data == {"repository": None}


async def test_git_ignores_the_histories(call: Call, repository: Path) -> None:
    await call("POST", "generate", request())
    (repository / ".gitignore").write_bytes(b"*.pyc")
    for _ in range(2):
        assert (await call("POST", "git", {"choice": "ignore"})).status == 204
    assert (repository / ".gitignore").read_bytes() == b"*.pyc\n.aiserver_sessions/\n"
    assert (await call("GET", "git")).data == {"repository": None}


async def test_git_ignores_the_histories_where_a_later_line_said_otherwise(
    call: Call, repository: Path
) -> None:
    await call("POST", "generate", request())
    lines = b".aiserver_sessions/\n!.aiserver_sessions/\n"
    (repository / ".gitignore").write_bytes(lines)
    for _ in range(2):
        assert (await call("POST", "git", {"choice": "ignore"})).status == 204
    assert (repository / ".gitignore").read_bytes() == lines + b".aiserver_sessions/\n"
    assert (await call("GET", "git")).data == {"repository": None}


async def test_git_merges_the_histories(call: Call, repository: Path) -> None:
    await call("POST", "generate", request())
    assert (await call("POST", "git", {"choice": "keep"})).status == 204
    assert (repository / ".gitattributes").read_text().splitlines() == list(LINES)
    assert (await call("GET", "git")).data == {"repository": None}
    assert names(repository) == {".git", ".gitattributes"}


async def test_a_link_is_not_written_through(call: Call, repository: Path) -> None:
    other = repository / "other"
    other.write_text("")
    (repository / ".gitignore").symlink_to(other)
    assert (await call("POST", "git", {"choice": "ignore"})).status == 503
    assert other.read_text() == ""


async def test_a_decision_outside_of_a_repository_has_no_place(call: Call) -> None:
    assert (await call("POST", "git", {"choice": "keep"})).status == 404


async def test_looking_runs_no_program_that_a_repository_names(
    call: Call, repository: Path, tmp_path: Path
) -> None:
    """P11: a folder that was unpacked may bring a ``.git`` of its own."""
    ran = tmp_path / "ran"
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    program.chmod(0o700)
    (repository / "a.txt").write_text("a")
    subprocess.run(["git", "add", "a.txt"], cwd=repository, check=True)
    for name, value in (("core.fsmonitor", str(program)), ("core.untrackedCache", "true")):
        subprocess.run(["git", "config", name, value], cwd=repository, check=True)
    subprocess.run(["git", "update-index", "--fsmonitor"], cwd=repository, check=False)
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False)
    assert ran.exists(), "git itself runs it"
    ran.unlink()
    await call("POST", "generate", request())
    assert (await call("GET", "git")).data["repository"]
    assert not ran.exists()


async def test_a_work_tree_elsewhere_is_none_of_ours(call: Call, repository: Path) -> None:
    await call("POST", "generate", request())
    away = repository.parent / "away"
    away.mkdir()
    subprocess.run(["git", "config", "core.worktree", str(away)], cwd=repository, check=True)
    assert (await call("GET", "git")).data == {"repository": None}


async def test_histories_that_are_committed_are_decided(call: Call, repository: Path) -> None:
    await call("POST", "generate", request())
    subprocess.run(["git", "add", ".aiserver_sessions"], cwd=repository, check=True)
    assert (await call("GET", "git")).data == {"repository": None}
