"""P22: damaged files are set aside with their bytes kept, and all others load."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest

from aiserver.errors import SessionCorrupt, SessionTooNew
from aiserver.models import SessionKey
from aiserver.sessions import sessionfiles
from aiserver.sessions.durable import read_file
from aiserver.sessions.file import FileSessionManager
from aiserver.sessions.filenames import blob_name, log_name, session_name
from aiserver.sessions.place import Place

from .conftest import FileBackend
from .records import KEY, in_loop, log_entry, turn

GOOD = (Path(__file__).parent.parent / "data" / "session-1.0.json").read_bytes()
NAME = session_name(KEY)
NEIGHBOUR = SessionKey(KEY.notebook_id, "neighbour")

DAMAGED = {
    "empty": b"",
    "zeros": b"\0" * 4096,
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "UTF-16": GOOD.decode().encode("utf-16"),
    "not UTF-8": GOOD.replace(b"pandas", b"pand\xff\xfe"),
    "not JSON": b"<<<<<<< HEAD\n" + GOOD,
    "two objects": GOOD + GOOD,
    "a list": b"[" + GOOD + b"]",
    "a number": b"17",
    "null": b"null",
    "no meta": b'{"interactions": []}',
    "no turns": json.dumps({"meta": json.loads(GOOD)["meta"]}).encode(),
    "a wrong turn": GOOD.replace(b'"turn_id": 1', b'"turn_id": "one"'),
    "a wrong status": GOOD.replace(b'"success"', b'"perhaps"'),
    "a bad id": GOOD.replace(b"b7a1c2d3", b"../../x"),
    "another cell's": GOOD.replace(b"b7a1c2d3", b"ffffffff"),
    "nested without end": b'{"meta":' + b"[" * 100_000,
    "a number without end": GOOD.replace(b'"turn_id": 1', b'"turn_id": ' + b"9" * 5000),
}


async def check_set_aside(files: FileBackend, data: bytes) -> None:
    """Loading says it once and keeps the bytes; then the cell begins anew."""
    files.plant(KEY, data)
    with pytest.raises(SessionCorrupt):
        await files.open().load_session(KEY)
    assert not (files.folder / NAME).exists()
    assert (files.folder / f"{NAME}.corrupt-1").read_bytes() == data
    assert await files.open().load_if_exists(KEY) is None
    await files.open().save_interaction(KEY, turn("anew"))
    [saved] = (await files.open().load_session(KEY)).interactions
    assert saved.user_request.intent == "anew"
    assert (files.folder / f"{NAME}.corrupt-1").read_bytes() == data


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
@in_loop
async def test_damage_is_said_and_the_bytes_are_kept(files: FileBackend, data: bytes) -> None:
    """P22"""
    await check_set_aside(files, data)


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
@in_loop
async def test_a_save_is_not_lost_over_damage(files: FileBackend, data: bytes) -> None:
    """P22"""
    files.plant(KEY, data)
    assert (await files.open().save_interaction(KEY, turn("kept")))[1] == 1
    assert (files.folder / f"{NAME}.corrupt-1").read_bytes() == data
    files.plant(KEY, data + b" ")
    await files.open().save_interaction(KEY, turn("kept"))
    assert (files.folder / f"{NAME}.corrupt-1").read_bytes() == data
    assert (files.folder / f"{NAME}.corrupt-2").read_bytes() == data + b" "


@in_loop
async def test_cut_at_every_byte(files: FileBackend) -> None:
    """P22"""
    store = files.open()
    for end in range(len(GOOD.rstrip())):
        files.plant(KEY, GOOD[:end])
        with pytest.raises(SessionCorrupt):
            await store.load_session(KEY)
        aside = files.folder / f"{NAME}.corrupt-1"
        assert aside.read_bytes() == GOOD[:end]
        aside.unlink()


@in_loop
async def test_one_flipped_bit_loses_no_byte(files: FileBackend) -> None:
    """P22: it loads, or is set aside, or is read-only; the bytes are there in each case."""
    outcomes = set()
    store = files.open()
    aside = files.folder / f"{NAME}.corrupt-1"
    for place in range(0, len(GOOD) * 8, 7):
        flipped = bytearray(GOOD)
        flipped[place // 8] ^= 1 << place % 8
        files.plant(KEY, bytes(flipped))
        try:
            session = await store.load_session(KEY)
            assert (files.folder / NAME).read_bytes() == flipped
            assert len(session.interactions) == 1
            outcomes.add("loaded")
        except SessionCorrupt:
            assert aside.read_bytes() == flipped
            aside.unlink()
            outcomes.add("set aside")
    assert outcomes == {"loaded", "set aside"}


@in_loop
async def test_the_list_leaves_out_what_is_damaged(
    files: FileBackend, caplog: pytest.LogCaptureFixture
) -> None:
    """P22"""
    await files.open().save_interaction(NEIGHBOUR, turn())
    files.plant(KEY, GOOD[:-20])
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            rows, total = await files.open().list_sessions()
            assert ([row.cell_id for row in rows], total) == (["neighbour"], 1)
    assert (files.folder / f"{NAME}.corrupt-1").read_bytes() == GOOD[:-20]
    messages = [record.getMessage() for record in caplog.records]
    assert len([text for text in messages if NAME in text]) == 1, "said once"
    assert not any(str(files.root) in text for text in messages), "P8: no path"


@in_loop
async def test_the_list_leaves_out_what_cannot_be_read_or_moved(
    files: FileBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P22: one file that is locked, or not ours to read, hides no other."""
    store = FileSessionManager(root=str(files.root), lock_timeout=0.05)
    await store.save_interaction(NEIGHBOUR, turn())
    files.plant(KEY, GOOD[:-20])
    other = Place(files.root, 10)
    with other.writing(NAME):
        rows, _ = await store.list_sessions()
    assert [row.cell_id for row in rows] == ["neighbour"]
    assert (files.folder / NAME).read_bytes() == GOOD[:-20]

    def refused(path: Path) -> object:
        if path.name == NAME:
            raise PermissionError
        return read_file(path)

    monkeypatch.setattr(sessionfiles, "read_file", refused)
    rows, _ = await store.list_sessions()
    assert [row.cell_id for row in rows] == ["neighbour"]


