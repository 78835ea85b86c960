"""Cells by real people: the replay has each version byte for byte, and blame agrees with git."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path, PurePath

import pytest

from aiserver.models import Session
from aiserver.replay import blame, replay
from aiserver.transfer.importers import detect
from aiserver.transfer.importers.base import InputFile

from .session_builder import SessionBuilder, create_timeline

DATA = Path(__file__).parent.parent / "data"
VERDANT = DATA / "imports" / "verdant"


@cache
def book_cells() -> list[list[str]]:
    """The versions of each cell of a book."""
    lines = (DATA / "cell-histories" / "pydata_git_cells.jsonl").read_text("utf-8").splitlines()
    return [[version["source"] for version in json.loads(line)["versions"]] for line in lines]


@cache
def verdant_cells() -> list[Session]:
    file = VERDANT / "houses_kc.ipyhistory"
    return detect.read(InputFile(PurePath(file.name), file.read_bytes())).sessions


def session_of(versions: Sequence[str]) -> Session:
    builder = SessionBuilder()
    for version in versions:
        builder.event("edit", source=version)
    return builder.session()


def versions_of(session: Session) -> list[str]:
    return [event.source or "" for event in session.events or [] if event.type == "edit"]


def test_the_replay_shows_each_version_of_a_books_cells_byte_for_byte() -> None:
    cells = book_cells()
    assert (len(cells), sum(map(len, cells))) == (241, 1048)
    for versions in cells:
        assert [step.code for step in replay(session_of(versions))] == versions


def test_the_replay_shows_each_version_of_verdants_cells_byte_for_byte() -> None:
    content = json.loads((VERDANT / "houses_kc.ipyhistory").read_bytes())
    wanted = {
        f"{record['artifact_name']}.{number}": version.get("literal", version.get("markdown", ""))
        for kind in ("codeCells", "markdownCells")
        for record in content[kind]
        for number, version in enumerate(record["versions"])
    }
    shown = {
        step.data["name"]: step.code
        for session in verdant_cells()
        for step in replay(session)
        if step.event == "edit" and step.data
    }
    assert shown == wanted and len(wanted) == 126 + 17


def test_the_timeline_of_verdants_notebook_ends_with_its_notebook_file() -> None:
    timeline = create_timeline(verdant_cells(), [])
    last = timeline.last()
    assert last is not None
    notebook = json.loads((VERDANT / "houses_kc.ipynb").read_bytes())
    wanted = sorted((cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"])
    actual = sorted((cell.type, cell.source) for cell in last.cells)
    assert [row for row in wanted if row not in actual] == []
    seen = {
        cell.source
        for moment in timeline.moments
        for cell in [*timeline.at(moment.number).cells, *timeline.at(moment.number).deleted]
    }
    for session in verdant_cells():
        assert set(versions_of(session)) <= seen


class Git:
    """A repository with a branch for each cell, and a commit for each of its versions.

    A version equal to an earlier one goes back to the commit of that one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._branches = 0
        self._run("init", "-q")

    def blame(self, cells: Sequence[Sequence[str]], *options: str) -> list[list[int]]:
        """For each cell and each line of its last version, the version that git blames it on."""
        parts, tips, mark = [], [], 0
        for versions in cells:
            marks: dict[str, int] = {}
            last = None
            for number, text in enumerate(versions):
                if text not in marks:
                    mark += 1
                    marks[text] = mark
                    parts.append(_commit(mark, number, text, last))
                last = marks[text]
            tips.append(last)
        heads = [f"reset {_branch(n)}\nfrom :{tip}\n" for n, tip in enumerate(tips)]
        self._run("fast-import", "--quiet", input_=b"".join([*parts, *map(str.encode, heads)]))
        return [self._lines(_branch(n), options) for n in range(len(cells))]

    def _lines(self, branch: str, options: Sequence[str]) -> list[int]:
        output = self._run("blame", "--line-porcelain", *options, branch, "--", "cell").decode()
        return [int(number) for number in re.findall(r"^summary (\d+)$", output, re.M)]

    def _run(self, *args: str, input_: bytes | None = None) -> bytes:
        nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *args],
            cwd=self._folder,
            input=input_,
            env=os.environ | nobody,
            check=True,
            stdout=subprocess.PIPE,
        ).stdout


def _branch(cell: int) -> str:
    return f"refs/heads/cell-{cell}"


def _commit(mark: int, number: int, text: str, parent: int | None) -> bytes:
    content = text.encode() + b"\n"
    head = f"commit refs/heads/all\nmark :{mark}\ncommitter A <a@example.org> {mark} +0000\n"
    message = f"data {len(str(number))}\n{number}\n"
    begin = f"from :{parent}\n" if parent else ""
    reset = "" if parent else "reset refs/heads/all\n"
    file = f"M 100644 inline cell\ndata {len(content)}\n".encode()
    return (reset + head + message + begin).encode() + file + content + b"\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
@pytest.mark.parametrize("data_set", ["a book's", "Verdant's"])
def test_each_line_is_blamed_on_the_version_that_git_blames_it_on(
    data_set: str, tmp_path: Path
) -> None:
    """Git follows moved lines and changed white space, as we do. Blank lines don't count."""
    cells = book_cells() if data_set == "a book's" else [*map(versions_of, verdant_cells())]
    truth = Git(tmp_path).blame(cells, "-w", "-M1")
    compared = 0
    for versions, by_git in zip(cells, truth, strict=True):
        lines = versions[-1].split("\n")
        ours = [origin.step for origin in blame(session_of(versions))]
        rows = list(zip(lines, ours, by_git, strict=True))
        assert [row for row in rows if row[0].strip() and row[1] != row[2]] == []
        compared += sum(bool(line.strip()) for line in lines)
    assert compared > (700 if data_set == "a book's" else 60)
