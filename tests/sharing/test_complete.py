"""Nothing of a history is missing from an export, whatever became of its cells."""

from __future__ import annotations

import asyncio
from random import Random

import nbformat
import pytest

from aiserver.models import Event, Interaction, NotebookLogEntry, Session
from aiserver.notebooks.history import Histories, History
from aiserver.replay import Timeline
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sharing.export import FORMATS, Format, export

from ..replay.notebook_page import Page
from ..replay.session_builder import SessionBuilder, log
from .demo import NOTEBOOK, fill, notebook
from .reader import READERS


def history_from(sessions: dict[str, Session], lines: list[NotebookLogEntry]) -> History:
    timeline = Timeline(list(sessions.values()), lines)
    return History("nb", sessions, lines, timeline, "1")


def missing(history: History, format_: Format, file: dict[str, object] | None) -> list[str]:
    """List what the records have, read without the replay, and the exported file lacks."""
    store = InMemorySessionManager()
    made = asyncio.run(export(store, history, format_, "a.ipynb", notebook=file))
    told = READERS[format_](made.content)
    words = " ".join(" ".join(told.words).split())
    lost = []
    for cell_id, session in history.sessions.items():
        versions, said = kept_in(session)
        lost += [f"{cell_id}: {text!r}" for text in versions - told.versions]
        lost += [f"{cell_id}: {text!r}" for text in said if " ".join(text.split()) not in words]
    return lost


def kept_in(session: Session) -> tuple[set[str], list[str]]:
    """Each source in a session, and each thing that was asked, answered or reported."""
    versions: set[str] = set()
    said: list[str] = []
    for record in session.ordered():
        if isinstance(record, Interaction):
            answer = record.ai_response
            versions |= {record.user_request.current_code, answer.suggestion}
            said += [record.user_request.intent, answer.explanation, answer.error or ""]
        else:
            assert isinstance(record, Event)
            versions |= {record.source or "", str((record.data or {}).get("replaced") or "")}
    return versions, said


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("seed", range(6))
def test_each_version_and_each_request_is_in_each_format(seed: int, format_: Format) -> None:
    """Split, merged, pasted, deleted and undeleted cells and branches included."""
    page = Page(Random(seed))
    for _ in range(90):
        page.act()
    sessions = dict(page.server.sessions)
    for cell_id, session in sessions.items():
        for turn in session.interactions:
            turn.user_request.intent = f"request {turn.turn_id} of {cell_id}"
            turn.ai_response.explanation = f"answer {turn.turn_id} of {cell_id}"
    history = history_from(sessions, list(page.server.log))
    fates = history.timeline.cells()
    assert any(row["deleted"] for row in fates) or any(row["mergedInto"] for row in fates)
    file = nbformat.from_dict(page.saves[-1].notebook)
    assert missing(history, format_, None) == []
    assert missing(history, format_, dict(file)) == []


@pytest.mark.parametrize("format_", FORMATS)
def test_a_request_that_began_from_other_code_tells_that_code(format_: Format) -> None:
    book = SessionBuilder("a")
    book.turn("held = 1", "first = 1")
    book.turn("only here = 1\nand here = 2", "second = 1\nand here = 2", parent_turn_id=1)
    book.turn("nowhere else = 3", "nowhere else = 3", parent_turn_id=1)
    assert missing(history_from({"a": book.session()}, log()), format_, None) == []


@pytest.mark.parametrize("format_", FORMATS)
def test_a_file_that_is_behind_its_history_lacks_none_of_its_cells(format_: Format) -> None:
    """Cells that the file has not, that have no ids in it, or that hold something else there."""

    async def work() -> History:
        store = InMemorySessionManager()
        await fill(store)
        return await Histories(store).load(NOTEBOOK)

    history = asyncio.run(work())
    file = notebook()
    file["cells"] = file["cells"][:2]
    assert missing(history, format_, file) == []
    file = notebook() | {"nbformat_minor": 4}
    for cell in file["cells"]:
        del cell["id"]
    assert missing(history, format_, file) == []
