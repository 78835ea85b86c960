"""P28: histories stay with their notebooks, and are never mixed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from aiserver.errors import InvalidRequest, StorageFull
from aiserver.models import Session, SessionKey
from aiserver.notebooks.identity import NotebookIdentity, NotebookRegistry
from aiserver.sessions.base import SessionManager
from aiserver.testing import Backend
from aiserver.testing.records import in_loop, turn

from ..sessions.conftest import DurableBackend

CELLS = ["c1c1c1c1", "c2c2c2c2", "c3c3c3c3"]


@dataclass
class Disk:
    """Notebook files: the id in each file, by path."""

    ids: dict[str, str | None] = field(default_factory=dict)

    def name(self, path: str) -> str:
        return path

    def path(self, name: str) -> str | None:
        return name

    async def exists(self, name: str) -> bool:
        return name in self.ids

    async def notebook_id(self, name: str) -> str | None:
        return self.ids.get(name)

    async def is_same(self, name: str, other: str) -> bool:
        return name == other


class World:
    """A person with a disk of notebooks, and a server that may be restarted."""

    def __init__(self, backend: Backend) -> None:
        self.backend, self.disk = backend, Disk()
        self.restart()

    def restart(self) -> None:
        self.store: SessionManager = self.backend.open()
        self.registry = NotebookRegistry(self.store, self.disk)

    async def open(self, path: str, cells: list[str] = CELLS) -> NotebookIdentity:
        """Open the notebook at a path, and save it with its id."""
        identity = await self.ask(path, cells)
        self.disk.ids[path] = identity.notebook_id
        return identity

    async def ask(self, path: str, cells: list[str] = CELLS) -> NotebookIdentity:
        """Like ``open``, but the answer never reaches the notebook."""
        carried = self.disk.ids.setdefault(path, None)
        return await self.registry.identify(path, carried, cells)

    def copy(self, path: str, other: str) -> None:
        self.disk.ids[other] = self.disk.ids[path]

    def move(self, path: str, other: str) -> None:
        self.disk.ids[other] = self.disk.ids.pop(path)

    async def write(self, notebook_id: str, cell_id: str = "c1c1c1c1", intent: str = "x") -> None:
        await self.store.save_interaction(SessionKey(notebook_id, cell_id), turn(intent))

    async def history(self, notebook_id: str, cell_id: str = "c1c1c1c1") -> list[str]:
        turns = await self.store.get_history(SessionKey(notebook_id, cell_id))
        return [each.user_request.intent for each in turns]


@pytest.fixture
def world(local_backend: Backend) -> World:
    """A world whose server never stops or, with a durable store, is new for each call."""
    world = World(local_backend)
    if isinstance(local_backend, DurableBackend):
        ask = world.ask

        async def ask_after_restart(path: str, cells: list[str] = CELLS) -> NotebookIdentity:
            world.restart()
            return await ask(path, cells)

        world.ask = ask_after_restart  # type: ignore[method-assign]
    return world


@in_loop
async def test_a_new_notebook_gets_a_uuid_and_keeps_it(world: World) -> None:
    first = await world.open("a.ipynb")
    assert uuid.UUID(first.notebook_id).version == 4
    assert first.forked_from is None
    assert await world.open("a.ipynb") == first
    assert (await world.open("b.ipynb", ["d1d1d1d1"])).notebook_id != first.notebook_id


@in_loop
async def test_a_log_that_git_takes_away_at_once_is_forgotten(world: World) -> None:
    """P28: on the other branch, the notebook has a new id and its path, so a copy isn't it."""
    first = await world.open("a.ipynb")
    assert await world.store.delete_notebook_log(first.notebook_id)  # as ``git switch`` does
    world.disk.ids["a.ipynb"] = None
    second = await world.open("a.ipynb")
    assert second.notebook_id != first.notebook_id
    await world.write(second.notebook_id)
    world.copy("a.ipynb", "b.ipynb")
    assert (await world.open("b.ipynb")).forked_from == second.notebook_id


@in_loop
async def test_a_renamed_notebook_keeps_its_history(world: World) -> None:
    """P28"""
    before = await world.open("a.ipynb")
    await world.write(before.notebook_id)
    world.move("a.ipynb", "deep/分析.ipynb")
    assert await world.open("deep/分析.ipynb") == before
    assert await world.open("/deep/分析.ipynb/") == before, "the same path, written otherwise"
    world.move("deep/分析.ipynb", "a.ipynb")
    assert await world.open("a.ipynb") == before


