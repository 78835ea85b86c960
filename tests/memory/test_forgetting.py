"""Forgetting is complete: stored prompts with an entry's text are deleted, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aiserver.errors import StorageUnreachable
from aiserver.generation.receipts import SentPrompt, decode_prompt
from aiserver.models import SessionKey
from aiserver.plugins.memory.entries import Scope
from aiserver.plugins.memory.forgetting import StoredPrompts, forget
from aiserver.plugins.memory.manager import MemoryManager
from aiserver.plugins.memory.stores.file import PROJECT_FOLDER, FileMemoryStore
from aiserver.sessions.base import SessionManager
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.surrogates import json_bytes
from aiserver.testing.records import turn

CANARY = "canary-7c2f: 图表用中文标题"
PNG = b"\x89PNG\r\n\x1a\n" + CANARY.encode()


def prompt(*texts: str) -> bytes:
    messages = [{"role": "user", "text": text, "example": False} for text in texts]
    return json_bytes({"version": 1, "hidden": 0, "masked": 0, "messages": messages})


@pytest.fixture(params=["file", "sqlite", "memory"])
def sessions(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SessionManager]:
    url = {
        "file": (tmp_path / "files").as_uri(),
        "sqlite": f"sqlite:///{tmp_path}/histories.db",
        "memory": "memory://",
    }[request.param]
    (tmp_path / "files").mkdir()
    yield create_session_manager(url, parent=None, start_dir=str(tmp_path))


@pytest.fixture
def memories(tmp_path: Path) -> MemoryManager:
    project = FileMemoryStore(tmp_path / PROJECT_FOLDER, is_shared_by_git=True)
    return MemoryManager(FileMemoryStore(tmp_path / "person"), project, project_name="p")


def files_with(canary: str, folder: Path) -> list[str]:
    """Return the files that contain a text, as it is or escaped as in JSON."""
    escaped = canary.encode("ascii", "backslashreplace")
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in (canary.encode(), escaped))
    ]


@pytest.mark.parametrize("scope", ["project", "person"])
async def test_no_byte_of_a_forgotten_entry_remains(
    sessions: SessionManager, memories: MemoryManager, tmp_path: Path, scope: Scope
) -> None:
    """P45"""
    await memories.add(scope, CANARY)
    other = await memories.add(scope, "Use pandas")
    await memories.propose(CANARY, scope, "import")
    await memories.propose("Amounts are in 万元", scope, "import")
    sent = await sessions.put_blob(prompt("rules", f"- {CANARY} (2026-11-27)\n- Use pandas"))
    unrelated = await sessions.put_blob(prompt("rules", "- Use pandas"))
    image = await sessions.put_blob(PNG.replace(CANARY.encode(), b""))
    key = SessionKey("nb", "c")
    await sessions.save_interaction(key, turn("plot", prompt=sent))
    listed = [item for item in await memories.list_entries() if item.text == CANARY]
    assert await forget(memories, listed, [StoredPrompts(sessions, [CANARY])]) == 1
    assert await sessions.list_blobs() == sorted([unrelated, image])
    assert await memories.list_entries() == [other]
    assert [waiting.text for waiting in await memories.pending()] == ["Amounts are in 万元"]
    # The turn stays.
    assert (await sessions.load_session(key)).interactions[0].prompt == sent
    assert files_with("canary-7c2f", tmp_path) == files_with("图表用中文标题", tmp_path) == []
    await sessions.close()


MATCHES: list[tuple[str, str]] = [
    ("Use polars", "memory:\n- Use polars\n- x"),
    ("Use polars", "请用 Use polars"),
    ("图表用中文标题", "请记住图表用中文标题。"),
    ("Join on\nthe order id", "- Join on the order id (2026-01-01)"),
    ("Join on\nthe order id", "- Join on …"),  # shortened after its first line
    ("Write titles in Chinese, " + "really " * 60, "- Write titles in Chinese, really really rea…"),
    ('Say "hello\\world"', 'x\n- Say "hello\\world"'),
    ("Use \u200bpolars\u202e", "- Use polars"),  # invisible characters aren't sent
    ("* nested\n* list", "nested list"),
    ("the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "the key is ‹redacted:openai-key›"),
    ("password = 'hunter2-hunter2'; use it", "password = '‹redacted:password:1f›'; use it"),
]


@pytest.mark.parametrize(("text", "sent"), MATCHES)
async def test_a_prompt_contains_an_entry_also_if_it_was_changed(text: str, sent: str) -> None:
    sessions = InMemorySessionManager()
    await sessions.put_blob(prompt("rules", sent))
    stored = StoredPrompts(sessions, [text])
    await stored.delete()
    assert stored.deleted_count == 1 and await sessions.list_blobs() == []


@pytest.mark.parametrize(
    ("is_long", "count"), [(False, 0), (True, 1)], ids=["a longer note stays", "the note itself"]
)
async def test_a_complete_text_is_found_up_to_its_end(is_long: bool, count: int) -> None:
    sessions = InMemorySessionManager()
    start = "Notebook: Analysis of the monthly sales of all shops"
    note = f"{start}.\nReads b.csv." if is_long else f"{start}.\nReads a.csv."
    await sessions.put_blob(prompt(f"rules\n<note 012345>\n{start}.\nReads b.csv.\n</note 012345>"))
    stored = StoredPrompts(sessions, [f"{note}\n</note"], are_complete=True)
    await stored.delete()
    assert stored.deleted_count == count
    await StoredPrompts(sessions, [f"{start}.\n</note", start[10:]], are_complete=True).delete()
    assert await sessions.list_blobs() == []


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("use pandas", prompt("reuse pandas", "use pandas".upper())),
        ("canary", PNG),
        ("canary", b"canary"),
        ("canary", b'{"a": "canary"'),
        ("canary", json_bytes({"version": 1, "note": "canary"})),
        ("canary", json_bytes(["canary"])),
        ("  \n ", prompt("x")),
    ],
)
async def test_no_other_blob_is_deleted(text: str, data: bytes) -> None:
    sessions = InMemorySessionManager()
    await sessions.put_blob(data)
    stored = StoredPrompts(sessions, [text])
    await stored.delete()
    assert stored.deleted_count == 0 and len(await sessions.list_blobs()) == 1


async def test_prompts_of_other_owners_stay() -> None:
    sessions = InMemorySessionManager()
    await sessions.put_blob(prompt("canary"), owner="ada")
    await sessions.put_blob(prompt("canary"), owner="bob")
    await StoredPrompts(sessions, ["canary"], owner="ada").delete()
    assert await sessions.list_blobs(owner="ada") == []
    assert len(await sessions.list_blobs(owner="bob")) == 1


class _FailingSessions(InMemorySessionManager):
    async def list_blobs(self, *, owner: str = "") -> list[str]:
        raise StorageUnreachable


async def test_after_a_failure_the_entry_can_be_forgotten_again(memories: MemoryManager) -> None:
    await memories.add("person", "canary")
    listed = await memories.list_entries()
    with pytest.raises(StorageUnreachable):
        await forget(memories, listed, [StoredPrompts(_FailingSessions(), ["canary"])])
    assert await memories.list_entries() == listed


class _LateSessions(InMemorySessionManager):
    """Another request stores its prompt after the prompts were listed."""

    listings = 0

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        blobs = await super().list_blobs(owner=owner)
        self.listings += 1
        if self.listings == 1:
            await self.put_blob(prompt("canary 2"))
        return blobs


async def test_a_prompt_that_is_stored_meanwhile_is_deleted(memories: MemoryManager) -> None:
    await memories.add("person", "canary")
    sessions = _LateSessions()
    await sessions.put_blob(prompt("canary 1"))
    listed = await memories.list_entries()
    assert await forget(memories, listed, [StoredPrompts(sessions, ["canary"])]) == 2
    assert await sessions.list_blobs() == []
    assert await forget(memories, listed, []) == 0  # forgotten already


async def test_prompts_are_searched_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person may have thousands of prompts, each of which takes a millisecond."""
    threads: list[threading.Thread] = []

    def decode(data: bytes) -> SentPrompt | None:
        threads.append(threading.current_thread())
        return decode_prompt(data)

    monkeypatch.setattr("aiserver.plugins.memory.forgetting.decode_prompt", decode)
    sessions = InMemorySessionManager()
    await sessions.put_blob(prompt("canary"))
    await StoredPrompts(sessions, ["canary"]).delete()
    assert threads and threading.current_thread() not in threads
