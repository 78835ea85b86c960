"""``jupyter aiserver replay restore``: notebooks that are damaged, emptied or deleted come back."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from aiserver.cli import main as cli
from aiserver.models import Contributor, NewEvent, NewLogEntry, SessionKey
from aiserver.plugins.export.cli import restore as command
from aiserver.sessions.file.manager import FileSessionManager
from tests.sharing.demo import HistoryWriter, picture

from .conftest import Result, tree

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

Restore = Callable[..., Result]
Recording = Callable[[HistoryWriter], Awaitable[None]]


def record(root: Path, write: Recording, notebook_id: str = ID) -> None:
    """Record more of a notebook's history."""

    async def work() -> None:
        store = FileSessionManager(root=str(root))
        await write(HistoryWriter(store, notebook_id))
        await store.close()

    asyncio.run(work())


async def write_history(writer: HistoryWriter, name: str = NAME) -> None:
    """Record four cells, two runs, and a cell that the person deleted."""
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
    sha256 = await writer.store.put_blob(picture())
    plot = {"text": "a plot", "images": [{"sha256": sha256}]}
    await writer.do("sum", "run", SOURCES["sum"], status="ok", execution_count=8, outputs=plot)
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
def restore(work: Path, capsys: pytest.CaptureFixture[str]) -> Restore:
    """Run ``jupyter aiserver replay restore …`` in a folder with a notebook and its history."""
    record(work, write_history)
    (work / NAME).write_bytes(file_content())

    def _run(*arguments: str) -> Result:
        capsys.readouterr()
        status = cli.main(["replay", "restore", *arguments])
        output = capsys.readouterr()
        return Result(status, output.out, output.err)

    return _run


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
def test_all_cells_come_back_in_a_copy(restore: Restore, work: Path, damage: str) -> None:
    file, data = work / NAME, DAMAGED[damage]
    file.unlink() if data is None else file.write_bytes(data)
    before = tree(work)
    done = restore(NAME)
    assert done.status == 0 and not done.err, done.err
    copy = copy_in(work)
    assert copy.name.startswith("销售 分析 (restored 2026-01-2") and copy.name in done.out
    assert tree(work) == before | {copy.name: copy.read_bytes()}
    notebook = read(copy)
    assert contents(notebook) == ALL
    assert "aiserver" not in notebook["metadata"]
    assert notebook["metadata"]["language_info"]["name"] == "python"
    load, total = notebook["cells"][1:3]
    output = {"output_type": "stream", "name": "stdout", "text": ["第一行\n", "第二行\n"]}
    assert load["outputs"] == [output] and load["execution_count"] == 7
    assert total["outputs"] == [] and total["execution_count"] == 8  # pictures are previews only
    kernel = "my-env" if damage == "one empty cell" else "python3"
    assert notebook["metadata"]["kernelspec"]["name"] == kernel


@pytest.mark.parametrize("damage", DAMAGED)
def test_all_cells_come_back_in_place(restore: Restore, work: Path, damage: str) -> None:
    file, data = work / NAME, DAMAGED[damage]
    file.unlink() if data is None else file.write_bytes(data)
    if data is not None:
        file.chmod(0o640)
    before = tree(work)
    done = restore(NAME, "--in-place")
    assert done.status == 0 and not done.err, done.err
    backup = "销售 分析 (before restore).ipynb"
    added = {NAME: file.read_bytes()} | ({} if data is None else {backup: data})
    assert tree(work) == before | added
    notebook = read(file)
    assert contents(notebook) == ALL
    assert notebook["metadata"]["aiserver"] == {"notebook_id": ID}
    if data is not None:
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        assert stat.S_IMODE((work / backup).stat().st_mode) == 0o640
        assert backup in done.out
    again = restore(NAME)
    assert again.status == 1 and "Nothing seems to be missing" in again.err
    assert "4 of 4 recorded cells" in again.err and "--at" in again.err


def test_earlier_backups_are_preserved(restore: Restore, work: Path) -> None:
    for data in (b"1", b"2", b"1"):
        (work / NAME).write_bytes(data)
        assert restore(NAME, "--in-place").status == 0
    assert (work / "销售 分析 (before restore).ipynb").read_bytes() == b"1"
    assert (work / "销售 分析 (before restore 2).ipynb").read_bytes() == b"2"
    assert not (work / "销售 分析 (before restore 3).ipynb").exists()


