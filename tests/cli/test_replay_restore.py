"""``jupyter aiserver replay restore``: notebooks that are damaged, emptied or deleted come back."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest

from aiserver.cli import main as cli
from aiserver.models import Contributor, NewEvent, NewLogEntry, SessionKey
from aiserver.plugins.export.cli import restore as command
from aiserver.sessions.file.manager import FileSessionManager
from tests.sharing.demo import HistoryWriter

from .conftest import Run, tree

ID = "0b7e4c1e-54b5-4c8e-9a55-3d0c1f2a7b11"
NAME = "销售 分析.ipynb"
ORDER = [("intro", "markdown"), ("load", "code"), ("sum", "code"), ("note", "raw")]
SOURCES = {
    "intro": "# 销售分析\n\n每月收入 😀",
    "load": 'df = read("销售.csv")\ndf',
    "sum": "df.sum()",
    "note": "原始文本",
}
EMPTY_CELL = {
    "cell_type": "code",
    "id": "fresh-1b2c",
    "metadata": {},
    "source": "",
    "execution_count": None,
    "outputs": [],
}
METADATA = {
    "aiserver": {"notebook_id": ID},
    "kernelspec": {"name": "my-env", "display_name": "My environment"},
    "language_info": {"name": "python"},
}

Recording = Callable[[HistoryWriter], Awaitable[None]]


def record(root: Path, write: Recording, notebook_id: str = ID) -> None:
    """Record more of a notebook's history."""

    async def work() -> None:
        store = FileSessionManager(root=str(root))
        await write(HistoryWriter(store, notebook_id))
        await store.close()

    asyncio.run(work())


async def write_history(writer: HistoryWriter, name: str = NAME) -> None:
    """Record four cells, a run, and a cell that the person deleted."""
    seen = NewLogEntry(type="path_seen", timestamp=writer.now, data={"path": name})
    await writer.store.append_notebook_log(writer.notebook_id, [seen])
    for cell, source in SOURCES.items():
        await writer.do(cell, "edit", source, trigger="save")
    await writer.do("scratch", "edit", "scratch = 1", trigger="save")
    await writer.log([*ORDER, ("scratch", "code")])
    turn = await writer.ask("sum", "求和", SOURCES["sum"], "")
    await writer.do("sum", "accept", SOURCES["sum"], turn_id=turn)
    outputs = {"text": "第一行\n第二行\n"}
    await writer.do("load", "run", SOURCES["load"], status="ok", execution_count=7, outputs=outputs)
    await writer.log()
    await writer.do("scratch", "delete", "scratch = 1", index=4)
    await writer.log(ORDER, saved=True)


async def remove(
    writer: HistoryWriter, cells: list[str], kind: str, order: list[tuple[str, str]]
) -> None:
    """Record that a contributor of a kind deleted cells together."""
    for cell in cells:
        event = NewEvent(
            type="delete",
            timestamp="2026-01-28T10:00:00.000Z",
            source=SOURCES[cell],
            contributor=Contributor(kind=kind),
        )
        saved, _ = await writer.store.record_events(SessionKey(writer.notebook_id, cell), [event])
        writer._seqs[cell] = saved[-1].seq
    await writer.log(order)


def file_content(cells: list[dict[str, Any]] | None = None) -> bytes:
    """Return the bytes of the notebook's file, by default with all cells."""
    if cells is None:
        cells = []
        for cell_id, type_ in ORDER:
            cell: dict[str, Any] = {"cell_type": type_, "id": cell_id, "metadata": {}}
            cell["source"] = SOURCES[cell_id]
            if type_ == "code":
                cell |= {"execution_count": 1, "outputs": [], "metadata": {"tags": ["mine"]}}
            cells.append(cell)
    notebook = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


@pytest.fixture
def restore(work: Path, command_line: Run) -> Run:
    """Run ``jupyter aiserver replay restore …`` in a folder with a notebook and its history."""
    record(work, write_history)
    (work / NAME).write_bytes(file_content())

    return partial(command_line, "replay", "restore")


def read(path: Path) -> dict[str, Any]:
    """Return a notebook after validating it."""
    notebook = json.loads(path.read_text("utf-8"))
    nbformat.validate(notebook)
    return dict(notebook)


