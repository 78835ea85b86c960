"""P22: intact turns and all bytes of a damaged file are preserved; other files load."""

from __future__ import annotations

import itertools
import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.durable import read_file
from aiserver.errors import SessionCorrupt, SessionTooNew, StorageError
from aiserver.models import Session, SessionKey, new_session
from aiserver.sessions.file import session_files as reading
from aiserver.sessions.file import session_files as sessionfiles
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record import codec
from aiserver.sessions.record.filenames import blob_name, log_name, session_name
from aiserver.sessions.record.mutations import append_events, append_turn
from aiserver.sessions.record.recovery import is_empty, recover
from aiserver.testing.records import EXAMPLE_FILE, KEY, NOON, event, in_loop, log_entry, turn

from ...effort import at_most
from ...examples import examples
from ..conftest import FileBackend

GOOD = EXAMPLE_FILE.read_bytes()
NAME = session_name(KEY)
NEIGHBOUR = SessionKey(KEY.notebook_id, "neighbour")
OTHERS = json.dumps(json.loads(GOOD.replace(b"pandas", b"polars"))["interactions"])
DOUBLED = f'"interactions": {OTHERS}, '.encode()

# Damaged content, and its number of intact turns.
DAMAGED = {
    "empty": (b"", 0),
    "zeros": (b"\0" * 4096, 0),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD, 1),
    "UTF-16": (GOOD.decode().encode("utf-16"), 1),
    "not UTF-8": (GOOD.replace(b"pandas", b"pand\xff\xfe"), 0),
    "not UTF-8 elsewhere": (GOOD.replace(b'"meta": {', b'"meta": { "x": "\xff",'), 1),
    "not JSON": (b"<<<<<<< HEAD\n" + GOOD, 1),
    "two objects": (GOOD + GOOD, 1),
    "two that differ": (GOOD + GOOD.replace(b"pandas", b"polars"), 2),
    "turns twice": (GOOD.replace(b'"interactions": [', DOUBLED + b'"interactions": ['), 2),
    "a list": (b"[" + GOOD + b"]", 1),
    "a number": (b"17", 0),
    "null": (b"null", 0),
    "no meta": (b'{"interactions": []}', 0),
    "no turns": (json.dumps({"meta": json.loads(GOOD)["meta"]}).encode(), 0),
    "a wrong turn": (GOOD.replace(b'"turn_id": 1', b'"turn_id": "one"'), 0),
    "a wrong status": (GOOD.replace(b'"success"', b'"perhaps"'), 0),
    "a bad id": (GOOD.replace(b"b7a1c2d3", b"../../x"), 1),
    "another cell's": (GOOD.replace(b"b7a1c2d3", b"ffffffff"), 0),
    "another cell's, cut": (GOOD.replace(b"b7a1c2d3", b"ffffffff")[:-3], 0),
    "nested without end": (b'{"meta":' + b"[" * 100_000, 0),
    "nested objects without end": (b'{"meta":' * 20_000, 0),
    "a number without end": (GOOD.replace(b'"turn_id": 1', b'"turn_id": ' + b"9" * 5000), 0),
}
EACH = pytest.mark.parametrize(("data", "intact"), DAMAGED.values(), ids=DAMAGED.keys())


def asked(session: Session) -> list[str]:
    return [turn.user_request.intent for turn in session.interactions]


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@EACH
@in_loop
async def test_reading_returns_intact_records_and_is_read_only(
    files: FileBackend, data: bytes, intact: int
) -> None:
    """P22, P3"""
    files.plant(KEY, data)
    for _ in range(2):
        if intact:
            session = await files.open().load_session(KEY)
            assert len(session.interactions) == intact
            assert session.events[-1].type == "recovered", "a note reports the recovery"
            assert session.events[-1].data == {"turns": intact, "events": 0}
            raw, revision = await files.open().load_raw(KEY)
            assert (json.loads(raw), revision) == (session.to_dict(), session.revision)
            assert [row.turns for row in (await files.open().list_sessions())[0]] == [intact]
        else:
            with pytest.raises(SessionCorrupt):
                await files.open().load_session(KEY)
            assert await files.open().list_sessions() == ([], 0)
        assert files_in(files.folder) == {NAME: data}