def test_an_emptied_notebook_that_was_opened_comes_back(restore: Restore, work: Path) -> None:
    """The page has recorded the empty notebook, and that the cells vanished."""
    (work / NAME).write_bytes(file_content([EMPTY_CELL]))
    order = [("fresh-1b2c", "code")]
    record(work, lambda writer: remove(writer, ["intro", "load", "sum", "note"], "unknown", order))
    done = restore(NAME)
    assert done.status == 0, done.err
    assert contents(read(copy_in(work))) == ALL


def test_cells_that_an_agent_deleted_one_by_one_come_back(restore: Restore, work: Path) -> None:
    async def delete_all(writer: HistoryWriter) -> None:
        for count in range(1, 4):
            await remove(writer, [ORDER[-count][0]], "agent", ORDER[:-count])

    record(work, delete_all)
    (work / NAME).write_bytes(file_content()[:100])
    assert restore(NAME).status == 0
    assert contents(read(copy_in(work))) == ALL


def test_cells_that_the_person_deleted_do_not_come_back(restore: Restore, work: Path) -> None:
    async def delete_all(writer: HistoryWriter) -> None:
        await remove(writer, ["note"], "person", ORDER[:3])
        await remove(writer, ["intro", "load", "sum"], "program", [])

    record(work, delete_all)
    (work / NAME).write_bytes(b"")
    assert restore(NAME).status == 0
    assert contents(read(copy_in(work))) == ALL[:3]


def test_one_cell_that_an_agent_deleted_does_not_come_back(restore: Restore, work: Path) -> None:
    record(work, lambda writer: remove(writer, ["note"], "agent", ORDER[:3]))
    (work / NAME).write_bytes(b"")
    assert restore(NAME).status == 0
    assert contents(read(copy_in(work))) == ALL[:3]


def test_a_notebook_that_the_person_emptied_is_complete(restore: Restore, work: Path) -> None:
    (work / NAME).write_bytes(file_content([EMPTY_CELL]))
    cells, order = list(SOURCES), [("fresh-1b2c", "code")]
    record(work, lambda writer: remove(writer, cells, "person", order))
    before = tree(work)
    done = restore(NAME)
    assert done.status == 1 and "1 of 1 recorded cell." in done.err
    assert tree(work) == before


def test_the_file_supplies_what_the_history_lacks(restore: Restore, work: Path) -> None:
    """P7: a state before the person's last edit, with tags, and without its later output."""
    content = json.loads(file_content())
    content["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "new"}]
    content["cells"][2]["source"] = "changed"
    content["cells"][2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "new"}]
    (work / NAME).write_text(json.dumps(content), encoding="utf-8")
    number = restore(NAME, "--list").out.split()[0]
    assert restore(NAME, "--at", number, "--output", "out.ipynb").status == 0
    notebook = read(work / "out.ipynb")
    assert contents(notebook) == ALL
    load, total = notebook["cells"][1:3]
    assert load["outputs"][0]["text"] == "new" and total["outputs"] == []
    assert load["metadata"] == total["metadata"] == {"tags": ["mine"]}
    assert notebook["metadata"]["kernelspec"]["name"] == "my-env"


def test_secrets_in_the_file_are_not_replaced_by_marks(restore: Restore, work: Path) -> None:
    secret = 'password = "hunter22-secret"'
    record(work, lambda writer: writer.do("sum", "edit", secret, trigger="save"))
    content = json.loads(file_content())
    content["cells"][2]["source"] = secret
    (work / NAME).write_text(json.dumps(content), encoding="utf-8")
    number = restore(NAME, "--list").out.split()[0]
    assert restore(NAME, "--at", number, "--output", "out.ipynb").err == ""
    assert contents(read(work / "out.ipynb"))[2][2] == secret
    (work / NAME).unlink()
    done = restore(NAME)
    assert done.status == 0 and "replaces a secret: 1" in done.err
    assert "‹redacted:password›" in contents(read(copy_in(work)))[2][2]


