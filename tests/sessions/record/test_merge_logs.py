"""Merging the logs of two machines marks no moment as saved that was never saved."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest

from aiserver.models import NewEvent, SessionKey
from aiserver.notebooks.change_log import Batch, CellChange, ChangeRecorder
from aiserver.notebooks.history import Histories
from aiserver.plugins.sessions.cli.copy import copy
from aiserver.sessions.file.directory import FOLDER
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record import git_merge as merging
from aiserver.testing.records import NOON, in_loop

State = dict[str, str]


class Machine:
    """A folder in which a notebook is saved, and its saved states."""

    def __init__(
        self, root: Path, ids: itertools.count[int], before: Machine | None = None
    ) -> None:
        self.root, self.ids = root, ids
        self.saved: list[Any] = list(before.saved) if before else []
        if before:
            shutil.copytree(before.root, root)

    async def save(self, **cells: str) -> None:
        store = FileSessionManager(root=str(self.root))
        state = (self.saved[-1] if self.saved else {}) | cells
        changes = [
            CellChange(
                SessionKey("nb", cell_id),
                [NewEvent(type="edit", timestamp=NOON, source=source, data={"trigger": "save"})],
            )
            for cell_id, source in cells.items()
        ]
        order = [(cell_id, "code") for cell_id in state] if len(cells) > 1 else None
        batch = Batch(
            id=f"batch-{next(self.ids)}",
            timestamp=NOON,
            cells=changes,
            order=order,
            saved=True,
            page=self.root.name,
        )
        await ChangeRecorder(store).record("nb", batch)
        self.saved.append(state)
        await store.close()

    async def saved_states(self) -> list[State]:
        """Return the states that are marked as saved."""
        store = FileSessionManager(root=str(self.root))
        timeline = (await Histories(store).load("nb")).timeline
        await store.close()
        return [
            {cell.cell_id: cell.source for cell in timeline.at(index).cells}
            for index in timeline.saves
        ]

    def files(self) -> dict[str, bytes]:
        folder = self.root / FOLDER
        result = [path for path in folder.rglob("nb*.json*") if "corrupt" not in path.name]
        return {str(path.relative_to(folder)): path.read_bytes() for path in result}


async def sync(ours: Machine, theirs: Machine, base: Machine) -> None:
    """Copy the other machine's files like a cloud sync, and merge them with ``repair``."""
    for name, data in theirs.files().items():
        path = ours.root / FOLDER / name
        path.with_name(
            f"{path.stem}.sync-conflict-20261123-101112-ABCDEFG{path.suffix}"
        ).write_bytes(data)
    store = FileSessionManager(root=str(ours.root))
    assert [result.location async for result in store.verify(repair=True) if result.repaired]
    await store.close()


async def move(ours: Machine, theirs: Machine, base: Machine) -> None:
    stores = [FileSessionManager(root=str(machine.root)) for machine in (theirs, ours)]
    await copy(stores[0], stores[1], "", "")
    for store in stores:
        await store.close()


async def merge(ours: Machine, theirs: Machine, base: Machine) -> None:
    """Merge like git's driver."""
    merge_id = f"merge {next(ours.ids)}"
    for name, data in theirs.files().items():
        path = ours.root / FOLDER / name
        if name.endswith("jsonl"):
            merged = merging.merge_logs(path.read_bytes(), data, merge_id)
        else:
            merged = merging.merge_sessions(base.files()[name], path.read_bytes(), data, merge_id)
        path.write_bytes(merged)


@pytest.mark.parametrize("join", [sync, move, merge])
@in_loop
async def test_merged_logs_contain_only_real_saves(tmp_path: Path, join) -> None:
    """A save that would contain cells of the other side is not marked as saved."""
    ids = itertools.count()
    base = Machine(tmp_path / "base", ids)
    base.root.mkdir()
    await base.save(c1="a0", c2="z0")
    await base.save(c1="a1")
    ours, theirs = Machine(tmp_path / "ours", ids, base), Machine(tmp_path / "theirs", ids, base)
    for cells in ({"c1": "our two"}, {"c2": "our z"}, {"c1": "our three"}):
        await ours.save(**cells)
    for cells in ({"c1": "their two"}, {"c2": "their z"}, {"c1": "their three"}):
        await theirs.save(**cells)
    await join(ours, theirs, base)
    saved_states = await ours.saved_states()
    assert [state for state in saved_states if state not in ours.saved + theirs.saved] == []
    missing = [state for state in ours.saved + theirs.saved if state not in saved_states]
    assert missing == [{"c1": "their two", "c2": "z0"}], "c2 differs from our state"
    files = ours.files()
    if join is not merge:
        await join(ours, theirs, base)
        assert ours.files() == files, "merging again changes files"
    await theirs.save(c2="their last")
    await join(ours, theirs, base)
    assert (await ours.saved_states())[-1] == {"c1": "their three", "c2": "their last"}


@pytest.mark.parametrize("join", [sync, move, merge])
@in_loop
async def test_mutually_merged_logs_contain_only_real_saves(tmp_path: Path, join) -> None:
    """One machine has our line before its own, the other after it."""
    ids = itertools.count()
    base = Machine(tmp_path / "base", ids)
    base.root.mkdir()
    await base.save(c1="a0", c2="z0")
    ours, theirs = Machine(tmp_path / "ours", ids, base), Machine(tmp_path / "theirs", ids, base)
    await ours.save(c2="our z")
    await theirs.save(c1="their one")
    await join(ours, theirs, base)
    await theirs.save(c2="their z")
    await join(theirs, ours, base)
    for machine in (ours, theirs):
        assert [
            state
            for state in await machine.saved_states()
            if state not in ours.saved + theirs.saved
        ] == []