@EACH
@in_loop
async def test_the_next_save_preserves_the_bytes_and_intact_turns(
    files: FileBackend, data: bytes, intact: int
) -> None:
    """P22"""
    for number in (1, 2):
        data += b" " * (number - 1)
        files.plant(KEY, data)
        saved, revision = await files.open().save_interaction(KEY, turn("anew"))
        session = await files.open().load_session(KEY)
        assert asked(session)[intact:] == ["anew"] and revision == session.revision
        assert saved == session.interactions[-1]
        [note] = [e for e in session.events if e.type == "recovered"]
        aside = f"{NAME}.corrupt-{number}"
        assert note.data == {"turns": intact, "events": 0, "kept_as": aside}
        assert note.seq < saved.seq
        assert (files.folder / aside).read_bytes() == data
        await files.open().record_events(KEY, [event()])
        assert len((await files.open().load_session(KEY)).events) == 2, (
            "the repair is not recorded once"
        )


async def long_session(files: FileBackend) -> tuple[bytes, list[tuple[int, str]]]:
    """Return a session in Chinese, and the offset at which each of its records is complete."""
    store = files.open()
    for number in range(2):
        code = f"df = pd.read_csv('数据{number}.csv')\nprint({{'键': [1, {{}}]}})"
        await store.save_interaction(KEY, turn(f"读取第{number}个文件「{{」", code))
        await store.record_events(KEY, [event("edit", source=f"# 手改 {number} 📈")])
    data = (files.folder / NAME).read_bytes()
    session = await store.load_session(KEY)
    ends = []
    for record in [*session.interactions, *session.events]:
        text = json.dumps(record.to_dict(), ensure_ascii=False, indent=2).replace("\n", "\n    ")
        assert data.count(text.encode()) == 1
        kind = "turn" if record.to_dict().get("turn_id") else "event"
        ends.append((data.index(text.encode()) + len(text.encode()), kind))
    return data, ends


def doubled(four: Session, single: Session, layout: str) -> bytes:
    """Return a file with the parts of two sessions, like after a careless merge."""
    parts = {}
    for name, session in (("A", four), ("B", single)):
        fields = codec.to_dict(session)
        for short, part in (("M", "meta"), ("I", "interactions"), ("E", "events")):
            parts[short + name] = f'"{part}": {json.dumps(fields[part])}'
    return ("{" + ", ".join(parts[name] for name in layout.split()) + "}").encode()


@pytest.mark.parametrize("layout", ["MA IA EA IB", "MA IB IA EA", "MA IA EA MB IB EB"])
@in_loop
async def test_duplicate_parts_are_merged(files: FileBackend, layout: str) -> None:
    """P22: duplicate keys lose no turn, and events stay with their turns."""
    four, single = new_session(KEY), new_session(KEY)
    for session, count in ((four, 4), (single, 1)):
        for number in range(1, count + 1):
            saved = append_turn(session, turn(f"{number} of {count}"))
            append_events(session, [event("accept", turn_id=saved.turn_id, source=f"{number}")])
    data = doubled(four, single, layout)
    files.plant(KEY, data)
    wanted = {"1 of 4", "2 of 4", "3 of 4", "4 of 4", "1 of 1"}
    assert set(asked(await files.open().load_session(KEY))) == wanted
    rows, _ = await files.open().list_sessions(KEY.notebook_id)
    assert [row.turns for row in rows] == [5]
    checked = [result async for result in files.open().verify()]
    assert "5 requests" in str([result.problem for result in checked])

    await files.open().save_interaction(KEY, turn("the next"))
    session = await files.open().load_session(KEY)
    assert set(asked(session)) == wanted | {"the next"}
    assert data in files_in(files.folder).values(), "the bytes are kept"
    note = next(item for item in session.events if item.type == "recovered")
    assert note.data["turns"] == 5
    intents = {item.turn_id: item.user_request.intent for item in session.interactions}
    accepted = [intents[item.turn_id] for item in session.events if item.type == "accept"]
    assert accepted[:4] == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    assert len(accepted) == 4 or accepted[4] == "1 of 1"


@in_loop
async def test_a_record_with_duplicate_keys_is_left_out(files: FileBackend) -> None:
    """P22: it may mix two records, as after a merge by lines; its bytes are preserved."""
    session = new_session(KEY)
    for intent in ("one", "two", "three"):
        append_turn(session, turn(intent))
    append_events(session, [event("edit", source="a")])
    data = codec.encode(session).replace(b'"intent": "two"', b'"intent": "x",\n"intent": "two"')
    files.plant(KEY, data)
    await files.open().save_interaction(KEY, turn("the next"))
    result = await files.open().load_session(KEY)
    assert asked(result) == ["one", "three", "the next"]
    assert [item.type for item in result.events or []] == ["edit", "recovered"]
    assert (files.folder / f"{NAME}.corrupt-1").read_bytes() == data