def test_sources_that_are_not_recorded_are_reported(restore: Restore, work: Path) -> None:
    async def write(writer: HistoryWriter) -> None:
        await writer.do("sum", "edit", None, trigger="save", too_long=2_000_000)
        await writer.log([*ORDER, ("blank", "code")])

    record(work, write)
    (work / NAME).unlink()
    done = restore(NAME)
    assert done.status == 0
    assert (
        "their content isn't recorded: 1" in done.err and "too long to be recorded: 1" in done.err
    )
    assert [source for *_, source in contents(read(copy_in(work)))][2:] == ["", "原始文本", ""]


def test_a_damaged_history_of_a_cell_is_reported(restore: Restore, work: Path) -> None:
    (work / NAME).write_bytes(b"")
    (damaged,) = (work / ".aiserver_sessions").glob(f"{ID}_load.json")
    damaged.write_bytes(b"\x00" * 100)
    done = restore(NAME)
    assert done.status == 1 and done.err == "Cells with a history that can't be read: 1\n"
    sources = [source for *_, source in contents(read(copy_in(work)))]
    assert sources == [SOURCES["intro"], "", SOURCES["sum"], SOURCES["note"]]


def test_the_list_has_times_changes_and_numbers_of_cells(restore: Restore, work: Path) -> None:
    before = tree(work)
    lines = restore(NAME, "--list").out.splitlines()
    assert tree(work) == before
    assert "4 cells  Deleted" in lines[0] and "Request: 求和 (AI)" in "\n".join(lines)
    assert "5 cells" in lines[1] and lines[-1].split()[0] == "1"


def test_a_listed_time_chooses_its_change(restore: Restore, work: Path) -> None:
    async def write(writer: HistoryWriter) -> None:
        event = NewEvent(type="edit", timestamp="2026-01-28T10:00:00.900Z", source="# neu")
        await writer.store.record_events(SessionKey(ID, "intro"), [event])

    record(work, write)
    _, day, time = restore(NAME, "--list").out.split()[:3]
    assert restore(NAME, "--at", f"{day} {time}", "--output", "out.ipynb").status == 0
    assert contents(read(work / "out.ipynb"))[0][2] == "# neu"


def test_a_moment_is_chosen_by_number_or_time(restore: Restore, work: Path) -> None:
    lines = restore(NAME, "--list").out.splitlines()
    number, day, time = lines[1].split()[:3]
    for at in (number, f"{day} {time}", f"{day}T{time}"):
        assert restore(NAME, "--at", at, "--output", "out.ipynb").status == 0
        notebook = read(work / "out.ipynb")
        assert contents(notebook) == [*ALL, ("scratch", "code", "scratch = 1")]
        (work / "out.ipynb").unlink()
    assert restore(NAME, "--at", "2030-01-01T00:00:00Z", "--output", "last.ipynb").status == 0
    assert contents(read(work / "last.ipynb")) == ALL


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ("0", "There is no change 0"),
        ("999", "There is no change 999"),
        ("9" * 5000, "There is no change 9"),
        ("2020-01-01 10:00", "the history begins at 2026-01-2"),
        ("2026-13-01 10:00", "is not a change or a time"),
        ("yesterday", "is not a change or a time"),
        ("-1", "is not a change or a time"),
        ("", "is not a change or a time"),
    ],
)
def test_a_moment_that_does_not_exist_is_an_error(
    restore: Restore, work: Path, at: str, sentence: str
) -> None:
    before = tree(work)
    done = restore(NAME, f"--at={at}", "--in-place")
    assert done.status == 1 and sentence in done.err and done.err.count("\n") == 1
    assert tree(work) == before


def test_existing_files_are_not_overwritten(restore: Restore, work: Path) -> None:
    """P7"""
    (work / NAME).write_bytes(b"")
    assert restore(NAME).status == 0
    assert restore(NAME).status == 0  # the same bytes
    copy_in(work).write_text("mine")
    (work / "mine.ipynb").write_text("mine")
    before = tree(work)
    for arguments in ((), ("--output", "mine.ipynb")):
        done = restore(NAME, *arguments)
        assert done.status == 1 and "already exists" in done.err and "--output" in done.err
    assert tree(work) == before


