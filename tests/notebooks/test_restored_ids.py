"""P28: tools rewrite notebooks; their cells keep their histories, and get no others."""

from __future__ import annotations

import asyncio
import copy
import itertools
import logging
import sys
import threading
import uuid
from pathlib import Path
from typing import Any

import pytest

from aiserver.errors import StorageFull
from aiserver.models import Event, NewEvent, SessionKey, utc_now
from aiserver.notebooks import identity, restored_ids
from aiserver.notebooks.identity import NotebookIdentity
from aiserver.notebooks.recorded_cells import FOUND_AGAIN
from aiserver.notebooks.restored_ids import (
    replace_positional_ids,
    restore_ids,
    restore_on_reading,
)
from aiserver.testing import Backend
from aiserver.testing.records import in_loop

from .test_identity import World

A, B, C = "aaaa1111", "bbbb2222", "cccc3333"
SOURCES = {A: "import pandas as pd", B: "b = load('other.csv')", C: "c = load('x.csv')"}


class Notebook:
    """A notebook on disk that a page opens, with its cells: ids and contents."""

    def __init__(
        self, world: World, path: str, cells: dict[str, str] | None = None, minor: int | None = 5
    ) -> None:
        self.world, self.path = world, path
        self.cells = dict(SOURCES if cells is None else cells)
        self.minor = minor
        self.cell_metadata: dict[str, dict[str, Any]] = {}
        world.disk.ids.setdefault(path, None)

    def content(self) -> dict[str, Any]:
        """Return what is read from the file."""
        id_ = self.world.disk.ids[self.path]
        cells = [
            {"cell_type": "code", "source": source, "metadata": self.cell_metadata.get(cell_id, {})}
            | ({"id": cell_id} if self.minor == 5 else {})
            for cell_id, source in self.cells.items()
        ]
        metadata = {"aiserver": {"notebook_id": id_, "x": 1}} if id_ else {"aiserver": {"x": 1}}
        version = {"nbformat": 4, "nbformat_minor": self.minor}
        return {"cells": cells, "metadata": metadata} | version

    async def read(self) -> dict[str, Any]:
        """Return what a page gets from the server."""
        content = self.content()
        await restore_ids(self.world.registry, self.path, content)
        return content

    async def open(self) -> NotebookIdentity:
        """Read the notebook, register it as the page does, and save it."""
        content = await self.read()
        for cell in content["cells"]:
            cell.setdefault("id", str(uuid.uuid4()))
        ids = [cell["id"] for cell in content["cells"]]
        own = content["metadata"]["aiserver"].get("notebook_id")
        identity = await self.world.registry.identify(self.path, own, ids)
        self.world.disk.ids[self.path] = identity.notebook_id
        self.cells = {cell["id"]: cell["source"] for cell in content["cells"]}
        for cell_id, source in self.cells.items():
            key = SessionKey(identity.notebook_id, cell_id)
            if not await self.world.store.exists(key):
                event = NewEvent(type="edit", timestamp=utc_now(), source=source)
                await self.world.store.record_events(key, [event])
        return identity

    def rewrite(self, *sources: str, ids: list[str] | None = None) -> None:
        """Write the file anew, with other ids of cells; by default, random ones."""
        ids = ids or [str(uuid.uuid4()) for _ in sources]
        self.cells = dict(zip(ids, sources, strict=True))

    def id_of(self, source: str) -> str:
        return next(id_ for id_, text in self.cells.items() if text == source)

    async def record(self, cell_id: str, source: str) -> None:
        """Record a change of a cell."""
        notebook_id = self.world.disk.ids[self.path]
        assert notebook_id
        event = NewEvent(type="edit", timestamp=utc_now(), source=source)
        await self.world.store.record_events(SessionKey(notebook_id, cell_id), [event])

    async def signs(self, cell_id: str) -> list[str]:
        """Return the signs that the cell's history mentions."""
        notebook_id = self.world.disk.ids[self.path]
        assert notebook_id
        session = await self.world.store.load_session(SessionKey(notebook_id, cell_id))
        return [
            record.data["sign"]
            for record in session.ordered()
            if isinstance(record, Event) and record.type == FOUND_AGAIN and record.data
        ]


@pytest.fixture
def world(local_backend: Backend) -> World:
    return World(local_backend)


@in_loop
async def test_numbered_cells_get_their_ids_back(world: World) -> None:
    """nbstripout numbers the cells; on another branch, the number is that of another cell."""
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    await world.write(first.notebook_id, B)
    notebook.rewrite(*SOURCES.values(), ids=["0", "1", "2"])
    again = await notebook.open()
    assert again.notebook_id == first.notebook_id
    assert notebook.cells == SOURCES
    assert await notebook.signs(B) == ["content"]
    await notebook.open()
    notebook.rewrite("top = 0", *SOURCES.values(), ids=["0", "1", "2", "3"])
    await notebook.open()
    assert list(notebook.cells)[1:] == [*SOURCES]
    await world.write(again.notebook_id, notebook.id_of("top = 0"), "about top")
    notebook.rewrite(*SOURCES.values(), "end = 9", ids=["0", "1", "2", "3"])
    await notebook.open()
    assert list(notebook.cells)[:3] == list(SOURCES)
    notebook.rewrite("new = 1", *SOURCES.values(), ids=["0", "1", "2", "3"])
    pages = [await notebook.read(), await notebook.read()]
    assert pages[0] == pages[1], "two pages get the same ids"
    await notebook.open()
    assert await world.history(again.notebook_id, notebook.id_of("new = 1")) == []


