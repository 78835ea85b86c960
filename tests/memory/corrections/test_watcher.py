"""P45: what a person changes in answers again and again is proposed, and only that."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from aiserver import i18n
from aiserver.errors import StorageUnreachable
from aiserver.memory.corrections import CorrectionWatcher, counts
from aiserver.memory.manager import MemoryManager
from aiserver.memory.stores.base import MemoryStore
from aiserver.memory.stores.file import FileMemoryStore
from aiserver.memory.stores.in_memory import InMemoryMemoryStore
from aiserver.models import NewEvent, SessionKey
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing import MemoryBackend
from aiserver.testing.records import event, in_loop, turn

PLOT, SEABORN = "df.plot(x='secret')", "sns.lineplot(df, x='secret')"
TEXT = "Use seaborn.lineplot() instead of .plot()."
DAY = 24 * 3600.0


class Desk:
    """A person with notebooks and memories. The time is that of the turns."""

    def __init__(self, store: MemoryStore, owner: str = "ada", *, is_enabled: bool = True) -> None:
        self.sessions = InMemorySessionManager()
        self.now = 1_769_600_000.0
        self.owner = owner
        self.memory = MemoryManager(store, None, owner=owner, now=lambda: self.now)
        self.watcher = CorrectionWatcher(self.sessions, self.memory, is_enabled=is_enabled)
        self.watcher.pause = 0.0
        self.cell_count = 0

    async def correct(self, *events: NewEvent, cell: str = "", is_owner: bool = True) -> str:
        """Accept an answer in a new cell and change it; return the id of the cell."""
        self.cell_count += 1
        cell = cell or f"c{self.cell_count}"
        key = SessionKey("nb", cell, self.owner)
        timestamp = f"2026-01-28T10:{self.cell_count:02}:00.000Z"
        saved, _ = await self.sessions.save_interaction(
            key, turn("plot it", PLOT, timestamp=timestamp)
        )
        accept = event("accept", turn_id=saved.turn_id, source=PLOT)
        await self.edit(cell, accept, *(events or (event("edit", source=SEABORN),)))
        return cell

    async def edit(self, cell: str, *events: NewEvent, is_owner: bool = True) -> None:
        key = SessionKey("nb", cell, self.owner)
        await self.sessions.record_events(key, events)
        self.watcher.note([(key, events)], is_owner=is_owner)
        await self.finish()

    async def finish(self) -> None:
        while self.watcher._task is not None:
            await self.watcher._task

    async def waiting(self) -> list[str]:
        return [proposal.text for proposal in await self.memory.pending()]


@in_loop
async def test_three_corrections_lead_to_one_proposal_in_every_store(
    memory_backend: MemoryBackend,
) -> None:
    desk = Desk(memory_backend.open())
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == []
    cell = await desk.correct()
    [proposal] = await desk.memory.pending()
    assert (proposal.text, proposal.scope, proposal.origin) == (TEXT, "person", "correction")
    assert proposal.answer_count == 3
    assert proposal.source is not None
    assert (proposal.source.cell_id, proposal.source.turn_id) == (cell, 1)
    assert await desk.memory.list_entries() == [], "nothing is remembered without a yes"
    await desk.memory.confirm(proposal.id)
    [listed] = await desk.memory.list_entries()
    assert (listed.entry.text, listed.review) == (TEXT, "used")
    for _ in range(4):
        await desk.correct()
    assert await desk.waiting() == [], "an entry says it already"
    assert b"secret" not in memory_backend.content()


@in_loop
async def test_a_rejected_or_expired_proposal_is_repeated_only_after_three_more() -> None:
    desk = Desk(InMemoryMemoryStore())
    cells = [await desk.correct() for _ in range(3)]
    [proposal] = await desk.memory.pending()
    await desk.memory.reject(proposal.id)
    for cell in cells:
        await desk.edit(cell, event("edit", source=f"{SEABORN}\n"))
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == []
    await desk.correct()
    assert await desk.waiting() == [TEXT]
    desk.now += 2 * DAY
    await desk.correct()
    assert await desk.waiting() == [], "expired"
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_repeated_edits_and_reverted_edits_do_not_count() -> None:
    desk = Desk(InMemoryMemoryStore())
    cell = await desk.correct()
    for source in (f"{SEABORN}  # 1", f"{SEABORN}  # 2", SEABORN):
        await desk.edit(cell, event("edit", source=source))
    other = await desk.correct()
    await desk.edit(other, event("edit", source=PLOT))
    await desk.correct()
    assert await desk.waiting() == []
    await desk.edit(other, event("edit", source=SEABORN))
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_edits_by_others_count_nothing() -> None:
    """Neither of programs, nor of other people in the same notebook."""
    desk = Desk(InMemoryMemoryStore())
    by_program = {"kind": "program", "name": "black"}
    for _ in range(4):
        await desk.correct(event("edit", source=SEABORN, contributor=by_program))
    guest_cell = await desk.correct(event("edit", source=PLOT))
    await desk.edit(guest_cell, event("edit", source=SEABORN), is_owner=False)
    await desk.edit(guest_cell, event("edit", source=f"{SEABORN}\n"))
    await desk.correct()
    await desk.correct()
    assert await desk.waiting() == []
    await desk.correct()
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_owners_have_separate_counts() -> None:
    """P9"""
    store = InMemoryMemoryStore()
    ada, bob = Desk(store, "ada"), Desk(store, "bob")
    await ada.correct()
    await ada.correct()
    await bob.correct()
    await bob.correct()
    assert await ada.waiting() == await bob.waiting() == []
    await bob.correct()
    assert (await ada.waiting(), await bob.waiting()) == ([], [TEXT])


@in_loop
async def test_nothing_is_counted_if_it_is_turned_off(tmp_path: Path) -> None:
    desk = Desk(FileMemoryStore(tmp_path / "person"), is_enabled=False)
    for _ in range(4):
        await desk.correct()
    assert await desk.waiting() == []
    assert not (tmp_path / "person").exists()


@in_loop
async def test_an_entry_that_mentions_it_prevents_a_proposal() -> None:
    desk = Desk(InMemoryMemoryStore())
    await desk.memory.add("person", "Plots are drawn with seaborn.")
    for _ in range(4):
        await desk.correct()
    assert await desk.waiting() == []


@in_loop
async def test_the_text_is_in_the_language_of_the_interface(monkeypatch) -> None:
    monkeypatch.setattr(i18n, "_locale", "zh_TW")
    desk = Desk(InMemoryMemoryStore())
    for _ in range(3):
        await desk.correct()
    assert await desk.waiting() == ["用 seaborn.lineplot()，不用 .plot()。"]


@in_loop
async def test_a_failure_is_logged_without_contents(
    monkeypatch, caplog: pytest.LogCaptureFixture
) -> None:
    """P25: the next edit starts another try."""
    caplog.set_level(logging.INFO)
    desk = Desk(InMemoryMemoryStore())
    for error in (StorageUnreachable(), ValueError(SEABORN)):

        def fail(data: bytes | None, error: Exception = error) -> counts.Counts:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(counts, "parse", fail)
            await desk.correct()
        assert "weren't counted" in caplog.text
    assert "seaborn" not in caplog.text and "secret" not in caplog.text
    await desk.edit("c1", event("edit", source=f"{SEABORN}\n"))
    await desk.edit("c2", event("edit", source=f"{SEABORN}\n"))
    await desk.correct()
    assert await desk.waiting() == [TEXT]


@in_loop
async def test_closing_stops_a_pause() -> None:
    desk = Desk(InMemoryMemoryStore())
    desk.watcher.pause = 3600.0
    edit = event("edit", source=SEABORN)
    desk.watcher.note([(SessionKey("nb", "c1"), [edit])], is_owner=True)
    await desk.watcher.close()
    desk.watcher.note([(SessionKey("nb", "c1"), [edit])], is_owner=True)
    assert desk.watcher._task is None