@in_loop
async def test_a_copy_gets_its_own_history(world: World) -> None:
    """P28"""
    original = await world.open("a.ipynb")
    await world.write(original.notebook_id, "c1c1c1c1", "before")
    await world.write(original.notebook_id, "deleted", "of a deleted cell")
    world.copy("a.ipynb", "a-Copy1.ipynb")
    copy = await world.open("a-Copy1.ipynb")
    assert copy.forked_from == original.notebook_id
    assert copy.notebook_id != original.notebook_id
    session = await world.store.load_session(SessionKey(copy.notebook_id, "c1c1c1c1"))
    assert session.meta.forked_from is not None
    assert session.meta.forked_from["notebook_id"] == original.notebook_id
    assert await world.history(copy.notebook_id, "deleted") == ["of a deleted cell"]

    await world.write(original.notebook_id, intent="original")
    await world.write(copy.notebook_id, intent="copy")
    assert await world.history(original.notebook_id) == ["before", "original"]
    assert await world.history(copy.notebook_id) == ["before", "copy"]
    assert await world.open("a.ipynb") == original
    assert await world.open("a-Copy1.ipynb") == NotebookIdentity(copy.notebook_id)


@in_loop
async def test_a_copy_that_is_moved_before_it_is_opened(world: World) -> None:
    """P28"""
    original = await world.open("a.ipynb")
    world.copy("a.ipynb", "b.ipynb")
    world.move("b.ipynb", "c.ipynb")
    assert (await world.open("c.ipynb")).forked_from == original.notebook_id
    world.move("a.ipynb", "b.ipynb")
    assert await world.open("b.ipynb") == original


@in_loop
async def test_moved_while_another_gets_the_old_path(world: World) -> None:
    """P28"""
    first = await world.open("a.ipynb")
    world.move("a.ipynb", "b.ipynb")
    world.disk.ids["a.ipynb"] = None
    assert await world.open("b.ipynb") == first
    second = await world.open("a.ipynb", ["d1d1d1d1"])
    assert second.notebook_id != first.notebook_id
    world.move("a.ipynb", "x"), world.move("b.ipynb", "a.ipynb"), world.move("x", "b.ipynb")
    assert await world.open("a.ipynb") == first, "swapped"
    assert await world.open("b.ipynb", ["d1d1d1d1"]) == second, "swapped"


@in_loop
async def test_a_lost_answer_is_repeated(world: World) -> None:
    """P28: the id stays the same until the notebook is saved with it."""
    first = await world.ask("a.ipynb")
    assert await world.ask("a.ipynb") == first
    world.disk.ids["a.ipynb"] = first.notebook_id
    await world.write(first.notebook_id)
    world.copy("a.ipynb", "b.ipynb")
    copies = [await world.ask("b.ipynb") for _ in range(3)]
    assert copies == [copies[0]] * 3
    assert len(await world.store.list_notebooks()) == 2


@in_loop
async def test_a_notebook_without_metadata_is_recognised_by_path_and_cells(world: World) -> None:
    """P28"""
    first = await world.open("a.ipynb")
    world.disk.ids["a.ipynb"] = None
    assert await world.open("a.ipynb", ["new", "c2c2c2c2"]) == first
    world.disk.ids["a.ipynb"] = None
    assert await world.open("a.ipynb", ["new"]) == first, "cells seen later count as well"


@pytest.mark.parametrize("cells", [["0", "1"], ["imports", "plot"]])
@in_loop
async def test_a_page_is_the_notebook_that_its_kernel_has_registered(
    world: World, cells: list[str]
) -> None:
    """``%%ai`` was the first request, after the page had read the file."""
    first = await world.ask("n.ipynb", cells)
    await world.write(first.notebook_id, cells[1])
    assert await world.ask("n.ipynb", [*cells, "dddd4444"]) == first


@in_loop
async def test_a_reused_untitled_inherits_nothing(world: World) -> None:
    """P28"""
    first = await world.open("Untitled.ipynb")
    await world.write(first.notebook_id)
    for cells in (["d1d1d1d1", "d2d2d2d2"], []):
        world.disk.ids["Untitled.ipynb"] = None
        other = await world.open("Untitled.ipynb", cells)
        assert (other.notebook_id != first.notebook_id, other.forked_from) == (True, None)
        assert await world.history(other.notebook_id) == []
    world.disk.ids["other.ipynb"] = None
    assert (await world.open("other.ipynb")).notebook_id != first.notebook_id, "path counts"