@in_loop
async def test_a_good_file_is_never_set_aside(files: FileBackend) -> None:
    """P22: another process may mend the file between our look and our lock."""
    files.plant(KEY, GOOD[:-20])
    store = files.open()
    read = store._files._read

    def read_then_mended(name: str) -> object:
        found = read(name)
        files.plant(KEY, GOOD)
        return found

    store._files._read = read_then_mended  # type: ignore[method-assign, assignment]
    assert len((await store.load_session(KEY)).interactions) == 1
    assert (files.folder / NAME).read_bytes() == GOOD
    files.plant(KEY, GOOD[:-20])
    assert await files.open().list_sessions() == ([], 0)
    assert not (files.folder / NAME).exists()


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
async def test_delete_takes_what_was_set_aside(files: FileBackend) -> None:
    for _ in range(2):
        files.plant(KEY, b"{")
        await files.open().save_interaction(KEY, turn("canary"))
    files.plant(NEIGHBOUR, b"{")
    await files.open().list_sessions()
    assert await files.open().delete(KEY)
    assert [path.name for path in files.folder.iterdir() if path.is_file()] == [
        f"{session_name(NEIGHBOUR)}.corrupt-1"
    ]
    assert await files.open().delete(NEIGHBOUR)
    assert not await files.open().delete(NEIGHBOUR)


@in_loop
async def test_a_torn_log_is_read_and_mended(files: FileBackend) -> None:
    """P22: cut at every byte, in the last line."""
    first = await files.open().append_notebook_log(KEY.notebook_id, [log_entry(path="一")])
    path = files.folder / "notebooks" / log_name(KEY.notebook_id)
    whole = path.read_bytes()
    second = await files.open().append_notebook_log(KEY.notebook_id, [log_entry(path="二")])
    both = path.read_bytes()
    for end in range(len(whole), len(both)):
        path.write_bytes(both[:end])
        there = first + second if end == len(both) - 1 else first
        assert await files.open().read_notebook_log(KEY.notebook_id) == there
        [third] = await files.open().append_notebook_log(KEY.notebook_id, [log_entry(path="三")])
        assert third.seq == len(there) + 1
        assert await files.open().read_notebook_log(KEY.notebook_id) == [*there, third]
        assert path.read_bytes().startswith(both[:end]), "the bytes are kept"


@in_loop
async def test_damaged_log_lines_are_passed_over(
    files: FileBackend, caplog: pytest.LogCaptureFixture
) -> None:
    """P22"""
    store: FileSessionManager = files.open()
    kept = await store.append_notebook_log(KEY.notebook_id, [log_entry(n=1), log_entry(n=2)])
    path = files.folder / "notebooks" / log_name(KEY.notebook_id)
    one, two = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"\xef\xbb\xbf{}\n" + one + b"[1]\n\n\0\0\n" + b"[" * 100_000 + b"\n" + two)
    for _ in range(3):
        assert await store.read_notebook_log(KEY.notebook_id) == kept
    assert len([r for r in caplog.records if r.levelno >= logging.WARNING]) == 1
    [third] = await store.append_notebook_log(KEY.notebook_id, [log_entry(n=3)])
    assert third.seq == 3


@in_loop
async def test_a_damaged_blob_is_not_given_out(files: FileBackend) -> None:
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
