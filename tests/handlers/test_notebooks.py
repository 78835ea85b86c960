"""P28 on a real server with real files: histories stay with their notebooks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from tornado.web import HTTPError

from ..conftest import Call, request


class Desk:
    """Opens notebooks in the server's folder like the frontend."""

    def __init__(self, call: Call, root: Path) -> None:
        self.call, self.root = call, root

    def make(self, path: str, *cell_ids: str) -> None:
        cells = [new_code_cell("x = 1", id=cell_id) for cell_id in cell_ids]
        self.write(path, new_notebook(cells=cells))

    def write(self, path: str, notebook: Any) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, self.root / path)

    def read(self, path: str) -> Any:
        return nbformat.read(self.root / path, as_version=4)

    async def open(self, path: str) -> dict[str, str]:
        """Open and save a notebook; return the server's response."""
        notebook = self.read(path)
        body = {"path": path, "cellIds": [cell["id"] for cell in notebook.cells]}
        if carried := notebook.metadata.get("aiserver", {}).get("notebook_id"):
            body["notebookId"] = carried
        answer = await self.call("POST", "notebooks", body)
        assert answer.status == 200, answer.data
        notebook.metadata["aiserver"] = {"notebook_id": answer.data["notebookId"]}
        self.write(path, notebook)
        return dict(answer.data)

    async def ask(self, path: str, intent: str, cell: str = "c1c1c1c1") -> None:
        body = request(intent, notebookId=(await self.open(path))["notebookId"], cellId=cell)
        assert (await self.call("POST", "generate", body)).status == 200

    async def history(self, path: str, cell: str = "c1c1c1c1") -> list[str]:
        notebook_id = (await self.open(path))["notebookId"]
        answer = await self.call("GET", f"sessions/{notebook_id}/{cell}")
        turns = answer.data["interactions"] if answer.status == 200 else []
        return [turn["user_request"]["intent"] for turn in turns]


@pytest.fixture
def desk(call: Call, jp_root_dir: Path) -> Desk:
    return Desk(call, jp_root_dir)


@pytest.mark.parametrize("link", ["linked folder", "linked file", "hard link"])
async def test_a_notebook_with_two_paths_has_one_history(desk: Desk, link: str):
    """P28: a link is no copy, so both paths have the same history."""
    desk.make("real/a.ipynb", "c1c1c1c1")
    real, other = desk.root / "real", desk.root / "other"
    if link == "linked folder":
        other.symlink_to(real)
    else:
        other.mkdir()
        if link == "linked file":
            (other / "a.ipynb").symlink_to(real / "a.ipynb")
        else:
            (other / "a.ipynb").hardlink_to(real / "a.ipynb")
    await desk.ask("real/a.ipynb", "one")
    await desk.ask("other/a.ipynb", "two")
    assert "forkedFrom" not in await desk.open("real/a.ipynb")
    assert await desk.history("real/a.ipynb") == await desk.history("other/a.ipynb")
    assert await desk.history("real/a.ipynb") == ["one", "two"]
    shutil.copy(desk.root / "real/a.ipynb", desk.root / "b.ipynb")
    assert "forkedFrom" in await desk.open("b.ipynb"), "a copy gets its own id"


async def test_histories_follow_moved_notebooks(desk, jp_fetch):
    desk.make("a.ipynb", "c1c1c1c1")
    await desk.ask("a.ipynb", "one")
    (desk.root / "deep").mkdir()
    (desk.root / "a.ipynb").rename(desk.root / "deep/分析 1.ipynb")
    assert await desk.history("deep/分析 1.ipynb") == ["one"]
    await jp_fetch(
        "api", "contents", "deep/分析 1.ipynb", method="PATCH", body='{"path": "b.ipynb"}'
    )
    assert await desk.history("b.ipynb") == ["one"]
    log = desk.root / ".aiserver_sessions/notebooks"
    assert len([*log.iterdir()]) == 1


@pytest.mark.parametrize("how", ["cp", "Jupyter"])
async def test_a_copy_gets_its_own_history(desk, jp_fetch, how):
    desk.make("a.ipynb", "c1c1c1c1", "c2c2c2c2")
    await desk.ask("a.ipynb", "one")
    await desk.ask("a.ipynb", "of two", "c2c2c2c2")
    if how == "cp":
        shutil.copy(desk.root / "a.ipynb", desk.root / "a-Copy1.ipynb")
    else:
        await jp_fetch("api", "contents", method="POST", body='{"copy_from": "a.ipynb"}')
    original = (await desk.open("a.ipynb"))["notebookId"]
    copy = await desk.open("a-Copy1.ipynb")
    assert copy["forkedFrom"] == original != copy["notebookId"]
    await desk.ask("a.ipynb", "original")
    await desk.ask("a-Copy1.ipynb", "copy")
    assert await desk.history("a.ipynb") == ["one", "original"]
    assert await desk.history("a-Copy1.ipynb") == ["one", "copy"]
    assert await desk.history("a-Copy1.ipynb", "c2c2c2c2") == ["of two"]


