"""P45: the life of a note in every store, with restarts, moved clocks and several owners."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aiserver.errors import MemoryEntryChanged, MemoryUnreadable, NotFound, NotRemembered
from aiserver.plugins.memory.notes.manager import (
    LIFETIME,
    MAX_NOTES,
    MAX_OWN_NOTES,
    Note,
    NoteManager,
    encode,
    parse,
)
from aiserver.plugins.memory.notes.outline import Outline
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore, check_size
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing import MemoryBackend
from aiserver.testing.records import in_loop

DAY = 24 * 3600.0
OUTLINE = Outline("Sales\ncanary-1 of all shops.", "a.csv")
OTHER = Outline("Costs.")


def note_of(text: str, author: str, time: float, **fields: Any) -> Note:
    return Note(text=text, author=author, written_at=time, used_at=time, **fields)


class Clock:
    def __init__(self, backend: MemoryBackend) -> None:
        self.backend, self.now = backend, 1_000_000.0

    def open(self, owner: str = "ada") -> NoteManager:
        """Return a new manager, as a restarted server has it."""
        return NoteManager(self.backend.open(), owner=owner, now=lambda: self.now)


@pytest.fixture
def clock(local_memory_backend: MemoryBackend) -> Clock:
    return Clock(local_memory_backend)


@in_loop
async def test_a_note_is_written_again_when_the_outline_has_changed(clock: Clock) -> None:
    assert await clock.open().get("nb") is None
    first = await clock.open().update("nb", OUTLINE)
    assert first is not None
    assert (first.text, first.author, first.used) == (OUTLINE.text, "outline", True)
    assert await clock.open().get("nb") == first
    assert await clock.open().get("other") is None
    await clock.open().word("nb", "What the shops earn.", "local:a", OUTLINE)
    worded = await clock.open().get("nb")
    assert await clock.open().update("nb", OUTLINE) == worded != first
    note = await clock.open().update("nb", OTHER)
    assert note and (note.text, note.author) == (OTHER.text, "outline")
    assert await clock.open().update("nb", Outline()) is None
    assert await clock.open().get("nb") is None


@in_loop
async def test_a_note_expires_unless_it_is_used_or_written_by_the_person(clock: Clock) -> None:
    await clock.open().update("nb", OUTLINE)
    await clock.open().write("mine", "canary-2", "")
    clock.now += LIFETIME - 1
    assert await clock.open().update("nb", OUTLINE), "a use"
    clock.now += LIFETIME - 1
    assert await clock.open().get("nb")
    clock.now += 1
    assert await clock.open().get("nb") is None
    assert b"canary-1" in clock.backend.content()
    await clock.open().sweep()
    assert b"canary-1" not in clock.backend.content()
    note = await clock.open().get("mine")
    assert note and note.expires_at(LIFETIME) is None


@in_loop
async def test_a_use_is_stored_once_a_day(clock: Clock) -> None:
    first = await clock.open().update("nb", OUTLINE)
    clock.now += DAY - 1
    assert await clock.open().update("nb", OUTLINE) == first
    clock.now += 1
    later = await clock.open().update("nb", OUTLINE)
    assert later and first and later.used_at == first.used_at + DAY
    assert later.written_at == first.written_at


@in_loop
async def test_the_text_of_the_person_is_only_replaced_by_the_person(clock: Clock) -> None:
    await clock.open().update("nb", OUTLINE)
    with pytest.raises(MemoryEntryChanged):
        await clock.open().write("nb", "Mine", "something else")
    assert (await clock.open().write("nb", "Mine\n\n  too ", OUTLINE.text)).text == "Mine\ntoo"
    await clock.open().word("nb", "A model's wording", "local:a", OUTLINE)
    note = await clock.open().update("nb", OTHER)
    assert note and (note.text, note.author) == ("Mine\ntoo", "person")
    again = await clock.open().update("nb", OTHER, again=True)
    assert again and (again.text, again.author) == (OTHER.text, "outline")


@in_loop
async def test_a_models_wording_replaces_its_outline_only(clock: Clock) -> None:
    await clock.open().update("nb", OUTLINE)
    await clock.open().word("nb", "x" * 10, "local:a", OTHER)
    note = await clock.open().get("nb")
    assert note and note.author == "outline"
    await clock.open().word("nb", "What the shops earn.", "local:a", OUTLINE)
    note = await clock.open().update("nb", OUTLINE)
    assert note and (note.text, note.author, note.model) == (
        "What the shops earn.",
        "model",
        "local:a",
    )


@in_loop
async def test_a_deleted_note_is_erased_and_stays_deleted(clock: Clock) -> None:
    await clock.open().update("nb", OUTLINE)
    await clock.open().delete("nb")
    assert b"canary-1" not in clock.backend.content()
    note = await clock.open().update("nb", OTHER)
    assert note and note.text == ""
    assert (await clock.open().write("nb", "Mine", "")).text == "Mine", "undo"


@in_loop
async def test_forgetting_a_text_erases_the_notes_with_it(clock: Clock) -> None:
    await clock.open().update("nb", OUTLINE)
    await clock.open().update("nb2", OTHER)
    await clock.open().erase(["Costs", "canary-1 of all"])
    assert b"canary-1" not in clock.backend.content()
    other = await clock.open().get("nb2")
    assert other and other.text == "Costs.", "a short text is erased only as a whole line"
    await clock.open().erase(["Costs."])
    note = await clock.open().get("nb2")
    assert note and not note.text


@in_loop
async def test_the_choice_whether_a_note_is_used_survives_a_new_text(clock: Clock) -> None:
    with pytest.raises(NotFound):
        await clock.open().set_used("nb", is_used=False)
    await clock.open().update("nb", OUTLINE)
    assert not (await clock.open().set_used("nb", is_used=False)).used
    again = await clock.open().update("nb", OTHER)
    assert again and again.text == OTHER.text and not again.used


@pytest.mark.parametrize("has_expired", [False, True])
@in_loop
async def test_the_choice_outlives_the_text(clock: Clock, has_expired: bool) -> None:
    await clock.open().update("nb", OUTLINE)
    await clock.open().set_used("nb", is_used=False)
    if has_expired:
        clock.now += LIFETIME + DAY
        await clock.open().sweep()
    else:
        await clock.open().update("nb", Outline())  # nothing to write about
    assert b"canary-1" not in clock.backend.content()
    clock.now += 100 * LIFETIME
    await clock.open().sweep()
    note = await clock.open().get("nb")
    assert note and not note.text and not note.used
    note = await clock.open().update("nb", OUTLINE)
    assert note and note.text == OUTLINE.text and not note.used


@in_loop
async def test_undo_restores_the_note_but_not_the_choice(clock: Clock) -> None:
    notes = clock.open()
    first = await notes.update("nb", OUTLINE)
    await notes.word("nb", "What the shops earn.", "local:a", OUTLINE)
    await notes.update("nb", OTHER, again=True)
    await notes.set_used("nb", is_used=False)
    with pytest.raises(MemoryEntryChanged):
        await notes.write("nb", "What the shops earn.", "older", is_undo=True)
    clock.now += LIFETIME - 1
    note = await notes.write("nb", "What the shops earn.", OTHER.text, is_undo=True)
    assert first and (note.author, note.model, note.subject) == ("model", "local:a", first.subject)
    assert note == await notes.get("nb") and not note.used
    await notes.delete("nb")
    await notes.erase(["What the shops earn."])
    note = await notes.write("nb", "What the shops earn.", "", is_undo=True)
    assert note.author == "person", "a forgotten text isn't in the server's memory, either"


@in_loop
async def test_a_text_of_another_window_isnt_lost(clock: Clock) -> None:
    notes = clock.open()
    await notes.update("nb", OUTLINE)
    await notes.write("nb", "Of window 2", OUTLINE.text)
    with pytest.raises(MemoryEntryChanged):
        await notes.update("nb", OTHER, again=True, expected=OUTLINE.text)
    await notes.delete("nb")  # by window 1, which still shows the outline
    note = await notes.write("nb", OUTLINE.text, "", is_undo=True)
    assert (note.text, note.author) == ("Of window 2", "person")


@in_loop
async def test_expired_texts_are_erased_hourly(clock: Clock) -> None:
    notes = clock.open()
    await notes.sweep()
    await notes.update("nb", OUTLINE)
    clock.now += LIFETIME + 1
    await notes.sweep()
    assert b"canary-1" not in (await clock.backend.open().read("notes", owner="ada") or b"")


@in_loop
async def test_owners_have_separate_notes(clock: Clock) -> None:
    """P9."""
    await clock.open("ada").update("nb", OUTLINE)
    await clock.open("bob").update("nb", OTHER)
    await clock.open("bob").delete("nb")
    note = await clock.open("ada").get("nb")
    assert note and note.text == OUTLINE.text
    assert await clock.open("").get("nb") is None


@pytest.mark.parametrize("text", ["", " \n ", "x" * 601, "The key is sk-proj-" + "a1B2" * 12])
@in_loop
async def test_texts_that_are_refused(text: str) -> None:
    """P16."""
    notes = NoteManager(KeyValueMemoryStore(InMemorySessionManager()))
    with pytest.raises(NotRemembered):
        await notes.write("nb", text, "")
    assert await notes.get("nb") is None


def test_the_document_is_bounded_and_drops_what_was_not_used_for_longest() -> None:
    """P17."""
    notes = {f"nb{n}": note_of("text", "outline", float(n)) for n in range(MAX_NOTES + 5)}
    parsed = parse(encode(notes), 100.0, LIFETIME)
    assert parsed == {name: note for name, note in notes.items() if note.used_at >= 5}
    mine = {
        "text": note_of("Mine", "person", -9.0),
        "deleted": note_of("", "person", -9.0),
        "not used": note_of("text", "outline", -9.0, used=False),
    }
    assert mine.items() <= parse(encode(mine | notes), 0.0, LIFETIME).items()
    many = {f"own{n}": note_of("Mine", "person", float(n)) for n in range(MAX_OWN_NOTES + 5)}
    parsed = parse(encode(many | notes), 100.0, LIFETIME)
    assert len(parsed) == MAX_NOTES + MAX_OWN_NOTES and "own4" not in parsed and "own5" in parsed
    longest = [note_of("名" * 600, "outline", 1.0, used=used) for used in (True, False)]
    data = encode({f"{n:064}": longest[n % 2] for n in range(2 * (MAX_NOTES + MAX_OWN_NOTES))})
    assert data
    check_size("notes", None, data)


def test_damaged_documents_and_unknown_fields() -> None:
    """P22, P25."""
    assert parse(None, 0.0, LIFETIME) == parse(b'{"notes": [1, {}]}', 0.0, LIFETIME) == {}
    for data in (b"", b"{", b"[]", b'{"notes": 1}', b"\xff", b"[" * 100_000):
        with pytest.raises(MemoryUnreadable):
            parse(data, 0.0, LIFETIME)
    item = {"notebook_id": "nb", "text": "text", "author": "person", "written_at": 1, "used_at": 1}
    item |= {"cells": "abcdef01"}  # as an earlier version stored it
    for change in (
        {"notebook_id": 1},
        {"text": "x" * 601},
        {"author": 1},
        {"used": "yes"},
        {"used_at": "1"},
        {"used_at": float("inf")},
    ):
        assert parse(json.dumps({"notes": [item | change]}).encode(), 0.0, LIFETIME) == {}
    newer = json.dumps({"notes": [item | {"colour": "red"}]}).encode()
    stored = json.loads(encode(parse(newer, 0.0, LIFETIME)) or b"")
    assert stored["notes"][0]["colour"] == "red"


@in_loop
async def test_a_note_of_an_author_in_a_newer_version_is_preserved() -> None:
    """P22: it is neither replaced nor erased, unless the person does it."""
    stored = note_of("By all of us", "team", 1.0).model_dump()
    item = {"notebook_id": "nb"} | stored
    store = KeyValueMemoryStore(InMemorySessionManager())
    await store.replace("notes", None, json.dumps({"notes": [item]}).encode())
    manager = NoteManager(store)
    await manager.sweep()
    await manager.update("other", OUTLINE)
    note = await manager.update("nb", OUTLINE)
    assert note and (note.text, note.author) == ("By all of us", "team")
    await manager.set_used("nb", is_used=False)
    notes = {n["notebook_id"]: n for n in json.loads(await store.read("notes") or b"")["notes"]}
    assert notes["nb"] == item | {"used": False, "used_at": notes["nb"]["used_at"]}
    await manager.write("nb", "Mine", "By all of us")
    assert b"team" not in (await store.read("notes") or b"")
