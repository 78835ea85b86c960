"""Histories are available whatever folder Jupyter starts in."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_server.services.contents.filemanager import FileContentsManager

from aiserver.errors import StorageFull
from aiserver.handlers.notebooks import Contents
from aiserver.models import SessionKey
from aiserver.notebooks.identity import NotebookIdentity, NotebookRegistry
from aiserver.notebooks.other_roots import OtherRoots
from aiserver.notebooks.restored_ids import restore_ids
from aiserver.sessions.file.directory import FOLDER
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import event, in_loop, turn

from ..examples import examples

CELLS = ["c1", "c2"]
LOG = logging.getLogger(__name__)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a project: ``home/project/.git``, ``home/project/sub/deep``."""
    home = tmp_path / "home"
    (home / "project/.git").mkdir(parents=True)
    (home / "project/sub/deep").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    return home


class Server:
    """The parts of a server that was started in a folder."""

    def __init__(self, start: Path, root: Path | None = None) -> None:
        self.start = start
        given = {"root": str(root)} if root else {}
        if root:
            root.mkdir(exist_ok=True)
        self.store = FileSessionManager(start_dir=str(start), **given)
        contents = Contents(FileContentsManager(root_dir=str(start)), Path(self.store.root))
        self.registry = NotebookRegistry(
            self.store, contents, OtherRoots(self.store, start, contents.folder, LOG)
        )

    async def open(self, file: Path, cells: list[str] = CELLS) -> NotebookIdentity:
        """Open a notebook, and save it with its id."""
        notebook = json.loads(file.read_text()) if file.exists() else {"metadata": {}}
        carried = notebook["metadata"].get("aiserver", {}).get("notebook_id")
        path = file.relative_to(self.start).as_posix()
        await self.registry.copy_from_other_roots(path, carried)  # when the file is read
        identity = await self.registry.identify(path, carried, cells)
        notebook["metadata"]["aiserver"] = {"notebook_id": identity.notebook_id}
        file.write_text(json.dumps(notebook))
        return identity

    async def ask(self, file: Path, intent: str, cell: str = "c1") -> str:
        identity = await self.open(file)
        await self.store.save_interaction(SessionKey(identity.notebook_id, cell), turn(intent))
        return identity.notebook_id

    async def history(self, file: Path, cell: str = "c1") -> list[str]:
        identity = await self.open(file)
        turns = await self.store.get_history(SessionKey(identity.notebook_id, cell))
        return [each.user_request.intent for each in turns]


@in_loop
async def test_cells_are_compared_with_the_histories_of_other_roots(home: Path) -> None:
    """A tool has numbered the cells, and the text notebook keeps no ids."""
    folder = home / "project/sub"
    source = "data = load('a rather long name.csv')"
    notebook_ids = {}
    for file in ("n.ipynb", "t.py"):
        server = Server(folder, root=folder)
        (folder / file).write_text(json.dumps({"metadata": {}}))
        key = SessionKey((await server.open(folder / file, ["aaaa1111"])).notebook_id, "aaaa1111")
        await server.store.record_events(key, [event(source=source)])
        notebook_ids[file] = key.notebook_id
    above = Server(home / "project", root=home / "project")
    for file, own_id in (("n.ipynb", notebook_ids["n.ipynb"]), ("t.py", None)):
        cell = {"cell_type": "code", "id": "0", "source": source, "metadata": {}}
        metadata = {"aiserver": {"notebook_id": own_id}}
        notebook = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        await restore_ids(above.registry, f"sub/{file}", notebook)
        assert cell["id"] == "aaaa1111"
        assert metadata["aiserver"]["notebook_id"] == notebook_ids[file]