@in_loop
async def test_cells_decide_between_notebooks_of_one_path(world: World) -> None:
    """P28"""
    identities = []
    for cells in (["aaaa1111", "aaaa2222"], ["bbbb1111", "bbbb2222"]):
        world.disk.ids["a.ipynb"] = None
        identities.append(await world.open("a.ipynb", cells))
        await world.write(identities[-1].notebook_id, cells[0])
    for identity, cells in zip(identities, (["aaaa2222"], ["bbbb1111"]), strict=True):
        world.disk.ids["a.ipynb"] = None
        assert await world.open("a.ipynb", cells) == identity


@in_loop
async def test_an_old_version_back_at_the_old_path_is_a_copy(world: World) -> None:
    """P28: `git checkout` brings back a file without its id while the moved one lives on."""
    first = await world.open("a.ipynb")
    await world.write(first.notebook_id)
    world.move("a.ipynb", "b.ipynb")
    await world.open("b.ipynb")
    world.disk.ids["a.ipynb"] = None
    back = await world.open("a.ipynb")
    assert back.forked_from == first.notebook_id
    assert await world.open("b.ipynb") == first


@in_loop
async def test_a_foreign_notebook_keeps_its_id(world: World) -> None:
    """A clone, or a notebook that came by mail: no store here has its id."""
    world.disk.ids["a.ipynb"] = "id-from_Elsewhere"
    assert await world.open("a.ipynb") == NotebookIdentity("id-from_Elsewhere")
    with pytest.raises(InvalidRequest):
        await world.registry.identify("a.ipynb", "../x", CELLS)


@in_loop
async def test_only_changes_are_logged(world: World) -> None:
    first = await world.open("a.ipynb")
    for _ in range(3):
        await world.open("a.ipynb")
    await world.open("a.ipynb", ["c2c2c2c2", "c1c1c1c1"])
    world.move("a.ipynb", "b.ipynb")
    await world.open("b.ipynb", ["c2c2c2c2", "c1c1c1c1"])
    log = await world.store.read_notebook_log(first.notebook_id)
    assert [(entry.type, entry.data) for entry in log] == [
        ("path_seen", {"path": "a.ipynb"}),
        ("cell_order", {"cell_ids": CELLS}),
        ("cell_order", {"cell_ids": ["c2c2c2c2", "c1c1c1c1"]}),
        ("path_seen", {"path": "b.ipynb"}),
        ("cell_order", {"cell_ids": ["c2c2c2c2", "c1c1c1c1"]}),
    ]


@in_loop
async def test_concurrent_calls_get_the_same_id(world: World) -> None:
    """Several tabs open one notebook, and two copies of it."""
    answers = await asyncio.gather(*(world.registry.identify("a", None, CELLS) for _ in range(5)))
    assert answers == [answers[0]] * 5
    first = answers[0].notebook_id
    world.disk.ids |= {"a": first, "b": first, "c": first}
    paths = ["b", "c", "b", "c"]
    copies = await asyncio.gather(*(world.registry.identify(p, first, CELLS) for p in paths))
    assert copies[0] == copies[2] != copies[1] == copies[3]
    assert {copy.forked_from for copy in copies} == {first}


def test_two_servers_at_once_give_one_id(tmp_path: Path) -> None:
    """P28: two processes are asked for the same notebooks, whose cells have no ids yet."""
    command = [sys.executable, "-m", "tests.sessions.asker", str(tmp_path), "30"]
    servers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for server in servers:
        assert server.stdout and server.stdout.readline() == "ready\n"
    for server in servers:
        assert server.stdin
        server.stdin.write("go\n")
        server.stdin.flush()
    answers = [server.communicate(timeout=60)[0].split() for server in servers]
    assert [server.returncode for server in servers] == [0, 0, 0]
    assert answers[0] == answers[1] == answers[2]
    assert len(set(answers[0])) == 30


@in_loop
async def test_the_saved_file_decides(world: World) -> None:
    """P28: a page that was opened before another asked and saved gets the other's id."""
    first = await world.open("a.ipynb", ["made", "up"])
    await world.write(first.notebook_id, "made")
    stale = await world.registry.identify("a.ipynb", None, ["other", "ones"])
    assert stale == first
    world.disk.ids["a.ipynb"] = "../x"
    odd = await world.registry.identify("a.ipynb", None, ["d1d1d1d1"])
    assert odd.notebook_id not in (first.notebook_id, "../x")