async def test_names_with_dots_are_not_confused(desk, call):
    """The notebooks have the same cells and names with a common prefix."""
    names = ("a.ipynb", "a.b.ipynb", "a.c.ipynb", "a.b/c.ipynb")
    for name in names:
        desk.make(name, "c1c1c1c1")
        await desk.ask(name, f"in {name}")
    ids = {name: (await desk.open(name))["notebookId"] for name in names}
    assert len(set(ids.values())) == len(names)
    for name in names:
        assert await desk.history(name) == [f"in {name}"]
    # Not even if their names are swapped.
    for source, target in (("a.b", "x"), ("a.c", "a.b"), ("x", "a.c")):
        (desk.root / f"{source}.ipynb").rename(desk.root / f"{target}.ipynb")
    assert await desk.history("a.b.ipynb") == ["in a.c.ipynb"]
    assert await desk.history("a.c.ipynb") == ["in a.b.ipynb"]
    exported = []
    for name in ("a.b.ipynb", "a.c.ipynb"):
        notebook_id = (await desk.open(name))["notebookId"]
        answer = await call("GET", f"notebooks/{notebook_id}/export?format=md&path={name}")
        exported.append(answer.data["name"])
    assert exported == ["a.b-replay.md", "a.c-replay.md"]


async def test_stripped_and_replaced(desk):
    desk.make("Untitled.ipynb", "c1c1c1c1", "c2c2c2c2")
    await desk.ask("Untitled.ipynb", "one")
    stripped = desk.read("Untitled.ipynb")
    del stripped.metadata["aiserver"], stripped.cells[1]
    desk.write("Untitled.ipynb", stripped)
    assert await desk.history("Untitled.ipynb") == ["one"]
    (desk.root / "Untitled.ipynb").unlink()
    desk.make("Untitled.ipynb", "d1d1d1d1")
    assert await desk.history("Untitled.ipynb", "d1d1d1d1") == []
    assert await desk.history("Untitled.ipynb", "c1c1c1c1") == []


async def test_a_page_that_was_opened_before_another_saved(desk, call):
    desk.make("a.ipynb", "c1c1c1c1")
    await desk.ask("a.ipynb", "one")
    first = (await desk.open("a.ipynb"))["notebookId"]
    stale = await call("POST", "notebooks", {"path": "a.ipynb", "cellIds": ["made-up"]})
    assert stale.data == {"notebookId": first}


@pytest.mark.parametrize("server_config", [{"ServerApp": {"allow_hidden": False}}])
async def test_invalid_paths_are_no_crash(desk, call):
    for path in ("../a.ipynb", "a/../../b.ipynb", "/etc/passwd", ".hidden/a.ipynb", "a\x00b"):
        answer = await call("POST", "notebooks", {"path": path, "cellIds": []})
        assert answer.status in (200, 400), path


async def test_histories_in_subfolders_are_used(desk, jp_serverapp):
    """A server ran in the subfolder before."""
    desk.make("sub/a.ipynb", "c1c1c1c1")
    await desk.ask("sub/a.ipynb", "one")
    (desk.root / ".aiserver_sessions").rename(desk.root / "sub/.aiserver_sessions")
    (log,) = (desk.root / "sub/.aiserver_sessions/notebooks").iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lines[0]["data"]["path"] = "a.ipynb"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert await desk.history("sub/a.ipynb") == ["one"]


@pytest.fixture(params=[False, True])
def collaborative(request: pytest.FixtureRequest, jp_serverapp: Any) -> bool:
    jp_serverapp.extension_manager.linked_extensions["jupyter_server_ydoc"] = request.param
    return bool(request.param)


async def test_an_empty_file_is_an_error_for_collaboration(
    collaborative: bool, desk: Desk, jp_serverapp: Any
) -> None:
    """P54: a shared notebook that reloads it keeps its cells then, and saves them."""
    desk.make("a.ipynb", "c1c1c1c1")
    await desk.ask("a.ipynb", "load")
    (desk.root / "a.ipynb").write_bytes(b"")
    reading = jp_serverapp.contents_manager.get("a.ipynb")
    if collaborative:
        with pytest.raises(HTTPError, match="Unreadable"):
            await reading
    else:
        assert (await reading)["content"]["cells"] == []