@in_loop
async def test_conflict_markers_hide_no_intact_record(files: FileBackend) -> None:
    """P22, P39: without the merge driver; the bytes of both sides are preserved."""
    session = new_session(KEY)
    for intent in ("one", "two"):
        append_turn(session, turn(intent))
    text = codec.encode(session).decode()
    before, separator, last = text.rpartition('    {\n      "turn_id": 2')
    conflict = f"<<<<<<< ours\n{separator}{last}=======\n>>>>>>> theirs\n"
    files.plant(KEY, (before + conflict).encode())
    assert asked(await files.open().load_session(KEY)) == ["one", "two"]
    [result] = [each async for each in files.open().verify()]
    assert "jupyter aiserver git install" in str(result.problem)
    await files.open().save_interaction(KEY, turn("the next"))
    assert b">>>>>>> theirs" in (files.folder / f"{NAME}.corrupt-1").read_bytes()


def test_records_inside_a_torn_record_are_recovered() -> None:
    """P22: after a block of lines was cut out, intact turns are inside the remains of another."""
    session = new_session(KEY)
    for number in range(3):
        append_turn(session, turn(f"wish {number}"))
    append_events(session, [event("edit", source="mine")])
    fields = codec.to_dict(session)
    torn: dict[str, Any] = {
        "turn_id": 9,
        "timestamp": NOON,
        "user_request": {"intent": "torn", "revision": 3},
    }
    for data in (
        [torn | {"interactions": fields["interactions"], "events": fields["events"]}],
        [torn | {"user_request": torn["user_request"] | {"x": fields["interactions"]}}],
    ):
        hurt = json.dumps({"meta": fields["meta"], "interactions": data}).encode()
        result = recover(hurt, KEY)
        assert asked(result) == ["wish 0", "wish 1", "wish 2"]


@in_loop
async def test_texts_that_look_like_keys_are_not_damage(files: FileBackend) -> None:
    """P22: code and unknown keys may contain the same words."""
    store = files.open()
    await store.save_interaction(KEY, turn("x", 'd = {"interactions": 1, "events": 2}\n"meta"'))
    more = {"meta": 1, "events": [{"meta": 2, "interactions": []}], "x": "interactions"}
    await store.record_events(KEY, [event(data=more)])
    session = await files.open().load_session(KEY)
    assert session.events[-1].type == "run" and session.events[-1].data == more


@in_loop
async def test_a_file_cut_at_every_byte(files: FileBackend) -> None:
    """P22: all intact turns and events are recovered, even from a cut Chinese character."""
    data, ends = await long_session(files)
    intact = codec.parse(data)
    store, inside = files.open(), 0
    for cut in range(len(data.rstrip())):
        files.plant(KEY, data[:cut])
        turns = sum(end <= cut and kind == "turn" for end, kind in ends)
        events = sum(end <= cut and kind == "event" for end, kind in ends)
        inside += data[cut] & 0xC0 == 0x80
        if not turns + events:
            with pytest.raises(SessionCorrupt):
                await store.load_session(KEY)
            continue
        session = await store.load_session(KEY)
        assert session.interactions == intact.interactions[:turns], cut
        assert session.events[:-1] == intact.events[:events], cut
        assert session.meta == intact.meta
    assert inside > 30 and (files.folder / NAME).read_bytes() == data[:cut]


@in_loop
async def test_one_flipped_bit_loses_at_most_one_record(files: FileBackend) -> None:
    """P22: all other records stay identical, and the bytes are quarantined."""
    data, _ = await long_session(files)
    intact = codec.parse(data)
    records = [*intact.interactions, *intact.events]
    store = files.open()
    damaged = 0
    for place in range(0, len(data) * 8, 5):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        files.plant(KEY, bytes(flipped))
        try:
            session = await store.load_session(KEY)
        except SessionCorrupt:
            # The file may now have the id of another cell.
            assert place // 8 < data.index(b"interactions")
            continue
        damaged += any(e.type == "recovered" for e in session.events or [])
        remaining = [*session.interactions, *(session.events or [])]
        lost = [record for record in records if record not in remaining]
        names = place // 8 < data.index(b"[") or data[place // 8 - 12 : place // 8 + 12].count(b"[")
        assert len(lost) <= 1 or names, place
        assert (files.folder / NAME).read_bytes() == flipped
    assert damaged > 300


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(st.data())
def test_no_intact_turn_is_lost_under_random_damage(data: st.DataObject) -> None:
    """P22: bytes are inserted, removed and changed between the turns."""
    session = new_session(KEY)
    for number in range(3):
        append_turn(session, turn(f"第{number}次"))
    text = codec.encode(session)
    starts = [text.index(b'    {\n      "turn_id": %d' % n) for n in (1, 2, 3)] + [len(text) - 6]
    parts = [text[: starts[0]], *(text[a:b] for a, b in itertools.pairwise(starts))]
    rubbish = st.binary(max_size=40).filter(lambda some: b"{" not in some and b'"' not in some)
    hurt = b"".join(data.draw(rubbish) + part for part in parts)
    result = recover(hurt, KEY)
    assert [t for t in result.interactions if t in session.interactions] == session.interactions