@in_loop
async def test_a_number_is_never_enough(world: World) -> None:
    """Also if no cell is recognised, if the cell has no history yet, and in damaged cells."""
    notebook = Notebook(world, "a.ipynb", {"0": "secret = load('salaries.csv')"})
    first = await notebook.open()
    await world.write(first.notebook_id, notebook.id_of("secret = load('salaries.csv')"))
    notebook.rewrite("weather \ud83d", "", ids=["0", "1"])
    pages = [await notebook.read()]
    notebook.rewrite("other = 1", "", ids=["0", "1"])
    pages.append(await notebook.read())
    ids = [cell["id"] for page in pages for cell in page["cells"][:1]]
    assert len({*ids, *SOURCES, "0"}) == 6
    content = notebook.content()
    del content["cells"][0]["metadata"]
    await restore_ids(world.registry, "a.ipynb", content)
    assert content["cells"][0]["id"] == ids[1]


@in_loop
async def test_numbers_in_a_clone_without_histories_are_replaced(world: World) -> None:
    """They would be recorded, and be those of other cells after the next ``git pull``."""
    world.disk.ids["a.ipynb"] = "cloned"
    notebook = Notebook(world, "a.ipynb", {"0": "secret = load('salaries.csv')"})
    read = await notebook.read()
    assert read["cells"][0]["id"] != "0" and read == await notebook.read()


