"""Cells by real people: the replay has each version byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path, PurePath

from aiserver.models import Session
from aiserver.plugins.sessions.importers import detect
from aiserver.plugins.sessions.importers.base import InputFile
from aiserver.replay import replay

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
        for cell in [*timeline.at(moment.index).cells, *timeline.at(moment.index).deleted]
    }
    for session in verdant_cells():
        assert set(versions_of(session)) <= seen
