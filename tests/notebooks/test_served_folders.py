"""P28: one database serves several folders, and never mixes their notebooks."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_server.services.contents.filemanager import FileContentsManager

from aiserver.handlers.notebooks import Contents
from aiserver.models import NewLogEntry, SessionKey
from aiserver.notebooks.identity import NotebookRegistry
from aiserver.notebooks.restored_ids import restore_ids
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import NOON, event, in_loop, turn

SOURCES = {
    "aaaa1111": "data = load('a rather long name.csv')",
    "bbbb2222": "data.describe().round(2)",
}


class Server:
    """A server that was started in a folder, with a database that others use, too."""

    def __init__(self, start: Path, store: InMemorySessionManager) -> None:
        self.start, self.store = start, store
        self.registry = NotebookRegistry(store, Contents(FileContentsManager(root_dir=str(start))))

    async def open(self, path: str) -> str:
        """Read, open and save a notebook, which is created if there is none. Return its id."""
        file = self.start / path
        if file.suffix == ".ipynb" and file.exists():
            notebook = json.loads(file.read_text())
        else:
            cells = [
                {"id": id_, "cell_type": "code", "source": source, "metadata": {}}
                for id_, source in SOURCES.items()
            ]
            notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        if file.suffix != ".ipynb":  # its cells have new ids at each reading
            for cell in notebook["cells"]:
                cell["id"] = uuid.uuid4().hex[:8]
        await restore_ids(self.registry, path, notebook)
        carried = notebook["metadata"].get("aiserver", {}).get("notebook_id")
        self.ids = [cell["id"] for cell in notebook["cells"]]
        identity = await self.registry.identify(path, carried, self.ids)
        notebook["metadata"]["aiserver"] = {"notebook_id": identity.notebook_id}
        file.write_text(json.dumps(notebook) if file.suffix == ".ipynb" else "# %%")
        return identity.notebook_id

    async def ask(self, path: str, intent: str) -> str:
        notebook_id = await self.open(path)
        await self.store.save_interaction(SessionKey(notebook_id, self.ids[0]), turn(intent))
        for cell, source in zip(self.ids, SOURCES.values(), strict=True):
            await self.store.record_events(SessionKey(notebook_id, cell), [event(source=source)])
        return notebook_id

    async def history(self, path: str) -> list[str]:
        key = SessionKey(await self.open(path), self.ids[0])
        return [each.user_request.intent for each in await self.store.get_history(key)]


Start = Callable[[str], Server]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("a", "b"):
        (tmp_path / "home" / name).mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def start(home: Path) -> Start:
    store = InMemorySessionManager()
    return lambda folder: Server(home / folder, store)


@in_loop
async def test_a_copied_project_has_histories_of_its_own(home: Path, start: Start) -> None:
    original = await start("a").ask("n.ipynb", "before")
    shutil.copy(home / "a/n.ipynb", home / "b/n.ipynb")
    assert await start("b").ask("n.ipynb", "in b") != original
    await start("a").ask("n.ipynb", "in a")
    assert await start("a").history("n.ipynb") == ["before", "in a"]
    assert await start("b").history("n.ipynb") == ["before", "in b"]
    assert await start("").history("a/n.ipynb") == ["before", "in a"]


@pytest.mark.parametrize("other", ["", "a", "/srv"])
@in_loop
async def test_another_notebook_of_this_name_inherits_nothing(
    home: Path, start: Start, other: str, tmp_path: Path
) -> None:
    """Both are from a template, with the same ids of cells."""
    folder = str(tmp_path / "srv") if other == "/srv" else other
    (home / folder).mkdir(exist_ok=True)
    await start(folder).ask("n.ipynb", "there")
    assert await start("b").history("n.ipynb") == []
    assert await start(folder).history("n.ipynb") == ["there"]


@in_loop
async def test_a_copied_text_notebook_inherits_nothing(home: Path, start: Start) -> None:
    await start("a").ask("n.py", "in a")
    assert await start("b").history("n.py") == []
    assert await start("a").history("n.py") == ["in a"]
    (home / "a/n.py").rename(home / "b/moved.py")
    assert await start("b").history("moved.py") == ["in a"]


@in_loop
async def test_paths_are_those_in_the_served_folder(home: Path, start: Start) -> None:
    id_a, id_b = await start("a").ask("n.ipynb", "x"), await start("b").ask("n.ipynb", "y")
    assert await start("b").registry.paths([id_a, id_b]) == {id_a: None, id_b: "n.ipynb"}
    assert await start("").registry.paths([id_a, id_b]) == {id_a: "a/n.ipynb", id_b: "b/n.ipynb"}


class EarlierContents(Contents):
    """Names notebooks as earlier versions did: by the path in the served folder."""

    def name(self, path: str) -> str:
        return path


async def ask_with_earlier_version(server: Server, path: str) -> str:
    contents = EarlierContents(FileContentsManager(root_dir=str(server.start)))
    current, server.registry = server.registry, NotebookRegistry(server.store, contents)
    try:
        return await server.ask(path, "earlier")
    finally:
        server.registry = current


@pytest.mark.parametrize("path", ["n.ipynb", "n.py"])
@in_loop
async def test_what_an_earlier_version_recorded_is_found(start: Start, path: str) -> None:
    """By the id in the file, or by unchanged cells, but not by the path."""
    notebook_id = await ask_with_earlier_version(start("a"), path)
    assert await start("a").registry.paths([notebook_id]) == {notebook_id: None}
    assert await start("a").history(path) == ["earlier"]
    assert await start("").history(f"a/{path}") == ["earlier"]
    assert await start("b").history(path) == []


@in_loop
async def test_an_earlier_name_is_no_path_in_another_folder(home: Path, start: Start) -> None:
    """Both are from a template, with the same ids of cells."""
    await ask_with_earlier_version(start("a"), "n.ipynb")
    assert await start("b").history("n.ipynb") == []
    assert await start("a").history("n.ipynb") == ["earlier"]


@in_loop
async def test_a_second_folder_gets_a_copy_of_an_earlier_history(home: Path, start: Start) -> None:
    """The first that is opened keeps the id."""
    await ask_with_earlier_version(start("a"), "n.ipynb")
    shutil.copy(home / "a/n.ipynb", home / "b/n.ipynb")
    await start("b").ask("n.ipynb", "in b")
    await start("a").ask("n.ipynb", "in a")
    assert await start("a").history("n.ipynb") == ["earlier", "in b", "in a"]
    assert await start("b").history("n.ipynb") == ["earlier", "in b"]


@in_loop
async def test_a_name_in_the_home_folder_is_not_one_of_an_earlier_version(
    home: Path, start: Start
) -> None:
    notebook_id = await start("").ask("n.ipynb", "in the home folder")
    log = await start("").store.read_notebook_log(notebook_id)
    assert log[0].data["path"] == "n.ipynb"  # as before
    assert await start("b").history("n.ipynb") == []


@in_loop
async def test_the_home_folder_may_be_a_link(
    home: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = home.parent / "link"
    link.symlink_to(home)
    monkeypatch.setenv("HOME", str(link))
    for folder in (home, link):
        notebook_id = await start(str(folder)).ask(f"{folder.name}.ipynb", "x")
        log = await start("").store.read_notebook_log(notebook_id)
        assert log[0].data["path"] == f"{folder.name}.ipynb"


@in_loop
async def test_a_damaged_name_of_an_earlier_version_stops_nothing(start: Start) -> None:
    server = start("a")
    for id_, path in {"x": "\0.ipynb", "y": "n" * 5000, "z": "../n.ipynb"}.items():
        entry = NewLogEntry(type="path_seen", timestamp=NOON, data={"path": path})
        await server.store.append_notebook_log(id_, [entry])
    assert await server.registry.paths(["x", "y", "z"]) == {"x": None, "y": None, "z": None}
    assert await server.history("n.ipynb") == []
