"""Exports contain the complete history, including deleted and merged cells."""

from __future__ import annotations

import asyncio
from random import Random

import nbformat
import pytest

from aiserver.models import Event, Interaction, NotebookLogEntry, Session
from aiserver.notebooks.history import Histories, History
from aiserver.plugins.export.export import FORMATS, Format, export
from aiserver.sessions.memory import InMemorySessionManager

from ..replay.notebook_page import Page
from ..replay.session_builder import SessionBuilder, create_timeline, log
from .demo import NOTEBOOK, fill, notebook
from .reader import READERS


def history_from(sessions: dict[str, Session], lines: list[NotebookLogEntry]) -> History:
    timeline = create_timeline(sessions.values(), lines)
    return History("nb", sessions, lines, timeline, "1")


def missing(history: History, format_: Format, file: dict[str, object] | None) -> list[str]:
    """List texts of the records that are missing in the exported file."""
    store = InMemorySessionManager()
    exported = asyncio.run(export(store, history, format_, "a.ipynb", notebook=file))
    content = READERS[format_](exported.content)
    texts = " ".join(" ".join(content.texts).split())
    result = []
    for cell_id, session in history.sessions.items():
        versions, messages = texts_of(session)
        result += [f"{cell_id}: {text!r}" for text in versions - content.versions]
        result += [
            f"{cell_id}: {text!r}" for text in messages if " ".join(text.split()) not in texts
        ]
    return result


def texts_of(session: Session) -> tuple[set[str], list[str]]:
    """Return each version in a session, and each request, explanation and error."""
    versions: set[str] = set()
    messages: list[str] = []
    for record in session.ordered():
        if isinstance(record, Interaction):
            answer = record.ai_response
            versions |= {record.user_request.current_code, answer.suggestion}
            messages += [record.user_request.intent, answer.explanation, answer.error or ""]
        else:
            assert isinstance(record, Event)
            versions |= {record.source or "", str((record.data or {}).get("replaced") or "")}
    return versions, messages


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_each_format_contains_each_version_and_each_request(seed: int, format_: Format) -> None:
    """This includes split, merged, pasted, deleted and restored cells, and branches."""
    page = Page(Random(seed))
    for _ in range(90):
        page.act()
    sessions = dict(page.server.sessions)
    for cell_id, session in sessions.items():
        for turn in session.interactions:
            turn.user_request.intent = f"request {turn.turn_id} of {cell_id}"
            turn.ai_response.explanation = f"answer {turn.turn_id} of {cell_id}"
    history = history_from(sessions, list(page.server.log))
    rows = history.timeline.cells()
    assert any(row["deleted"] for row in rows) or any(row["mergedInto"] for row in rows)
    file = nbformat.from_dict(page.saves[-1].notebook)
    assert missing(history, format_, None) == []
    assert missing(history, format_, dict(file)) == []


@pytest.mark.parametrize("format_", FORMATS)
def test_the_code_that_a_request_started_from_is_exported(format_: Format) -> None:
    builder = SessionBuilder("a")
    builder.turn("held = 1", "first = 1")
    builder.turn("only here = 1\nand here = 2", "second = 1\nand here = 2", parent_turn_id=1)
    builder.turn("nowhere else = 3", "nowhere else = 3", parent_turn_id=1)
    assert missing(history_from({"a": builder.session()}, log()), format_, None) == []


@pytest.mark.parametrize("format_", FORMATS)
def test_exports_with_an_outdated_notebook_file_are_complete(format_: Format) -> None:
    """Cells may be missing in the file, have no ids there, or have another source."""

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