@in_loop
async def test_large_cells_in_a_clone_are_read_in_a_thread(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    monkeypatch.setattr(
        restored_ids, "redact", lambda text: threads.append(threading.current_thread()) or text
    )
    world.disk.ids["a.ipynb"] = "cloned"
    for cells in (SOURCES, {"0": "data = 1"}):
        await Notebook(world, "a.ipynb", cells).read()
        assert threads and threading.main_thread() not in threads


@in_loop
async def test_a_read_writes_nothing_and_what_is_certain_stays(world: World) -> None:
    notebook = Notebook(world, "a.ipynb")
    assert await notebook.read() == notebook.content()
    await notebook.open()

    async def recorded() -> object:
        return await world.store.notebook_marks(), await world.store.list_sessions()

    before = await recorded()
    assert await notebook.read() == notebook.content()
    notebook.rewrite(*SOURCES.values())
    assert await notebook.read() != notebook.content()
    assert await recorded() == before


@in_loop
async def test_recognising_a_cell_is_recorded_once(world: World) -> None:
    notebook = Notebook(world, "a.ipynb")
    await notebook.open()
    for _ in range(3):
        notebook.rewrite(*SOURCES.values())
        await notebook.open()
    assert await notebook.signs(B) == ["content"]


@pytest.mark.parametrize("path", ["a.py", "a.md", "a.Rmd"])
@in_loop
async def test_text_notebooks_have_one_id_and_their_histories(world: World, path: str) -> None:
    """The file keeps no ids at all."""
    notebook = Notebook(world, path)
    first = await notebook.open()
    for _ in range(2):
        notebook.rewrite(*SOURCES.values())
        world.disk.ids[path] = None
        assert (await notebook.open()).notebook_id == first.notebook_id
        assert notebook.cells == SOURCES
    world.disk.ids[path] = None
    notebook.rewrite(SOURCES[A], "other = 1", "another = 2")
    assert (await notebook.open()).notebook_id != first.notebook_id, "too little to tell"


@in_loop
async def test_a_pair_is_one_notebook(world: World) -> None:
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    text = Notebook(world, "a.py")
    for opened in (text, notebook, text):
        if opened is text:
            text.rewrite(*SOURCES.values())
            world.disk.ids["a.py"] = None
        assert (await opened.open()).notebook_id == first.notebook_id
    assert text.cells == SOURCES
    # A text notebook keeps no id. So it never seems to have been moved to the path of a copy.
    world.copy("a.ipynb", "copy.ipynb")
    world.disk.ids["a.py"] = None
    assert (await Notebook(world, "copy.ipynb").open()).forked_from == first.notebook_id


@in_loop
async def test_a_pair_in_two_folders_is_one_notebook(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """jupytext, which isn't installed for the tests, names the files."""
    pair = ["notebooks/n.ipynb", "scripts/n.py"]
    monkeypatch.setattr(restored_ids, "_paired_paths", lambda path, _: pair if path in pair else [])
    notebook, text = Notebook(world, pair[0]), Notebook(world, pair[1])
    first = await notebook.open()
    for opened in (text, notebook, text):
        world.disk.ids["scripts/n.py"] = first.notebook_id  # jupytext adds the metadata
        assert await opened.open() == first
    world.copy(pair[0], "copy.ipynb")
    world.disk.ids["scripts/n.py"] = None
    assert (await Notebook(world, "copy.ipynb").open()).forked_from == first.notebook_id


def test_a_command_knows_the_files_of_a_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No server has loaded jupytext there. This one has its functions."""
    (tmp_path / "jupytext").mkdir()
    (tmp_path / "jupytext/__init__.py").touch()
    formats = "def long_form_multiple_formats(formats, metadata): return formats.split(',')"
    paths = "def find_base_path_and_format(path, formats): return path[:-6], formats[0]\n"
    paths += "def paired_paths(path, _, formats): return [('a.' + e, e) for e in formats]"
    (tmp_path / "jupytext/formats.py").write_text(formats)
    (tmp_path / "jupytext/paired_paths.py").write_text(paths)
    monkeypatch.syspath_prepend(tmp_path)
    metadata = {"jupytext": {"formats": "ipynb,py"}}
    try:
        assert restored_ids._paired_paths("a.ipynb", metadata) == ["a.ipynb", "a.py"]
    finally:
        for name in ("jupytext", "jupytext.formats", "jupytext.paired_paths"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("secret = load('salaries.csv')", "print('hello')"),
        ("import pandas", "import pandas"),  # too little to tell
    ],
)
@in_loop
async def test_a_fixed_id_is_not_trusted(world: World, old: str, new: str) -> None:
    """PyCharm gives the first cell of each notebook the same id."""
    notebook = Notebook(world, "Untitled.ipynb", {"initial_id": old})
    first = await notebook.open()
    await world.write(first.notebook_id, notebook.id_of(old))
    world.disk.ids["Untitled.ipynb"] = None
    other = Notebook(world, "Untitled.ipynb", {"initial_id": new})
    second = await other.open()
    assert second.notebook_id != first.notebook_id
    assert await world.history(second.notebook_id, "initial_id") == []


@in_loop
async def test_an_old_id_is_not_trusted_if_another_one_is_random(world: World) -> None:
    notebook = Notebook(world, "Untitled.ipynb", {"initial_id": "secret = 1", B: "b = 2"})
    first = await notebook.open()
    await world.write(first.notebook_id, "initial_id")
    world.disk.ids["Untitled.ipynb"] = None
    notebook.cells = {"initial_id": "secret = 1", C: "c = 3"}
    assert (await notebook.open()).notebook_id != first.notebook_id


@pytest.mark.parametrize("ids", [["0", "1"], ["load", "plot"]])
@in_loop
async def test_requests_in_a_short_cell_are_in_one_notebook(world: World, ids: list[str]) -> None:
    """``jupyter aiserver ask`` doesn't write the id of the notebook into the file."""
    notebook = Notebook(world, "a.ipynb", {ids[0]: "import x", ids[1]: "x.plot()"})
    first = await world.ask("a.ipynb", ids)
    event = NewEvent(type="edit", timestamp=utc_now(), source="x.plot()")
    await world.store.record_events(SessionKey(first.notebook_id, ids[1]), [event])
    for _ in range(2):
        content = await notebook.read()
        assert content["metadata"]["aiserver"]["notebook_id"] == first.notebook_id
        read = [cell["id"] for cell in content["cells"]]
        assert read[1] == ids[1]
        assert await world.registry.identify("a.ipynb", first.notebook_id, read) == first
    notebook.cells[ids[1]] = "other()"
    content = await notebook.read()
    assert "notebook_id" not in content["metadata"]["aiserver"]
    assert content["cells"][1]["id"] != ids[1]


@in_loop
async def test_a_named_cell_that_changes_before_the_first_request_keeps_its_new_id(
    world: World,
) -> None:
    """Git puts back another version while the page waits: it would take the cell for deleted."""
    deleted = Notebook(world, "deleted.ipynb", {"load-data": "a = 1", "plot-data": "b = 2"})
    await world.write((await deleted.open()).notebook_id, "plot-data")
    del world.disk.ids["deleted.ipynb"]
    notebook = Notebook(world, "a.ipynb", dict(deleted.cells))
    ids = [cell["id"] for cell in (await notebook.read())["cells"]]
    assert not deleted.cells.keys() & set(ids)
    await world.registry.identify("a.ipynb", None, ids)
    notebook.cells["plot-data"] = "b = 3"
    assert [cell["id"] for cell in (await notebook.read())["cells"]] == ids


@in_loop
async def test_a_notebook_without_id_is_no_missing_copy(world: World) -> None:
    """P28: on another branch, it has its old name and no id yet, and there is no copy."""
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    await notebook.record(B, "b = load('changed.csv')")
    cells = SOURCES | {B: "b = load('changed.csv')"}
    world.copy("a.ipynb", "copy.ipynb")
    for _ in range(2):
        await Notebook(world, "copy.ipynb", cells).open()
    world.move("a.ipynb", "renamed.ipynb")
    renamed = Notebook(world, "renamed.ipynb", cells | {"dddd4444": "d = 4"})
    await renamed.open()
    await renamed.record(C, "c = 3")
    world.disk.ids = {"a.ipynb": None}
    assert await Notebook(world, "a.ipynb", cells).open() == first


@in_loop
async def test_a_copy_that_was_only_viewed_is_still_a_copy(world: World) -> None:
    """P28: its file has the original's id; now the original is renamed, and may have more turns."""
    first = await Notebook(world, "a.ipynb").open()
    world.copy("a.ipynb", "copy.ipynb")
    viewed = await Notebook(world, "copy.ipynb").open()
    world.copy("a.ipynb", "copy.ipynb")
    world.move("a.ipynb", "renamed.ipynb")
    again = await Notebook(world, "copy.ipynb").open()
    assert again.notebook_id == viewed.notebook_id
    assert await Notebook(world, "renamed.ipynb").open() == first


@in_loop
async def test_a_notebook_converted_from_its_text_is_recognised(world: World) -> None:
    """``jupytext --to ipynb`` writes it without its id, and gives all cells new random ids."""
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    world.disk.ids["a.ipynb"] = None
    notebook.rewrite(*SOURCES.values(), "new()")
    assert await notebook.open() == first
    assert list(notebook.cells)[:3] == [A, B, C]


@in_loop
async def test_a_new_notebook_at_an_old_path_inherits_nothing(world: World) -> None:
    notebook = Notebook(world, "Untitled.ipynb")
    first = await notebook.open()
    await world.write(first.notebook_id, B)
    event = NewEvent(type="edit", timestamp=utc_now(), source="b = changed()")
    await world.store.record_events(SessionKey(first.notebook_id, B), [event])
    world.disk.ids["Untitled.ipynb"] = None
    notebook.rewrite(*SOURCES.values())  # from the template again: only unchanged cells count
    await notebook.open()
    assert B not in notebook.cells
    world.disk.ids["Untitled.ipynb"] = None
    notebook.rewrite(SOURCES[A], "print(1)")
    assert (await notebook.open()).notebook_id != first.notebook_id
    assert not notebook.cells.keys() & SOURCES.keys()


@in_loop
async def test_a_template_at_the_old_path_of_a_renamed_notebook_is_new(world: World) -> None:
    """``report.ipynb`` is copied from a template with ids each month, and then renamed."""
    january = Notebook(world, "report.ipynb")
    first = await january.open()
    await world.write(first.notebook_id, B)
    world.move("report.ipynb", "january.ipynb")
    assert (await world.open("january.ipynb", list(SOURCES))).notebook_id == first.notebook_id
    february = Notebook(world, "report.ipynb")
    assert (await february.open()).notebook_id != first.notebook_id
    assert not february.cells.keys() & SOURCES.keys()


@in_loop
async def test_a_change_that_was_undone_is_no_change_of_a_template(world: World) -> None:
    january = Notebook(world, "report.ipynb")
    first = await january.open()
    for source in ("b = load('another.csv')", SOURCES[B]):
        await january.record(B, source)
    world.move("report.ipynb", "january.ipynb")
    await world.open("january.ipynb", list(SOURCES))
    february = Notebook(world, "report.ipynb")
    assert (await february.open()).notebook_id != first.notebook_id
    assert not february.cells.keys() & SOURCES.keys()


@in_loop
async def test_an_import_with_a_recorded_id_is_no_sign_of_the_notebook(world: World) -> None:
    """An agent writes another notebook, and gives its cells the ids that it always gives."""
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    world.disk.ids["a.ipynb"] = None
    notebook.rewrite(SOURCES[A], "w = weather()", "w.plot()", ids=[A, B, C])
    assert (await notebook.open()).notebook_id != first.notebook_id
    assert not notebook.cells.keys() & SOURCES.keys()


@in_loop
async def test_ids_of_a_pair_that_only_a_setting_names_prove_nothing(world: World) -> None:
    """jupytext gives them by order: here, to a cell above the changed one."""
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    await world.write(first.notebook_id, B)
    world.disk.ids["a.py"] = None
    sources = [SOURCES[A], "new = weather()", "b = changed()", SOURCES[C]]
    notebook.rewrite(*sources, ids=[A, B, str(uuid.uuid4()), C])
    assert await notebook.open() == first
    assert list(notebook.cells)[::3] == [A, C] and B not in notebook.cells


@in_loop
async def test_a_notebook_with_the_fixed_ids_of_a_tool_inherits_nothing(world: World) -> None:
    """Copies of a Colab notebook have the same ids, and Kaggle's first cells."""
    notebook = Notebook(world, "a.ipynb", {A: "ann = 1", B: "ann.plot()"}, minor=4)
    notebook.cell_metadata = {A: {"id": "Ab1dEf2hIj3k"}, B: {"id": "Zb1dEf2hIj3k"}}
    first = await world.open("a.ipynb", ["Ab1dEf2hIj3k", "Zb1dEf2hIj3k"])
    await world.write(first.notebook_id, "Ab1dEf2hIj3k")
    world.disk.ids["a.ipynb"] = None
    notebook.cells = {A: "bob = 2", B: "bob.plot()"}
    content = await notebook.read()
    ids = [cell["id"] for cell in content["cells"]]
    assert "Ab1dEf2hIj3k" not in ids and "aiserver" in content["metadata"]


@in_loop
async def test_a_cleaned_and_moved_notebook_is_recognised_if_it_is_unchanged(world: World) -> None:
    """nbdev_clean drops the id of the notebook; a template has none, and the first cells."""
    notebook = Notebook(world, "jan.ipynb")
    first = await notebook.open()
    january = SOURCES | {C: "c = load('january.csv')"}
    world.move("jan.ipynb", "elsewhere")
    await _assert_new(Notebook(world, "feb.ipynb"), first)
    world.move("elsewhere", "jan.ipynb")
    await notebook.record(C, january[C])
    del world.disk.ids["jan.ipynb"]
    for changed in (SOURCES, {A: january[A], C: january[C]}):
        await _assert_new(Notebook(world, "feb.ipynb", changed), first)
    moved = Notebook(world, "archive/jan.ipynb", january)
    assert (await moved.open()).notebook_id == first.notebook_id
    assert moved.cells == january
    del world.disk.ids["archive/jan.ipynb"]
    rewritten = Notebook(world, "2026/jan.ipynb")
    rewritten.rewrite(*january.values())  # by `jupytext --to ipynb`, with new ids
    assert (await rewritten.open()).notebook_id == first.notebook_id
    assert rewritten.cells == january


async def _assert_new(notebook: Notebook, other: NotebookIdentity) -> None:
    """Open a notebook, check that it has no cell of the other one, and delete its file."""
    cell_ids = set(notebook.cells)
    assert (await notebook.open()).notebook_id != other.notebook_id
    assert not cell_ids & notebook.cells.keys()
    del notebook.world.disk.ids[notebook.path]


@in_loop
async def test_opening_a_backup_first_takes_no_history_away(world: World) -> None:
    """P28: a tool has stripped its id, so that the notebook seemed to be moved to the backup."""
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    await notebook.record(C, "c = load('changed.csv')")
    notebook.cells[C] = "c = load('changed.csv')"
    cells = dict(notebook.cells)
    world.move("a.ipynb", "backup.ipynb")
    world.disk.ids["a.ipynb"] = None
    assert await Notebook(world, "backup.ipynb", cells).open() == first
    assert (await notebook.open()).forked_from == first.notebook_id
    assert notebook.cells == cells


@in_loop
async def test_two_versions_of_one_file_share_only_equal_cells(world: World) -> None:
    """Two students submit the same notebook, with the same ids and other answers."""
    alice = Notebook(world, "alice.ipynb")
    first = await alice.open()
    await world.write(first.notebook_id, B)
    world.disk.ids["bob.ipynb"] = first.notebook_id
    bob = Notebook(world, "bob.ipynb", {**SOURCES, B: "answer = other(7)"})
    second = await bob.open()
    assert second.notebook_id != first.notebook_id
    assert list(bob.cells)[::2] == list(alice.cells)[::2] and B not in bob.cells


@in_loop
async def test_a_renamed_text_notebook_keeps_its_history(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "_MAX_COMPARED", 2)
    for number in range(4):  # deleted notebooks, more than are compared
        old = {id_: f"{source} + {number}" for id_, source in SOURCES.items()}
        await Notebook(world, f"{number}.py", old, minor=4).open()
        del world.disk.ids[f"{number}.py"]
    notebook = Notebook(world, "a.py", minor=4)
    first = await notebook.open()
    del world.disk.ids["a.py"]
    other = Notebook(world, "other.py", {"x": "other = 1", **notebook.cells}, minor=4)
    assert (await other.open()).notebook_id != first.notebook_id
    renamed = Notebook(world, "b.py", minor=4)
    assert (await renamed.open()).notebook_id == first.notebook_id


@in_loop
async def test_of_moved_text_notebooks_it_is_the_one_with_the_most_similar_path(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P28: ``etl.py`` in a folder for each month, and the folder above is renamed."""
    monkeypatch.setattr(identity, "_MAX_COMPARED", 2)
    months = ["04", "05", "06"]
    before = {}
    for month in months:
        before[month] = await Notebook(world, f"old/{month}/etl.py", minor=4).open()
    for month in months:
        del world.disk.ids[f"old/{month}/etl.py"]
    for month in ["04", "06", "05"]:
        moved = Notebook(world, f"new/{month}/etl.py", minor=4)
        assert await moved.open() == before[month]


@in_loop
async def test_equal_cells_are_no_reason_to_lose_the_history_of_a_text_notebook(
    world: World,
) -> None:
    """P28: it has `df.head()` twice, and is renamed."""
    cells = {**SOURCES, "d1": "df.head()", "e1": "df.head()"}
    first = await Notebook(world, "a.py", cells, minor=4).open()
    del world.disk.ids["a.py"]
    fewer = Notebook(world, "b.py", {**SOURCES, "d1": "df.head()"}, minor=4)
    assert (await fewer.open()).notebook_id != first.notebook_id
    del world.disk.ids["b.py"]
    renamed = Notebook(world, "c.py", cells, minor=4)
    assert await renamed.open() == first


@in_loop
async def test_a_similar_cell_is_no_sign_against_an_unchanged_notebook(world: World) -> None:
    """P28: ``mv v2.py main.py``; one word of a copied cell had changed in the copy."""
    mean = "monthly = sales.groupby('month').mean()"
    main = Notebook(world, "main.py", {**SOURCES, "d1": mean.replace("mean", "sum")}, minor=4)
    first = await main.open()
    await world.write(first.notebook_id, main.id_of(mean.replace("mean", "sum")), "in the old one")
    version = Notebook(world, "v2.py", {**SOURCES, "d1": mean}, minor=4)
    second = await version.open()
    del world.disk.ids["v2.py"]
    world.disk.ids["main.py"] = None
    replaced = Notebook(world, "main.py", {**SOURCES, "d1": mean}, minor=4)
    assert await replaced.open() == second


@in_loop
@pytest.mark.parametrize("how", ["merged", "moved", "moved and edited"])
async def test_a_merged_copy_is_the_notebook_at_its_path(world: World, how: str) -> None:
    """P28: a worktree is merged, so the file has the copy's id, and removed. Moved, it isn't."""
    original = Notebook(world, "a.ipynb")
    first = await original.open()
    world.copy("a.ipynb", "feature/a.ipynb")
    copied = Notebook(world, "feature/a.ipynb")
    await copied.open()
    second = await copied.open()
    in_copy = {B: "b = load('the.feature', columns=['x'])"}
    copied.cells |= in_copy
    await copied.record(B, copied.cells[B])
    original.cells |= {C: "c = load('other.changed', columns=['y'])"}
    await original.record(C, original.cells[C])
    world.move("feature/a.ipynb", "a.ipynb")
    changed = {**original.cells, **in_copy} if how == "merged" else dict(copied.cells)
    if how == "moved and edited":  # in another editor
        del changed[C]
    opened = await Notebook(world, "a.ipynb", changed).open()
    assert opened == (first if how == "merged" else second)


@in_loop
async def test_a_text_notebook_that_replaces_another_keeps_its_history(world: World) -> None:
    """P28: ``mv v2.py main.py``, after it was developed from a copy."""
    main = Notebook(world, "main.py", minor=4)
    first = await main.open()
    cells = dict(zip("xyz", [SOURCES[A], SOURCES[C], "model = fit(c, epochs=20)"], strict=True))
    version = Notebook(world, "v2.py", cells, minor=4)
    second = await version.open()
    assert second.notebook_id != first.notebook_id
    key = SessionKey(second.notebook_id, version.id_of(cells["z"]))
    await world.write(key.notebook_id, key.cell_id, "about the model")
    event = NewEvent(type="edit", timestamp=utc_now(), source=cells["z"])
    await world.store.record_events(key, [event])
    del world.disk.ids["v2.py"]
    world.disk.ids["main.py"] = None
    replaced = Notebook(world, "main.py", cells, minor=4)
    assert await replaced.open() == second
    assert await world.history(key.notebook_id, key.cell_id) == ["about the model"]
    assert key.cell_id in replaced.cells


@in_loop
async def test_a_cell_with_a_secret_is_recognised(world: World) -> None:
    """The store has a mark instead of the secret (P16)."""
    secret = 'connect(host="db", password="canary-7731x-long-enough")'
    notebook = Notebook(world, "a.py", {"p": secret, "q": "q = 1"}, minor=4)
    first = await notebook.open()
    again = Notebook(world, "a.py", {"r": secret, "s": "q = 1"}, minor=4)
    assert (await again.open()).notebook_id == first.notebook_id
    assert again.cells == notebook.cells


@in_loop
async def test_an_empty_session_hides_only_its_cell(world: World) -> None:
    notebook = Notebook(world, "a.ipynb")
    first = await notebook.open()
    ids = list(notebook.cells)
    sources = list(notebook.cells.values())
    await world.store.delete(SessionKey(first.notebook_id, ids[0]))
    notebook.rewrite(*sources, ids=["0", "1", "2"][: len(sources)])
    await notebook.open()
    assert list(notebook.cells)[1:] == ids[1:]


@in_loop
async def test_names_that_an_agent_chooses_prove_little(world: World) -> None:
    """Agents call the cells of each notebook "imports" and "plot"."""
    first = await Notebook(world, "n.ipynb", {"imports": "import x", "q": "q", "r": "r"}).open()
    world.disk.ids["n.ipynb"] = None
    second = await Notebook(world, "n.ipynb", {"imports": "import x", "s": "s"}).open()
    assert second.notebook_id != first.notebook_id


@pytest.mark.parametrize(
    "metadata",
    [
        lambda id_: {"id": id_},
        lambda id_: {"application/vnd.databricks.v1+cell": {"nuid": id_}},
        lambda id_: {"_cell_guid": id_},
    ],
)
@in_loop
async def test_ids_that_other_tools_keep_are_those_of_the_cells(
    world: World, metadata: Any
) -> None:
    """Colab, Databricks and Kaggle drop the ids of cells; ``src/cells/cellIds.ts`` uses theirs."""
    notebook = Notebook(world, "a.ipynb")
    await notebook.open()
    notebook.rewrite("other = 1", "b = 3", "", ids=["x", "y", "z"])
    notebook.minor = 4
    notebook.cell_metadata = {"y": metadata(B), "x": metadata("new"), "z": metadata("new")}
    content = await notebook.read()
    assert [cell["id"] for cell in content["cells"]].index(B) == 1
    assert content["nbformat_minor"] == 5


@in_loop
async def test_an_old_format_gets_ids_only_with_histories(world: World) -> None:
    notebook = Notebook(world, "a.ipynb")
    notebook.minor = 2
    assert await notebook.read() == notebook.content()
    await notebook.open()
    notebook.minor = 5
    assert await notebook.read() == notebook.content()
    ids = list(notebook.cells)
    for minor in (2, None):
        notebook.minor = minor
        assert [cell["id"] for cell in (await notebook.read())["cells"]] == ids


@in_loop
async def test_a_rewritten_report_keeps_its_histories(world: World) -> None:
    """papermill copies the template, with its id, to the same path each day."""
    template = await Notebook(world, "template.ipynb").open()
    world.copy("template.ipynb", "report.ipynb")
    report = await Notebook(world, "report.ipynb").open()
    await world.write(report.notebook_id, C, "only in the report")
    for day in ("day = 2", "day = 3"):
        world.copy("template.ipynb", "report.ipynb")
        again = Notebook(world, "report.ipynb", {str(uuid.uuid4()): day, **SOURCES})
        assert (await again.open()).notebook_id == report.notebook_id
    assert await world.history(report.notebook_id, C) == ["only in the report"]
    assert (await Notebook(world, "template.ipynb").open()).notebook_id == template.notebook_id


@in_loop
async def test_a_copy_with_the_id_of_its_original_is_still_the_copy(world: World) -> None:
    """P28: by ``git checkout``; the file has the original's id, as it was committed."""
    original = Notebook(world, "a.ipynb")
    first = await original.open()
    world.copy("a.ipynb", "b.ipynb")
    await Notebook(world, "b.ipynb").open()
    second = await Notebook(world, "b.ipynb").open()
    await world.write(second.notebook_id, B, "in the copy")
    world.copy("a.ipynb", "b.ipynb")
    assert await Notebook(world, "b.ipynb").open() == second
    assert await original.open() == first
    world.copy("a.ipynb", "b.ipynb")
    other = Notebook(world, "b.ipynb", {A: "another = 1", B: "notebook = 2"})
    assert (await other.open()).notebook_id not in (first.notebook_id, second.notebook_id)


@in_loop
@pytest.mark.parametrize("where", ["gone", "moved", "without id"])
async def test_a_copy_with_the_id_of_a_missing_original_is_still_the_copy(
    world: World, where: str
) -> None:
    """P28: on this branch, the original is deleted or renamed, or a tool has stripped it."""
    original = Notebook(world, "a.ipynb")
    first = await original.open()
    world.copy("a.ipynb", "b.ipynb")
    copied = Notebook(world, "b.ipynb", {**SOURCES, C: "answer = another(7)"})
    await copied.open()
    second = await copied.open()
    assert list(copied.cells)[:2] == [A, B]
    await world.write(first.notebook_id, A, "in the original")
    world.copy("a.ipynb", "b.ipynb")
    if where == "without id":
        world.disk.ids["a.ipynb"] = None
    elif where == "gone":
        del world.disk.ids["a.ipynb"]
    else:
        world.move("a.ipynb", "c.ipynb")
        original.path = "c.ipynb"
    assert await copied.open() == second
    assert await world.history(second.notebook_id, A) == []
    if where == "moved":
        assert await original.open() == first
        original.cells["dddd4444"] = "new = load('new.csv')"
        await original.open()
        world.move("c.ipynb", "b.ipynb")
        original.path = "b.ipynb"
        assert await original.open() == first, "the original, with a cell more, replaces the copy"


@in_loop
async def test_an_empty_cell_is_no_sign_of_the_replaced_notebook(world: World) -> None:
    """P28: ``mv b a``; the last cell is still empty in the copy. A page records no empty cells."""
    sources = {**SOURCES, "eeee0001": ""}
    original = Notebook(world, "a.ipynb", sources)
    first = await original.open()
    await world.store.delete(SessionKey(first.notebook_id, "eeee0001"))
    world.copy("a.ipynb", "b.ipynb")
    copied = Notebook(world, "b.ipynb", sources)
    await copied.open()
    second = await copied.open()
    await world.store.delete(SessionKey(second.notebook_id, "eeee0001"))
    await original.record("eeee0001", "print(monthly.tail())")
    world.move("b.ipynb", "a.ipynb")
    assert await Notebook(world, "a.ipynb", sources).open() == second


@in_loop
@pytest.mark.parametrize("keeps_ids", [True, False])
async def test_of_two_notebooks_at_one_path_it_is_the_last_used(
    world: World, keeps_ids: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P28: a copy replaces its original (``mv b a``); then a tool strips the notebook's id."""
    times = (f"2026-01-01T00:00:00.{millisecond:03}Z" for millisecond in itertools.count())
    monkeypatch.setattr(identity, "utc_now", lambda: next(times))
    first = await Notebook(world, "a.ipynb").open()
    seconds = set()
    for _ in range(6):
        world.copy("a.ipynb", "b.ipynb")
        await Notebook(world, "b.ipynb").open()
        second = await Notebook(world, "b.ipynb").open()
        world.move("b.ipynb", "a.ipynb")
        assert await Notebook(world, "a.ipynb").open() == second
        seconds.add(second.notebook_id)
        world.disk.ids["a.ipynb"] = None
        ids = list(SOURCES) if keeps_ids else ["0", "1", "2"]
        stripped = Notebook(world, "a.ipynb", dict(zip(ids, SOURCES.values(), strict=True)))
        assert await stripped.open() == second
        world.disk.ids["a.ipynb"] = first.notebook_id
    assert len(seconds) == 6


@in_loop
@pytest.mark.parametrize("numbers", [False, True])
async def test_another_persons_id_keeps_the_histories(world: World, numbers: bool) -> None:
    """P28: both opened the notebook that git had without id; a pull brings the other's id."""
    notebook = Notebook(world, "a.ipynb")
    mine = (await notebook.open()).notebook_id
    await world.write(mine, B, "mine")
    await world.write(mine, C, "about c")
    other = str(uuid.uuid4())
    world.disk.ids["a.ipynb"] = other
    sources = [SOURCES[A], SOURCES[B], "answer = another(7)"]
    notebook.rewrite(*sources, ids=["0", "1", "2"] if numbers else [A, B, C])
    assert (await notebook.read())["metadata"]["aiserver"]["notebook_id"] == other
    assert (await notebook.open()).notebook_id == other
    assert list(notebook.cells)[:2] == [A, B] and C not in notebook.cells
    assert await world.history(other, B) == ["mine"]
    saved = notebook.content()
    assert await notebook.open() == NotebookIdentity(other)
    assert notebook.content() == saved, "nothing in the file changes again"
    await world.write(other, B, "under the other id")
    world.disk.ids["a.ipynb"] = None
    notebook.rewrite(*sources, ids=["0", "1", "2"] if numbers else list(notebook.cells))
    assert (await notebook.open()).notebook_id == other, "a checkout of the commit without id"
    assert await world.history(other, B) == ["mine", "under the other id"]
    assert await world.history(mine, B) == ["mine"]


@in_loop
async def test_another_notebook_with_an_unknown_id_inherits_nothing(world: World) -> None:
    """P28: also if it has the ids of the cells, as one made from the same template."""
    notebook = Notebook(world, "a.ipynb")
    mine = (await notebook.open()).notebook_id
    await world.write(mine, B, "mine")
    for cells in ({A: "weather = load(1)", B: "secret = load(2)"}, {"dddd4444": SOURCES[B]}):
        world.disk.ids["a.ipynb"] = other = str(uuid.uuid4())
        notebook.cells = dict(cells)
        assert await notebook.open() == NotebookIdentity(other)
        assert B not in notebook.cells
        assert await world.history(other, B) == []
        world.disk.ids["a.ipynb"] = mine
        notebook.cells = dict(SOURCES)
        await notebook.open()


@in_loop
@pytest.mark.parametrize("interrupted", [True, False])
async def test_what_was_not_copied_under_another_persons_id_is_copied_later(
    world: World, monkeypatch: pytest.MonkeyPatch, interrupted: bool
) -> None:
    """P27: the server ends meanwhile; or a command has recorded the id, without any cells."""
    notebook = Notebook(world, "a.ipynb")
    mine = (await notebook.open()).notebook_id
    await world.write(mine, B, "mine")

    async def fail(*_: object) -> None:
        raise StorageFull

    world.disk.ids["a.ipynb"] = other = str(uuid.uuid4())
    notebook.cells[C] = "answer = another(7)"
    if interrupted:
        with monkeypatch.context() as patch, pytest.raises(StorageFull):
            patch.setattr(world.store, "fork", fail)
            await notebook.open()
    else:
        await world.registry.identify("a.ipynb", other, [])
    assert (await notebook.open()).notebook_id == other
    assert C not in notebook.cells
    assert await world.history(other, B) == ["mine"]
    await world.store.delete(SessionKey(other, B))
    await notebook.open()
    assert await world.history(other, B) == [], "it does not come back"


@in_loop
async def test_the_files_of_two_clones_are_merged(world: World) -> None:
    """P28: each clone keeps its notebook, and finds the cells that were changed in the other."""
    main, feature = Notebook(world, "main/n.ipynb"), Notebook(world, "feature/n.ipynb")
    first = await main.open()
    await world.write(first.notebook_id, B, "in main")
    world.copy(main.path, feature.path)
    await feature.open()
    second = await feature.open()
    feature.cells |= {B: "answer = other(7)", "dddd4444": "new = 1"}
    key = SessionKey(second.notebook_id, B)
    event = NewEvent(type="edit", timestamp=utc_now(), source=feature.cells[B])
    await world.store.record_events(key, [event])
    assert await feature.open() == second
    world.copy(feature.path, main.path)
    main.cells = dict(feature.cells)
    assert await main.open() == first
    assert main.cells == feature.cells
    assert await feature.open() == second


@in_loop
async def test_damaged_notebooks_are_read_as_they_are(world: World) -> None:
    notebook = Notebook(world, "a.ipynb")
    await notebook.open()
    good = notebook.content()
    damages: list[dict[str, Any]] = [
        {"nbformat": 3},
        {"cells": None},
        {"cells": [7]},
        {"metadata": None},
        {"metadata": {"aiserver": {"notebook_id": "../x"}}},
        {"metadata": {"aiserver": []}},
    ]
    for damage in damages:
        content = good | damage
        before = copy.deepcopy(content)
        await restore_ids(world.registry, "other.ipynb", content)
        assert content == before


class Manager:
    """A contents manager with a single notebook."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    async def get(self, path: str, content: bool = True) -> dict[str, Any]:
        model = {"path": path, "type": "notebook", "content": None}
        return model | ({"content": copy.deepcopy(self.content)} if content else {})


class ManagerAtOnce:
    """A contents manager that isn't asynchronous."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def get(self, path: str, content: bool = True) -> dict[str, Any]:
        return {"path": path, "type": "notebook", "content": copy.deepcopy(self.content)}


def ids_of(model: dict[str, Any]) -> list[str]:
    return [cell["id"] for cell in model["content"]["cells"]]


@in_loop
async def test_a_failing_store_keeps_no_notebook_from_being_opened(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no cell gets the history of another one: a number is not trusted then."""
    notebook = Notebook(world, "a.ipynb")
    await notebook.open()
    notebook.rewrite(*SOURCES.values(), "d = 4", ids=["0", "1", "2", str(uuid.uuid4())])
    manager, other = Manager(notebook.content()), ManagerAtOnce(notebook.content())
    for each in (manager, other):
        restore_on_reading(each, world.registry, logging.getLogger("test"))
    assert (await manager.get("a.ipynb", content=False))["content"] is None
    assert ids_of(await manager.get("a.ipynb"))[:3] == [*SOURCES]

    async def fail(*_: object, **__: object) -> None:
        await asyncio.sleep(0)
        raise OSError

    monkeypatch.setattr(world.store, "session_marks", fail)
    read = ids_of(await manager.get("a.ipynb"))
    assert "not compared" in caplog.text
    assert not {*SOURCES, "0", "1", "2"}.intersection(read[:3])
    assert read == ids_of(other.get("a.ipynb")), "two readings give the same ids"
    assert read[3] == notebook.id_of("d = 4")


@pytest.mark.parametrize("path", ["a.ipynb", "a.py"])
@in_loop
async def test_one_failed_comparison_loses_no_history(
    world: World, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has recorded the cells with other ids, and saved the notebook with them."""
    sources = {id_: f"part = load('{id_}, a long name.csv')" for id_ in SOURCES}
    notebook = Notebook(world, path, sources)
    first = await notebook.open()

    def clean() -> None:
        if path == "a.py":
            notebook.rewrite(*sources.values())
            world.disk.ids[path] = None
        else:
            notebook.rewrite(*sources.values(), ids=["0", "1", "2"])

    async def fail(_: object, __: str, content: dict[str, Any]) -> None:
        replace_positional_ids(content)

    clean()
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[__name__], "restore_ids", fail)
        await notebook.open()
    assert not notebook.cells.keys() & sources.keys()
    if path == "a.py":
        clean()
    for _ in range(2):
        assert (await notebook.open()).notebook_id == first.notebook_id
        assert notebook.cells == sources
        clean()


@pytest.mark.parametrize("model", [None, {}, {"type": "notebook", "content": {"cells": 7}}])
@in_loop
async def test_what_is_no_notebook_is_read_as_it_is(
    world: World, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def get(path: str) -> Any:
        return copy.deepcopy(model)

    manager = Manager({})
    monkeypatch.setattr(manager, "get", get)
    restore_on_reading(manager, world.registry, logging.getLogger("test"))
    assert await manager.get("a.ipynb") == model


@in_loop
async def test_the_empty_file_of_a_notebook_is_read_as_an_empty_notebook(world: World) -> None:
    """P54: Jupyter can't read such a file. Its error stays for all others."""

    class Unreadable(Manager):
        size = 0

        async def get(self, path: str, content: bool = True) -> dict[str, Any]:
            if content:
                raise ValueError("unreadable")
            return {**await super().get(path, False), "size": self.size}

    identity = await Notebook(world, "a.ipynb").open()
    manager = Unreadable({})
    restore_on_reading(manager, world.registry, logging.getLogger("test"))
    content = (await manager.get("a.ipynb"))["content"]
    assert content["metadata"]["aiserver"]["notebook_id"] == identity.notebook_id
    assert content["cells"] == []
    with pytest.raises(ValueError, match="unreadable"):
        await manager.get("other.ipynb")
    Unreadable.size = 1
    with pytest.raises(ValueError, match="unreadable"):
        await manager.get("a.ipynb")


@pytest.mark.parametrize(
    ("damaged", "is_open", "is_read"),
    [
        (b'{"cells": [{"source": "x', False, True),
        (b"\0" * 64, False, True),
        (b'{"cells": [], "nbformat": 99}', False, False),
        (b'{\n<<<<<<< ours\n"a"\n=======\n"b"\n>>>>>>> theirs\n', False, False),
        (b'{"cells": [', True, False),
    ],
)
@in_loop
async def test_a_damaged_file_is_copied_and_read_as_an_empty_notebook(
    world: World, tmp_path: Path, damaged: bytes, is_open: bool, is_read: bool
) -> None:
    """P54"""

    class Unreadable(Manager):
        async def get(self, path: str, content: bool = True) -> dict[str, Any]:
            if content:
                raise ValueError("unreadable")
            return {**await super().get(path, False), "size": len(damaged)}

    await Notebook(world, "a.ipynb").open()
    file, copied = tmp_path / "a.ipynb", tmp_path / "a.ipynb.invalid-1"
    file.write_bytes(damaged)
    manager = Unreadable({})
    log = logging.getLogger("test")
    options: Any = {"folder": tmp_path, "is_open": lambda path: is_open}
    restore_on_reading(manager, world.registry, log, **options)
    for _ in range(2 if is_read else 0):
        model = await manager.get("a.ipynb")
        assert (model["content"]["cells"], model["size"]) == ([], 0)
        assert copied.read_bytes() == damaged
    if not is_read:
        with pytest.raises(ValueError, match="unreadable"):
            await manager.get("a.ipynb")
        assert not copied.exists()
    elif damaged.startswith(b"{"):
        damaged = b"{"
        file.write_bytes(damaged)
        await manager.get("a.ipynb")
        assert (tmp_path / "a.ipynb.invalid-2").read_bytes() == damaged
    assert file.read_bytes() == damaged