def contents(notebook: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(cell["id"], cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]


ALL = [(cell_id, type_, SOURCES[cell_id]) for cell_id, type_ in ORDER]


def copy_in(folder: Path) -> Path:
    (copy,) = folder.glob("*(restored *).ipynb")
    return copy


DAMAGED: dict[str, bytes | None] = {
    "empty file": b"",
    "truncated": file_content()[:300],
    "not text": b"\x80\x00\xff" * 50,
    "list": b"[]",
    "no cells": json.dumps({"nbformat": 4, "metadata": METADATA}).encode(),
    "one empty cell": file_content([EMPTY_CELL]),
    "one empty cell, no id": json.dumps(
        {"cells": [EMPTY_CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ).encode(),
    "deleted": None,
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("in_place", [False, True])
def test_all_cells_come_back(restore: Run, work: Path, damage: str, in_place: bool) -> None:
    """P7"""
    file, data = work / NAME, DAMAGED[damage]
    file.unlink()
    if data is not None:
        file.write_bytes(data)
        file.chmod(0o640)
    before, mode = tree(work), file.stat().st_mode if data is not None else None
    done = restore(NAME, *["--in-place"] * in_place)
    assert done.status == 0 and not done.err and done.out.count("\n") == 1, done.err
    if in_place:
        old = {} if data is None else {"销售 分析 (before restore).ipynb": data}
        assert tree(work) == before | old | {NAME: file.read_bytes()}
        assert all(name in done.out for name in old)
        assert mode is None or file.stat().st_mode == mode
    else:
        file = copy_in(work)
        assert file.name.startswith("销售 分析 (restored 2026-01-2") and file.name in done.out
        assert tree(work) == before | {file.name: file.read_bytes()}
    notebook = read(file)
    assert contents(notebook) == ALL
    assert all(not cell["outputs"] for cell in notebook["cells"][1:3])  # the file has none
    own = {"notebook_id": ID} if in_place else None
    assert notebook["metadata"].get("aiserver") == own
    assert damage != "one empty cell" or notebook["metadata"]["kernelspec"]["name"] == "my-env"
    if in_place:
        assert "lacks none of the 4 recorded cells" in restore(NAME).err


async def _emptied(writer: HistoryWriter) -> None:
    await remove(writer, list(SOURCES), "unknown", [])
    await writer.log([("fresh-1b2c", "code")])  # by the page that opens it


async def _one_by_one(writer: HistoryWriter) -> None:
    for count in range(1, 4):
        await remove(writer, [ORDER[-count][0]], "agent", ORDER[:-count])


async def _one_by_the_person(writer: HistoryWriter) -> None:
    await remove(writer, ["intro", "load", "sum"], "program", ORDER[3:])
    await remove(writer, ["note"], "person", [])


async def _one_by_an_agent(writer: HistoryWriter) -> None:
    await remove(writer, ["note"], "agent", ORDER[:3])


@pytest.mark.parametrize(
    ("write", "expected"),
    [(_emptied, 4), (_one_by_one, 4), (_one_by_the_person, 3), (_one_by_an_agent, 3)],
)
def test_most_cells_that_no_person_deleted_come_back(
    restore: Run, work: Path, write: Recording, expected: int
) -> None:
    record(work, write)
    (work / NAME).write_bytes(file_content([EMPTY_CELL]))
    assert restore(NAME).status == 0
    assert contents(read(copy_in(work))) == ALL[:expected]


def test_a_notebook_that_the_person_emptied_is_complete(restore: Run, work: Path) -> None:
    (work / NAME).write_bytes(file_content([EMPTY_CELL]))
    cells, order = list(SOURCES), [("fresh-1b2c", "code")]
    record(work, lambda writer: remove(writer, cells, "person", order))
    before = tree(work)
    done = restore(NAME)
    assert done.status == 1 and "lacks none of the 1 recorded cells" in done.err
    assert tree(work) == before


def test_the_file_supplies_what_the_history_lacks(restore: Run, work: Path) -> None:
    """Tags, the outputs of unchanged cells, and secrets, of which the history has marks."""
    secret = 'password = "hunter22-secret"'
    record(work, lambda writer: writer.do("intro", "edit", secret, trigger="save"))
    content = json.loads(file_content())
    output = {"output_type": "stream", "name": "stdout", "text": "new"}
    for cell in content["cells"][1:3]:
        cell["outputs"] = [output]
    content["cells"][0]["source"] = secret
    content["cells"][2]["source"] = "changed"
    (work / NAME).write_text(json.dumps(content), encoding="utf-8")
    done = restore(NAME, "--at", "2030-01-01")
    assert done.status == 0 and not done.err
    notebook = read(copy_in(work))
    assert contents(notebook) == [("intro", "markdown", secret), *ALL[1:]]
    load, total = notebook["cells"][1:3]
    assert load["outputs"] == [output] and total["outputs"] == []
    assert load["metadata"] == total["metadata"] == {"tags": ["mine"]}


def test_incomplete_cells_are_counted(restore: Run, work: Path) -> None:
    async def write(writer: HistoryWriter) -> None:
        await writer.do("intro", "edit", 'password = "hunter22-secret"', trigger="save")
        await writer.do("sum", "edit", None, trigger="save", too_long=2_000_000)
        await writer.log([*ORDER, ("blank", "code")])

    record(work, write)
    (work / NAME).unlink()
    (work / ".aiserver_sessions" / f"{ID}_load.json").write_bytes(b"\x00" * 100)
    done = restore(NAME)
    assert done.status == 0 and "aren't complete: 4;" in done.err and done.err.count("\n") == 1
    sources = [source for *_, source in contents(read(copy_in(work)))]
    assert "‹redacted:password›" in sources[0] and sources[1:] == ["", "", "原始文本", ""]


def test_a_time_of_replay_show_chooses_a_state(
    restore: Run, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (work / NAME).unlink()
    assert cli.main(["replay", "show", NAME]) == 0
    shown = capsys.readouterr().out
    time = re.search(r"2026-\S+Z", shown[shown.index(r"Run \[7\]") :])
    assert time
    local = datetime.fromisoformat(time[0].replace("Z", "+00:00")).astimezone()
    for at in (time[0], f"{local:%Y-%m-%d %H:%M:%S}.999"):
        assert restore(NAME, "--at", at).status == 0
        assert contents(read(copy_in(work))) == [*ALL, ("scratch", "code", "scratch = 1")]


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ("2020-01-01 10:00", "the history begins at 2026-01-2"),
        ("2026-13-01 10:00", "is not a time"),
        ("0001-01-01", "is not a time"),
        ("118", "is not a time"),
        ("", "is not a time"),
    ],
)
def test_a_time_without_a_state_is_an_error(
    restore: Run, work: Path, at: str, sentence: str
) -> None:
    before = tree(work)
    done = restore(NAME, f"--at={at}", "--in-place")
    assert done.status == 1 and sentence in done.err and done.err.count("\n") == 1
    assert tree(work) == before


def test_existing_files_are_not_overwritten(restore: Run, work: Path) -> None:
    """P7"""
    for data in (b"1", b"2", b"1"):
        (work / NAME).write_bytes(data)
        assert restore(NAME, "--in-place").status == 0
        (work / NAME).write_bytes(data)
        assert restore(NAME).status == 0
        copies = {path: path.write_bytes(b"mine") for path in work.glob("*(restored *).ipynb")}
    assert len(copies) == 3
    old = sorted(work.glob("*(before restore*).ipynb"))
    assert [path.read_bytes() for path in old] == [b"2", b"1"]  # “… 2).ipynb” comes first


def test_notebooks_that_are_not_recorded_are_errors(restore: Run, work: Path) -> None:
    (work / "new.ipynb").write_bytes(b"")
    before = tree(work)
    assert "No history of a notebook at “new.ipynb”" in restore("new.ipynb", "--in-place").err
    assert "No history of a notebook at “none.ipynb”" in restore("none.ipynb").err
    assert "No history of “none”" in restore("none").err
    assert "not a notebook file or ID" in restore("no/id").err
    (work / "new.ipynb").write_bytes(file_content())
    assert "“new.ipynb” is a copy of “销售 分析.ipynb”" in restore("new.ipynb").err
    assert tree(work) == before | {"new.ipynb": file_content()}


def test_one_of_two_notebooks_at_a_path_is_chosen_by_its_id(restore: Run, work: Path) -> None:
    record(work, write_history, "other-notebook")
    (work / NAME).write_bytes(b"")
    before = tree(work)
    done = restore(NAME, "--in-place")
    assert done.status == 1 and ID in done.err and "other-notebook" in done.err
    assert "needs the path" in restore("other-notebook", "--in-place").err
    assert tree(work) == before
    assert restore("other-notebook").status == 0
    assert contents(read(copy_in(work))) == ALL


def test_an_emptied_notebook_with_a_new_id_comes_back(restore: Run, work: Path) -> None:
    """A page has given it an id of its own, since nothing was left of the old notebook."""

    async def register(writer: HistoryWriter) -> None:
        seen = NewLogEntry(type="path_seen", timestamp=writer.now, data={"path": NAME})
        await writer.store.append_notebook_log(writer.notebook_id, [seen])
        await writer.log([("fresh-1b2c", "code")])

    record(work, register, "new-id")
    (work / NAME).write_bytes(file_content([EMPTY_CELL]).replace(ID.encode(), b"new-id"))
    assert restore(NAME, "--in-place").status == 0
    notebook = read(work / NAME)
    assert contents(notebook) == ALL and notebook["metadata"]["aiserver"] == {"notebook_id": ID}


def test_what_a_page_saves_meanwhile_is_preserved(
    restore: Run, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / NAME).write_bytes(b"")
    write = command._write_copy

    def save(path: Path, label: str, data: bytes) -> Path:
        path.write_bytes(b"saved by JupyterLab")
        return write(path, label, data)

    monkeypatch.setattr(command, "_write_copy", save)
    done = restore(NAME, "--in-place")
    assert done.status == 0 and "(before restore 2).ipynb" in done.out
    assert (work / "销售 分析 (before restore 2).ipynb").read_bytes() == b"saved by JupyterLab"


def test_content_that_cannot_be_preserved_is_not_replaced(restore: Run, work: Path) -> None:
    (work / NAME).unlink()
    (work / NAME).mkdir()
    done = restore(NAME, "--in-place")
    assert done.status == 1 and "is not a file" in done.err and done.err.count("\n") == 1
    assert restore(NAME).status == 0 and contents(read(copy_in(work))) == ALL


def test_a_link_stays_a_link(restore: Run, work: Path) -> None:
    (work / NAME).rename(work / "target.ipynb")
    (work / NAME).symlink_to("target.ipynb")
    (work / "target.ipynb").write_bytes(file_content([EMPTY_CELL]))
    done = restore(NAME, "--in-place")
    assert done.status == 0, done.err
    assert (work / NAME).is_symlink() and contents(read(work / "target.ipynb")) == ALL
