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
    assert (await call("POST", "git", {"choice": "ignore"})).status == 400
    assert other.read_text() == ""
