"""The user decides once what git does with histories; nothing is written without a decision."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.git.setup import LINES
from tests.conftest import Call, request


@pytest.fixture
def repository(extension: Any) -> Path:
    root = Path(extension.sessions.root)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def names(root: Path) -> set[str]:
    return {path.name for path in root.iterdir() if path.name.startswith(".git")}


async def test_a_decision_is_open_once_a_repository_has_a_history(
    call: Call, repository: Path
) -> None:
    assert (await call("GET", "git")).data == {"repository": None}, "there is no history yet"
    await call("POST", "generate", request())
    path = (await call("GET", "git")).data["repository"]
    assert Path(path).samefile(repository)
    assert names(repository) == {".git"}, "the request has written files"


async def test_outside_of_a_repository_no_decision_is_open(call: Call) -> None:
    await call("POST", "generate", request())
    assert (await call("GET", "git")).data == {"repository": None}


async def test_git_ignores_the_histories(call: Call, repository: Path) -> None:
    await call("POST", "generate", request())
    (repository / ".gitignore").write_bytes(b"*.pyc")
    for _ in range(2):
        assert (await call("POST", "git", {"choice": "ignore"})).status == 204
    assert (repository / ".gitignore").read_bytes() == b"*.pyc\n.aiserver_sessions/\n"
    assert (await call("GET", "git")).data == {"repository": None}


async def test_histories_are_ignored_despite_a_negated_pattern(
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


async def test_symbolic_links_are_not_followed(call: Call, repository: Path) -> None:
    other = repository / "other"
    other.write_text("")
    (repository / ".gitignore").symlink_to(other)
    assert (await call("POST", "git", {"choice": "ignore"})).status == 503
    assert other.read_text() == ""


async def test_a_decision_outside_of_a_repository_is_an_error(call: Call) -> None:
    assert (await call("POST", "git", {"choice": "keep"})).status == 404


async def test_no_program_of_the_repository_config_is_run(
    call: Call, repository: Path, tmp_path: Path
) -> None:
    """P11: an unpacked folder may contain an untrusted ``.git``."""
    ran = tmp_path / "ran"
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(ran))}\n")
    program.chmod(0o700)
    (repository / "a.txt").write_text("a")
    subprocess.run(["git", "add", "a.txt"], cwd=repository, check=True)
    for name, value in (
        ("core.fsmonitor", shlex.quote(str(program))),
        ("core.untrackedCache", "true"),
    ):
        subprocess.run(["git", "config", name, value], cwd=repository, check=True)
    subprocess.run(["git", "update-index", "--fsmonitor"], cwd=repository, check=False)
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False)
    assert ran.exists(), "git would not run it either"
    ran.unlink()
    await call("POST", "generate", request())
    assert (await call("GET", "git")).data["repository"]
    assert not ran.exists()


async def test_a_repository_with_another_work_tree_is_ignored(call: Call, repository: Path) -> None:
    await call("POST", "generate", request())
    away = repository.parent / "away"
    away.mkdir()
    subprocess.run(["git", "config", "core.worktree", str(away)], cwd=repository, check=True)
    assert (await call("GET", "git")).data == {"repository": None}


async def test_with_committed_histories_no_decision_is_open(call: Call, repository: Path) -> None:
    await call("POST", "generate", request())
    subprocess.run(["git", "add", ".aiserver_sessions"], cwd=repository, check=True)
    assert (await call("GET", "git")).data == {"repository": None}