@in_loop
async def test_an_id_without_sessions_can_be_shared(world: World) -> None:
    """P28: two pages with different cells, neither saved yet."""
    world.disk.ids["a.ipynb"] = None
    first = await world.registry.identify("a.ipynb", None, ["aaaa0001"])
    assert await world.registry.identify("a.ipynb", None, ["bbbb0001"]) == first
    await world.write(first.notebook_id, "aaaa0001")
    other = await world.registry.identify("a.ipynb", None, ["cccc0001"])
    assert other.notebook_id != first.notebook_id
    assert await world.registry.identify("a.ipynb", None, ["bbbb0001"]) == first


@in_loop
async def test_servers_share_their_logs(local_backend: Backend) -> None:
    world, other = World(local_backend), World(local_backend)
    other.disk = world.disk
    other.restart()
    first = await world.open("a.ipynb")
    assert await other.open("a.ipynb") == first
    assert await world.open("a.ipynb") == first
    world.move("a.ipynb", "b.ipynb")
    assert await other.open("b.ipynb") == first
    world.disk.ids["b.ipynb"] = None
    assert await world.open("b.ipynb") == first


@in_loop
async def test_a_copy_of_many_cells_blocks_no_other_notebook(
    local_backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(local_backend)
    first = await world.open("a.ipynb")
    await world.write(first.notebook_id)
    world.copy("a.ipynb", "b.ipynb")
    fork = type(world.store).fork
    others: list[NotebookIdentity] = []

    async def open_another(self: SessionManager, source: SessionKey, target: SessionKey) -> Session:
        others.append(await asyncio.wait_for(world.open("c.ipynb", ["d1d1d1d1"]), 5))
        return await fork(self, source, target)

    monkeypatch.setattr(type(world.store), "fork", open_another)
    copy = await world.open("b.ipynb")
    assert copy.forked_from == first.notebook_id and len(others) == 1
    assert await world.history(copy.notebook_id) == ["x"]


@in_loop
async def test_an_interrupted_fork_is_completed(
    local_backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P20, P28"""
    world = World(local_backend)
    first = await world.open("a.ipynb")
    for cell_id in CELLS:
        await world.write(first.notebook_id, cell_id, cell_id)
    world.copy("a.ipynb", "b.ipynb")
    fork = type(world.store).fork

    async def full(self: SessionManager, source: SessionKey, target: SessionKey) -> Session:
        if source.cell_id == "c2c2c2c2":
            raise StorageFull
        return await fork(self, source, target)

    monkeypatch.setattr(type(world.store), "fork", full)
    with pytest.raises(StorageFull):
        await world.open("b.ipynb")
    monkeypatch.undo()
    world.restart()
    copy = await world.open("b.ipynb")
    assert [await world.history(copy.notebook_id, c) for c in CELLS] == [[c] for c in CELLS]
    assert len(await world.store.list_notebooks()) == 2
    # Its log has one entry with the inherited records.
    await world.open("b.ipynb")
    log = await world.store.read_notebook_log(copy.notebook_id)
    (data,) = (entry.data for entry in log if entry.data.get("inherited"))
    assert data["cells"] == dict.fromkeys(CELLS, 1)
    assert data["digests"].keys() == data["cells"].keys(), "a merge may change seqs"


@in_loop
async def test_a_history_that_is_deleted_meanwhile_is_not_copied(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P28"""
    first = await world.open("a.ipynb")
    for cell_id in CELLS[:2]:
        await world.write(first.notebook_id, cell_id)
    world.copy("a.ipynb", "b.ipynb")
    fork = world.store.fork

    async def delete_and_fork(source: SessionKey, target: SessionKey) -> Session:
        if source.cell_id == CELLS[0]:
            await world.store.delete(source)
        return await fork(source, target)

    monkeypatch.setattr(world.store, "fork", delete_and_fork)
    second = await world.registry.identify("b.ipynb", first.notebook_id, CELLS)
    assert second.forked_from == first.notebook_id
    assert await world.history(second.notebook_id, CELLS[0]) == []
    assert await world.history(second.notebook_id, CELLS[1]) == ["x"]