@in_loop
async def test_cells_are_compared_even_if_nothing_can_be_copied(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full, and there is a new log in another root."""
    above = Server(home / "project", root=home / "project")
    file = home / "project/sub/n.ipynb"
    key = SessionKey((await above.open(file, ["aaaa1111"])).notebook_id, "aaaa1111")
    source = "data = load('a rather long name.csv')"
    await above.store.record_events(key, [event(source=source)])
    below = Server(home / "project/sub", root=home / "project/sub")
    await below.open(home / "project/sub/other.ipynb", ["bbbb2222"])

    async def fail(*_: Any, **__: Any) -> None:
        raise StorageFull

    monkeypatch.setattr(above.store, "append_notebook_log", fail)
    cell = {"cell_type": "code", "id": "0", "source": source, "metadata": {}}
    metadata = {"aiserver": {"notebook_id": key.notebook_id}}
    notebook = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    await restore_ids(above.registry, "sub/n.ipynb", notebook)
    assert cell["id"] == "aaaa1111"


@in_loop
async def test_a_history_is_copied_to_a_folder_above(home: Path) -> None:
    """Jupyter ran in ``sub``, and now runs in the project."""
    file = home / "project/sub/a.ipynb"
    first = await Server(file.parent).ask(file, "one")
    above = Server(home / "project")
    assert await above.history(file) == ["one"]
    session = await above.store.load_session(SessionKey(first, "c1"))
    assert session.meta.created_at and session.revision == 1
    # The original stays in place.
    assert await Server(file.parent).history(file) == ["one"]
    assert (home / "project" / FOLDER).is_dir() and (file.parent / FOLDER).is_dir()


@in_loop
async def test_roots_that_diverged_are_merged(home: Path) -> None:
    """Nothing is hidden or doubled, however often Jupyter changes folders."""
    file = home / "project/sub/a.ipynb"
    await Server(file.parent).ask(file, "one")
    await Server(home / "project").ask(file, "two")
    below = Server(file.parent)
    assert await below.history(file) == ["one", "two"]
    await below.ask(file, "three")
    for _ in range(3):
        assert await Server(home / "project").history(file) == ["one", "two", "three"]
        assert await Server(file.parent).history(file) == ["one", "two", "three"]


@pytest.mark.parametrize("more", [[], ["B four"]])
@in_loop
async def test_records_of_another_branch_are_copied_as_well(home: Path, more: list[str]) -> None:
    """P39: git switched branches there, which replaced turns; deleted ones don't come back."""
    file = home / "project/sub/a.ipynb"
    below = Server(file.parent)
    for intent in ("one", "two"):
        notebook_id = await below.ask(file, intent)
    base = {path: path.read_bytes() for path in below_files(file)}
    await below.ask(file, "A three")
    above = Server(home / "project")
    assert await above.history(file) == ["one", "two", "A three"]
    for path, data in base.items():
        path.write_bytes(data)
    below, key = Server(file.parent), SessionKey(notebook_id, "c1")
    for intent in ["B three", *more]:
        await below.store.save_interaction(key, turn(intent))  # without asking this server
    wanted = ["one", "two", "A three", "B three", *more]
    assert await above.history(file) == wanted, "while the server runs"
    assert await Server(home / "project").history(file) == wanted
    await above.store.delete(key)
    assert await Server(home / "project").history(file) == [], "deleted for good"
    await below.store.save_interaction(key, turn("new"))
    assert await Server(home / "project").history(file) == ["new"]


def below_files(file: Path) -> list[Path]:
    return [path for path in (file.parent / FOLDER).rglob("*.json*") if path.is_file()]


@in_loop
async def test_records_copied_by_count_are_not_copied_again(home: Path) -> None:
    """A log from before digests were logged only has counts."""
    file = home / "project/sub/a.ipynb"
    notebook_id = await Server(file.parent).ask(file, "one")
    above = Server(home / "project")
    assert await above.history(file) == ["one"]
    [log] = (home / "project" / FOLDER / "notebooks").iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if line["type"] == "taken_over":
            assert len(line["data"].pop("digests")["c1"]) == 1
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    await above.store.delete(SessionKey(notebook_id, "c1"))
    assert await Server(home / "project").history(file) == []
    await Server(file.parent).ask(file, "two")
    assert await Server(home / "project").history(file) == ["two"]


@in_loop
async def test_blobs_of_a_history_are_copied(home: Path) -> None:
    """P28: the picture of an output, and no blob that no history names."""
    file = home / "project/sub/a.ipynb"
    below = Server(file.parent)
    first = await below.ask(file, "one")
    picture, other = await below.store.put_blob(b"picture"), await below.store.put_blob(b"other")
    lost = "0" * 64  # named, but missing
    events = [event("run", data={"outputs": [{"thumbnail": picture}, {"thumbnail": lost}]})]
    await below.store.record_events(SessionKey(first, "c1"), events)
    above = Server(home / "project")
    assert await above.history(file) == ["one"]
    assert await above.store.get_blob(picture) == b"picture"
    assert await above.store.get_blob(other) is None
    assert await above.store.get_blob(lost) is None


@in_loop
async def test_events_and_both_sides_of_a_fork_are_merged(home: Path) -> None:
    file = home / "project/sub/a.ipynb"
    below = Server(file.parent)
    first = await below.ask(file, "one")
    await Server(home / "project").ask(file, "above")
    key = SessionKey(first, "c1")
    # Written there without asking this server, as by one that was running all the time.
    await below.store.save_interaction(key, turn("below"))
    await below.store.record_events(key, [event("accept", turn_id=2, source="x")])
    above = Server(home / "project")
    assert await above.history(file) == ["one", "above", "below"]
    session = await above.store.load_session(key)
    assert [each.turn_id for each in session.interactions] == [1, 2, 3]
    assert [(each.type, each.turn_id) for each in session.events or []] == [("accept", 3)]


@in_loop
async def test_deleted_records_do_not_come_back(home: Path) -> None:
    file = home / "project/sub/a.ipynb"
    below = Server(file.parent)
    first = await below.ask(file, "one")
    above = Server(home / "project")
    assert await above.history(file) == ["one"]
    await above.store.delete(SessionKey(first, "c1"))
    assert await above.history(file) == []
    assert await Server(home / "project").history(file) == []
    await below.store.save_interaction(SessionKey(first, "c1"), turn("two"))
    assert await above.history(file) == ["two"]


@in_loop
async def test_deleted_records_do_not_come_back_after_an_interrupted_copying(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P28: opening is cut off after some seconds, or the disk is full."""
    folder = home / "project/sub"
    file = folder / "a.ipynb"
    server = Server(folder, root=folder)
    for cell in CELLS:
        await server.ask(file, f"in {cell}", cell)
    # Sessions that have just changed are read again.
    monkeypatch.setattr("aiserver.sessions.file.session_files._MIN_AGE_NS", -1)
    above = Server(home / "project", root=home / "project")
    copy_session = above.store.merge_copy

    async def fail_at_the_second(key: SessionKey, *arguments: Any, **options: Any) -> Any:
        if key.cell_id == CELLS[1]:
            raise asyncio.CancelledError
        return await copy_session(key, *arguments, **options)

    with monkeypatch.context() as patch, pytest.raises(asyncio.CancelledError):
        patch.setattr(above.store, "merge_copy", fail_at_the_second)
        await above.open(file)
    notebook_id = (await above.open(file)).notebook_id
    await above.store.delete(SessionKey(notebook_id, CELLS[0]))
    above = Server(home / "project", root=home / "project")
    assert await above.history(file, CELLS[0]) == []
    assert await above.history(file, CELLS[1]) == [f"in {CELLS[1]}"]


@in_loop
async def test_deleted_records_do_not_come_back_in_a_copy(home: Path) -> None:
    file, copy = home / "project/sub/a.ipynb", home / "project/sub/copy.ipynb"
    await Server(file.parent).ask(file, "one")
    await Server(file.parent).ask(file, "two", "c2")
    above = Server(home / "project")
    identity = await above.open(file)
    await above.store.delete(SessionKey(identity.notebook_id, "c1"))
    shutil.copy(file, copy)
    for server in (above, Server(home / "project")):
        assert await server.history(copy) == []
        assert await server.history(copy, "c2") == ["two"]


@in_loop
async def test_deleted_records_do_not_come_back_in_a_copy_with_newer_turns(home: Path) -> None:
    file, copy = home / "project/sub/a.ipynb", home / "project/sub/copy.ipynb"
    await Server(file.parent).ask(file, "one")
    above = Server(home / "project")
    identity = await above.open(file)
    await above.store.delete(SessionKey(identity.notebook_id, "c1"))
    await above.ask(file, "two")
    shutil.copy(file, copy)
    assert await above.history(copy) == ["two"]


@in_loop
async def test_a_configured_root_in_another_place(home: Path, tmp_path: Path) -> None:
    """The trait names an unrelated folder."""
    file = home / "project/sub/a.ipynb"
    await Server(file.parent).ask(file, "one")
    await Server(home / "project").ask(file, "two")
    separate = Server(home / "project", root=tmp_path / "data")
    assert await separate.history(file) == ["one", "two"]
    below = Server(file.parent, root=tmp_path / "data")
    assert await below.history(file) == ["one", "two"], "the same notebook from another start"
    assert len(await below.store.list_notebooks()) == 1


@in_loop
async def test_one_notebook_has_one_name_wherever_jupyter_starts(home: Path) -> None:
    """P28: the same path in two servers is two notebooks; two paths may be one."""
    project, sub = home / "project", home / "project/sub"
    above = Server(project)
    first = await above.ask(project / "a.ipynb", "above")
    (sub / "a.ipynb").write_text((project / "a.ipynb").read_text())
    below = Server(sub)
    assert below.store.root == str(project)
    copy = await below.open(sub / "a.ipynb")
    assert copy.forked_from == first
    await below.ask(sub / "a.ipynb", "below")
    assert await Server(project).history(project / "a.ipynb") == ["above"]
    assert await Server(project).history(sub / "a.ipynb") == ["above", "below"]
    assert (await Server(project).open(sub / "a.ipynb")).notebook_id == copy.notebook_id


@in_loop
async def test_a_clone_with_its_own_history_keeps_it(home: Path) -> None:
    """P28: two clones of a project under one root keep separate histories."""
    first, other = home / "project", home / "clone"
    (other / ".git").mkdir(parents=True)
    await Server(first).ask(first / "a.ipynb", "before")
    (other / "a.ipynb").write_text((first / "a.ipynb").read_text())
    for source in [*(first / FOLDER).rglob("*.json*")]:
        target = other / FOLDER / source.relative_to(first / FOLDER)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    await Server(first).ask(first / "a.ipynb", "in the first")
    await Server(other).ask(other / "a.ipynb", "in the other")
    above = Server(home)
    assert await above.history(first / "a.ipynb") == ["before", "in the first"]
    assert await above.history(other / "a.ipynb") == ["before", "in the other"]
    assert await above.history(first / "a.ipynb") == ["before", "in the first"]


@in_loop
async def test_a_cell_that_was_changed_in_a_clone_keeps_its_history(home: Path) -> None:
    """P28: its first history was in the other one, with the same ids."""
    first, other = home / "project", home / "clone"
    notebook_id = await Server(first).ask(first / "a.ipynb", "before", "aaaa1111")
    key = SessionKey(notebook_id, "aaaa1111")
    await Server(first).store.record_events(key, [event(source="data = load('sales.csv')")])
    shutil.copytree(first, other)
    changed = "weather = fetch('a new source')"
    await Server(other).store.record_events(key, [event(source=changed)])
    above = Server(home)
    await above.open(first / "a.ipynb", ["aaaa1111"])
    cell = {"cell_type": "code", "id": "aaaa1111", "source": changed, "metadata": {}}
    metadata = {"aiserver": {"notebook_id": notebook_id}}
    notebook = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    await restore_ids(above.registry, "clone/a.ipynb", notebook)
    assert cell["id"] == "aaaa1111"


def git(folder: Path, *arguments: str | Path) -> None:
    """Run git without the configuration of this computer."""
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    command = ["git", *who, *map(str, arguments)]
    subprocess.run(command, cwd=folder, env=os.environ | nobody, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
@pytest.mark.parametrize("with_histories", [True, False])
@in_loop
async def test_git_clone_and_git_mv(home: Path, with_histories: bool) -> None:
    """P28: whether the histories are in the repository or not."""
    original, other = home / "one", home / "other"
    (original / "deep").mkdir(parents=True)
    (original / "deep/keep").touch()
    git(original, "init", "-q")
    first = await Server(original).ask(original / "a.ipynb", "before")
    if not with_histories:
        (original / ".gitignore").write_text(f"{FOLDER}/\n")
    git(original, "add", ".")
    git(original, "commit", "-qm", "All")
    git(home, "clone", "-q", original, other)
    assert (other / FOLDER).exists() == with_histories
    expected = ["before"] if with_histories else []

    server = Server(other)
    assert await server.history(other / "a.ipynb") == expected
    assert await server.ask(other / "a.ipynb", "in the clone") == first, "it is the same notebook"
    git(other, "mv", "a.ipynb", "deep/b.ipynb")
    assert await server.history(other / "deep/b.ipynb") == [*expected, "in the clone"]
    assert await Server(other).history(other / "deep/b.ipynb") == [*expected, "in the clone"]
    await Server(original).ask(original / "a.ipynb", "in the first")
    assert await Server(original).history(original / "a.ipynb") == ["before", "in the first"]


@in_loop
async def test_a_notebook_without_metadata_is_recognised_from_another_start(home: Path) -> None:
    file = home / "project/sub/a.ipynb"
    await Server(file.parent).ask(file, "one")
    file.write_text('{"metadata": {}}')
    assert await Server(home / "project").history(file) == ["one"]


@in_loop
async def test_an_unreadable_root_is_skipped(home: Path) -> None:
    file = home / "project/sub/a.ipynb"
    first = await Server(file.parent).ask(file, "one", "c1")
    await Server(file.parent).ask(file, "two", "c2")
    sessions = file.parent / FOLDER
    (sessions / f"{first}_c1.json").write_text("{")
    assert await Server(home / "project").history(file, "c2") == ["two"]
    moved = file.parent / "moved"
    sessions.rename(moved)
    sessions.symlink_to(moved)
    assert await Server(home).history(file) == []


@in_loop
async def test_a_crafted_log_gives_no_access_to_other_files(home: Path, tmp_path: Path) -> None:
    """P5: a cloned repository brings its own logs; they name files, and may lie."""
    file = home / "project/sub/a.ipynb"
    first = await Server(file.parent).ask(file, "one")
    log = file.parent / FOLDER / "notebooks" / f"{first}.jsonl"
    for path in ("../../../../etc/passwd", "/etc/passwd", "\0", "a" * 5000, "/dev/zero.ipynb"):
        entry = {"seq": 9, "type": "path_seen", "timestamp": "2026-01-27T10:00:00.000Z"}
        log.write_text(json.dumps(entry | {"data": {"path": path}}) + "\n")
        server = Server(home / "project", root=tmp_path / str(len(path)))
        assert await server.history(file) == ["one"]


STARTS = ["", "project", "project/sub", "project/sub/deep", "project/other"]
FILES = ["project/n.ipynb", "project/sub/n.ipynb", "project/sub/deep/n.ipynb"]
STEPS = st.lists(
    st.tuples(st.sampled_from(STARTS), st.sampled_from(FILES), st.booleans()), max_size=8
)


@settings(max_examples=examples(40), deadline=None)
@given(STEPS, st.booleans())
def test_no_history_is_ever_hidden_or_doubled(
    steps: list[tuple[str, str, bool]], has_git: bool
) -> None:
    """Servers come and go in random folders of a project; some stay and never restart."""

    async def run(home: Path) -> None:
        for folder in STARTS:
            (home / folder).mkdir(parents=True, exist_ok=True)
        if has_git:
            (home / "project/.git").mkdir()
        running: dict[str, Server] = {}
        asked: dict[str, list[str]] = {name: [] for name in FILES}
        for number, (start, name, restarted) in enumerate(steps):
            if not name.startswith(start + "/" if start else ""):
                continue
            if restarted or start not in running:
                running[start] = Server(home / start)
            server = running[start]
            history = await server.history(home / name)
            assert Counter(history) == Counter(asked[name]), (start, name)
            await server.ask(home / name, f"request {number}")
            asked[name].append(f"request {number}")
        for server in running.values():
            await server.store.close()

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", folder)
        asyncio.run(run(Path(os.path.realpath(folder))))