@pytest.mark.parametrize("mark", [b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff"])
def test_a_false_byte_order_mark_hides_no_turn(mark: bytes) -> None:
    """P22"""
    session = new_session(KEY)
    append_turn(session, turn("第一次"))
    for extra in (b"", b"x"):
        assert recover(mark + extra + codec.encode(session), KEY).interactions == (
            session.interactions
        )
    text = codec.encode(session).decode()
    assert recover(text.encode("utf-16"), KEY).interactions == session.interactions


@in_loop
async def test_failed_saves_quarantine_a_damaged_file_once(
    files: FileBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P20, P22"""

    def refuse(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    files.plant(KEY, GOOD[:-3])
    with monkeypatch.context() as full:
        full.setattr(sessionfiles, "replace_file", refuse)
        for _ in range(3):
            with pytest.raises(StorageError):
                await files.open().save_interaction(KEY, turn("lost"))
    await files.open().save_interaction(KEY, turn("kept"))
    [aside] = files.folder.glob(f"{NAME}.corrupt-*")
    assert aside.read_bytes() == GOOD[:-3]
    assert "kept" in asked(await files.open().load_session(KEY))


def test_recovery_takes_bounded_time() -> None:
    """P22: for adversarial bytes."""
    for data in (b"{" * 300_000, b'{"a":' * 60_000, b'{"turn_id":1,"user_request":{' * 10_000):
        with at_most(250_000_000):
            assert is_empty(recover(data, KEY))


def test_recovery_of_a_long_session_takes_bounded_time() -> None:
    """P22: thousands of intact records, even if two copies of a session were joined."""
    life = [event("run").model_dump(exclude_unset=True) | {"seq": n} for n in range(1, 6001)]
    other = [item | {"type": "edit"} for item in life]
    data = json.dumps({"meta": None, "events": [*life, *other, *life]}).encode()
    with at_most(250_000_000):
        events = recover(data[:-1], KEY).events or []
    assert len(events) == 12_001
    assert sorted(event.seq for event in events) == list(range(1, 12_002))


@in_loop
async def test_the_list_omits_files_without_intact_records(
    files: FileBackend, caplog: pytest.LogCaptureFixture
) -> None:
    """P22: and lists the others."""
    store = files.open()
    await store.save_interaction(NEIGHBOUR, turn())
    files.plant(KEY, GOOD[:200])
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            rows, total = await store.list_sessions()
            assert ([row.cell_id for row in rows], total) == (["neighbour"], 1)
    messages = [record.getMessage() for record in caplog.records]
    assert len([text for text in messages if NAME in text]) == 1, "not logged once"
    assert not any(str(files.root) in text for text in messages), "P8: the path is logged"


@in_loop
async def test_the_list_omits_unreadable_files(
    files: FileBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P22: a file without read permission hides no other."""
    store = files.open()
    await store.save_interaction(NEIGHBOUR, turn())
    files.plant(KEY, GOOD)

    def refused(path: Path) -> object:
        if path.name == NAME:
            raise PermissionError
        return read_file(path)

    monkeypatch.setattr(reading, "read_file", refused)
    rows, _ = await store.list_sessions()
    assert [row.cell_id for row in rows] == ["neighbour"]


@in_loop
async def test_newer_files_keep_every_byte(files: FileBackend) -> None:
    """P25"""
    newer = GOOD.replace(b'"1.0"', b'"2.0"').replace(b'"turn_id": 1', b'"turn": "one"')
    files.plant(KEY, newer)
    store = files.open()
    assert (await store.load_session(KEY)).interactions == []
    assert await store.load_raw(KEY) == (newer, 0)
    assert (await store.list_sessions())[1] == 1
    for write in (store.save_interaction(KEY, turn()), store.delete(KEY)):
        with pytest.raises(SessionTooNew):
            await write
    assert (files.folder / NAME).read_bytes() == newer
    assert not list(files.folder.glob("*.corrupt-*"))


@in_loop
async def test_delete_removes_quarantined_files(files: FileBackend) -> None:
    for _ in range(2):
        files.plant(KEY, b"{")
        await files.open().save_interaction(KEY, turn("canary"))
    files.plant(NEIGHBOUR, b"{")
    assert await files.open().delete(KEY)
    assert files_in(files.folder) == {session_name(NEIGHBOUR): b"{"}
    assert await files.open().delete(NEIGHBOUR)
    assert not await files.open().delete(NEIGHBOUR)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@in_loop
async def test_a_log_in_another_encoding_is_read(files: FileBackend, encoding: str) -> None:
    """P22: also after a restart, and with lines in UTF-8 after it."""
    lines = [log_entry(path="一"), log_entry(path="two")]
    first = await files.open().append_notebook_log(KEY.notebook_id, lines)
    path = files.folder / "notebooks" / log_name(KEY.notebook_id)
    text = path.read_text(encoding="utf-8").replace("\n", "\r\n")
    path.write_bytes((("\ufeff" if encoding == "utf-16-be" else "") + text).encode(encoding))
    before = path.read_bytes()
    assert await files.open().read_notebook_log(KEY.notebook_id) == first
    for number in (3, 4):
        [added] = await files.open().append_notebook_log(KEY.notebook_id, [log_entry(path="三")])
        first.append(added)
        assert added.seq == number
    assert await files.open().read_notebook_log(KEY.notebook_id) == first
    assert [result.problem async for result in files.open().verify()] == [None]
    assert path.read_bytes().startswith(before), "the bytes are kept"


@in_loop
async def test_a_torn_log_is_read_and_repaired(files: FileBackend) -> None:
    """P22: truncated at every byte of the last line."""
    first = await files.open().append_notebook_log(KEY.notebook_id, [log_entry(path="一")])
    path = files.folder / "notebooks" / log_name(KEY.notebook_id)
    intact = path.read_bytes()
    second = await files.open().append_notebook_log(KEY.notebook_id, [log_entry(path="二")])
    both = path.read_bytes()
    for end in range(len(intact), len(both)):
        path.write_bytes(both[:end])
        expected_entries = first + second if end == len(both) - 1 else first
        assert await files.open().read_notebook_log(KEY.notebook_id) == expected_entries
        [third] = await files.open().append_notebook_log(KEY.notebook_id, [log_entry(path="三")])
        assert third.seq == len(expected_entries) + 1
        assert await files.open().read_notebook_log(KEY.notebook_id) == [*expected_entries, third]
        assert path.read_bytes().startswith(both[:end]), "the bytes are kept"


@in_loop
async def test_damaged_log_lines_are_skipped(
    files: FileBackend, caplog: pytest.LogCaptureFixture
) -> None:
    """P22"""
    store: FileSessionManager = files.open()
    remaining = await store.append_notebook_log(KEY.notebook_id, [log_entry(n=1), log_entry(n=2)])
    path = files.folder / "notebooks" / log_name(KEY.notebook_id)
    single, two = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"\xef\xbb\xbf{}\n" + single + b"[1]\n\n\0\0\n" + b"[" * 100_000 + b"\n" + two)
    for _ in range(3):
        assert await store.read_notebook_log(KEY.notebook_id) == remaining
    assert len([r for r in caplog.records if r.levelno >= logging.WARNING]) == 1
    [third] = await store.append_notebook_log(KEY.notebook_id, [log_entry(n=3)])
    assert third.seq == 3


@in_loop
async def test_a_damaged_blob_is_not_returned(files: FileBackend) -> None:
    digest = await files.open().put_blob(b"picture")
    path = files.folder / "blobs" / digest[:2] / blob_name(digest)
    path.write_bytes(b"pictura")
    assert await files.open().get_blob(digest) is None
    assert await files.open().put_blob(b"picture") == digest
    assert await files.open().get_blob(digest) == b"picture"


@pytest.mark.skipif(os.name == "nt", reason="uses a POSIX file kind")
@in_loop
async def test_a_blob_that_is_a_link_is_not_followed(files: FileBackend, tmp_path: Path) -> None:
    """P6"""
    digest = await files.open().put_blob(b"picture")
    path = files.folder / "blobs" / digest[:2] / digest
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert await files.open().get_blob(digest) is None
    await files.open().put_blob(b"picture")
    assert not path.is_symlink()
    assert (tmp_path / "elsewhere").read_bytes() == b"picture"