def test_notebooks_that_are_not_recorded_are_errors(restore: Restore, work: Path) -> None:
    (work / "new.ipynb").write_bytes(b"")
    (work / "text.py").write_text("x = 1")
    before = tree(work)
    assert "No history of a notebook at “new.ipynb”" in restore("new.ipynb", "--in-place").err
    assert "No history of a notebook at “none.ipynb”" in restore("none.ipynb").err
    assert "No history of “none”" in restore("none").err
    assert "not a notebook file or ID" in restore("text.py").err
    (work / "new.ipynb").write_bytes(file_content())
    assert "“new.ipynb” is a copy of “销售 分析.ipynb”" in restore("new.ipynb").err
    assert tree(work) == before | {"new.ipynb": file_content()}


def test_one_of_two_notebooks_at_a_path_is_chosen_by_its_id(restore: Restore, work: Path) -> None:
    record(work, write_history, "other-notebook")
    (work / NAME).write_bytes(b"")
    before = tree(work)
    done = restore(NAME, "--in-place")
    assert done.status == 1 and "2 notebooks were recorded" in done.err
    assert ID in done.err and "other-notebook" in done.err
    assert restore("other-notebook", "--in-place").status == 1
    assert tree(work) == before
    assert restore("other-notebook").status == 0
    assert contents(read(copy_in(work))) == ALL


@pytest.mark.parametrize("has_sessions", [False, True])
def test_an_emptied_notebook_with_a_new_id(
    restore: Restore, work: Path, has_sessions: bool
) -> None:
    """A page has given it an id of its own, since nothing was left of the old notebook."""

    async def register(writer: HistoryWriter) -> None:
        data: list[tuple[str, dict[str, Any]]] = [("path_seen", {"path": NAME})]
        data.append(("cell_order", {"cell_ids": ["fresh-1b2c"]}))
        entries = [NewLogEntry(type=type_, timestamp=writer.now, data=each) for type_, each in data]
        await writer.store.append_notebook_log(writer.notebook_id, entries)
        if has_sessions:
            await writer.ask("fresh-1b2c", "hi", "x", "")

    record(work, register, "new-id")
    (work / NAME).write_bytes(file_content([EMPTY_CELL]).replace(ID.encode(), b"new-id"))
    done = restore(NAME, "--in-place")
    if has_sessions:
        assert done.status == 1 and f"other notebooks at this path: {ID}\n" in done.err
        return
    assert done.status == 0, done.err
    notebook = read(work / NAME)
    assert contents(notebook) == ALL and notebook["metadata"]["aiserver"] == {"notebook_id": ID}


def test_a_file_that_changes_meanwhile_is_not_replaced(
    restore: Restore, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / NAME).write_bytes(b"")
    preserve = command._preserve

    def change(path: Path, data: bytes, mode: int) -> Path:
        path.write_bytes(b"saved by JupyterLab")
        return preserve(path, data, mode)

    monkeypatch.setattr(command, "_preserve", change)
    done = restore(NAME, "--in-place")
    assert done.status == 1 and "was changed in the meantime" in done.err
    assert (work / NAME).read_bytes() == b"saved by JupyterLab"


def test_a_store_that_cannot_be_read_is_an_error(restore: Restore, work: Path) -> None:
    (work / NAME).write_bytes(b"")
    (work / ".aiserver_sessions").rename(work / "moved")
    (work / ".aiserver_sessions").write_text("a file")
    before = tree(work)
    done = restore(NAME, "--in-place")
    assert done.status == 1 and done.err.count("\n") == 1 and not done.out
    assert tree(work) == before


def test_content_that_cannot_be_preserved_is_not_replaced(restore: Restore, work: Path) -> None:
    (work / NAME).unlink()
    (work / NAME).mkdir()
    done = restore(NAME, "--in-place")
    assert done.status == 1 and "can't be preserved" in done.err
    assert restore(NAME).status == 0 and contents(read(copy_in(work))) == ALL


def test_a_link_stays_a_link(restore: Restore, work: Path) -> None:
    (work / NAME).rename(work / "target.ipynb")
    (work / NAME).symlink_to("target.ipynb")
    (work / "target.ipynb").write_bytes(file_content([EMPTY_CELL]))
    done = restore(NAME, "--in-place")
    assert done.status == 0, done.err
    assert (work / NAME).is_symlink() and contents(read(work / "target.ipynb")) == ALL
