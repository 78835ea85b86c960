"""``jupyter aiserver memory …``: nothing is remembered without a yes, or forgotten in part."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.cli import main as cli
from aiserver.cli.stores import open_store
from aiserver.models import SessionKey
from aiserver.plugins.memory import document
from aiserver.plugins.memory.cli import import_export
from aiserver.plugins.memory.cli.commands import memories_of
from aiserver.plugins.memory.entries import MemoryEntry, TurnSource
from aiserver.plugins.memory.manager import MemoryManager, person_folder
from aiserver.plugins.memory.proposals import MAX_PROPOSALS
from aiserver.plugins.rules.visible_text import visible_part
from aiserver.sessions.base import SessionManager
from aiserver.testing.records import turn

from ..conftest import API_KEY
from ..scripted_model import ScriptedModel
from .conftest import Result, Run, configure, stored, tree

FILES = Path(__file__).parent.parent / "data" / "memories"
CANARY = "canary-9a1 图表用中文标题"


@pytest.fixture
def memory(work: Path, command_line: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``jupyter aiserver memory …``."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(work.parent / "data"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(work.parent / "runtime"))

    return partial(command_line, "memory")


def entries(memory: Run, *options: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(memory("list", "--json", *options).out)
    return listed


def pending(memory: Run) -> list[dict[str, Any]]:
    waiting: list[dict[str, Any]] = json.loads(memory("pending", "--json").out)
    return waiting


def files_with(text: str, folder: Path) -> list[str]:
    """Return the files that contain a text, as it is or escaped as in JSON."""
    forms = (text.encode(), text.encode("ascii", "backslashreplace"))
    return [name for name, data in tree(folder).items() if any(form in data for form in forms)]


def test_entries_are_added_and_listed(memory: Run, work: Path) -> None:
    assert memory("list") == Result(0, "No entries.\n", "")
    assert memory("add", "Plot with seaborn").status == 0
    assert memory("add", "金额单位是万元", "--scope", "project").status == 0
    assert (work / ".aiserver_memory" / "MEMORY.md").read_text("utf-8").count("万元") == 1
    person, project = entries(memory, "--scope", "person"), entries(memory, "--scope", "project")
    assert [item["text"] for item in entries(memory)] == ["金额单位是万元", "Plot with seaborn"]
    assert person[0]["scope"] == "person" and project[0]["review"] == "used"
    lines = memory("list").out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "The project’s memory",
        "Your memory",
    ]
    assert lines[3] == f"  {person[0]['id']}  {person[0]['date']}  Plot with seaborn"
    again = memory("add", "Plot with seaborn")
    assert again.status == 0 and person[0]["id"] in again.out and len(entries(memory)) == 2


def test_texts_that_are_not_remembered_are_refused(memory: Run) -> None:
    """P16"""
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    done = memory("add", f"the key is {secret}")
    assert done.status == 1 and "password or a key" in done.err and secret not in done.err
    assert memory("add", " ").status == 1
    assert memory("add", "half \ud83d").err == "The text contains invalid characters.\n"
    assert entries(memory) == []


def test_entries_of_a_project_that_nobody_has_seen_are_marked(memory: Run, work: Path) -> None:
    """P46: they came with the project."""
    (work / ".aiserver_memory").mkdir()
    (work / ".aiserver_memory" / "MEMORY.md").write_text("- Use polars \x1b]0;x\x07\n")
    assert "Use polars" in memory("list").out and "not yet seen" in memory("list").out
    assert "\x1b" not in memory("list").out + memory("list", "--json").out


def test_entries_are_searched_by_words(memory: Run) -> None:
    for text in ("Plot with seaborn", "Read CSV with polars", "图表的标题用中文"):
        memory("add", text)
    assert "polars" in memory("search", "csv").out
    assert "seaborn" not in memory("search", "csv").out
    assert "图表" in memory("search", "标题", "中文").out
    assert [item["text"] for item in json.loads(memory("search", "plot", "--json").out)] == [
        "Plot with seaborn"
    ]


def test_related_entries_are_found_if_none_has_all_words(memory: Run) -> None:
    assert memory("search", "plot").out == "No entries.\n"
    for text in ("Plot with seaborn", "Read CSV with polars", "Weights are in grams"):
        memory("add", text)
    output = memory("search", "plotted", "with", "matplotlib").out.splitlines()
    assert output[0] == "No entry contains all words. Related entries:"
    assert "Plot with seaborn" in output[2]
    both = json.loads(memory("search", "plot", "polars", "--json").out)
    assert {item["text"] for item in both[:2]} == {"Plot with seaborn", "Read CSV with polars"}


def test_proposals_are_confirmed_and_rejected_by_the_start_of_their_id(memory: Run) -> None:
    """P45"""
    assert memory("pending").out == "Nothing waits for you.\n"
    assert memory("import", FILES / "nanobot" / "MEMORY.md").status == 0
    assert entries(memory) == []
    first, second, third = pending(memory)
    assert first["origin"] == "import" and first["text"] in memory("pending").out
    assert "3 more wait for you" in memory("list").out
    assert memory("pending", "confirm", first["id"][:8]).status == 0
    assert memory("pending", "reject", second["id"]).status == 0
    assert [item["text"] for item in entries(memory)] == [first["text"]]
    assert pending(memory) == [third]
    for wrong in (["confirm"], ["reject", "--all", third["id"]], ["confirm", "zz"]):
        assert memory("pending", *wrong).status == 1
    assert memory("pending", "confirm", "--all").status == 0
    assert {item["text"] for item in entries(memory)} == {first["text"], third["text"]}
    assert memory("pending", "reject", "--all").out == "Discarded 0.\n"


def test_an_import_waits_for_the_person_and_can_be_repeated(memory: Run) -> None:
    """P45, P16: what looks like a password is refused, and not printed."""
    names = ("MEMORY.md", "knowledge.md", "memory_store.json", "pending.json")
    files = [FILES / "pcai" / name for name in names]
    done = memory("import", *files)
    assert done.status == 1 and "memory_store.json: entry 2: This looks like a pass" in done.err
    assert "kx8" not in done.out + done.err
    assert "removed after 24 hours" in done.out and "Already there: 3" in done.out
    assert entries(memory) == [] and len(pending(memory)) == 9
    assert "Already there: 12" in memory("import", *files).out
    assert len(pending(memory)) == 9
    assert memory("pending", "confirm", "--all").status == 0
    assert "Already there: 12" in memory("import", *files).out and pending(memory) == []


def test_an_import_can_be_confirmed_at_once(memory: Run, work: Path) -> None:
    """Only what waited in the other program still waits."""
    memory("import", FILES / "pcai" / "MEMORY.md")
    assert len(pending(memory)) == 2
    done = memory("import", "--confirm", "--scope", "project", *(FILES / "pcai").glob("*.*"))
    assert "Remembered 8 entries." in done.out and len(entries(memory, "--scope", "project")) == 8
    assert [item["text"] for item in pending(memory)] == ["使用者喜歡喝咖啡"]
    assert "我喜歡藍色" in (work / ".aiserver_memory" / "MEMORY.md").read_text("utf-8")


def test_a_file_that_cannot_be_read_is_reported_and_the_others_imported(
    memory: Run, work: Path
) -> None:
    (work / "gbk.md").write_bytes("- 图表".encode("gbk"))
    (work / "long.md").write_text(f"- {'x' * 501}\n- see /home/ada/x\n- ok\n")
    done = memory("import", "gbk.md", "long.md", "missing.json")
    assert done.status == 1
    assert "gbk.md: not UTF-8 text" in done.err and "missing.json: no such file" in done.err
    assert "long.md: entry 1: This is too long to be remembered" in done.err
    assert "long.md: entry 2: This contains a path in your home folder" in done.err
    assert [item["text"] for item in pending(memory)] == ["ok"]
    (work / "empty.md").write_text("# Nothing\n")
    assert memory("import", "empty.md") == Result(0, "There is nothing to import.\n", "")


def test_an_import_displaces_nothing_that_waits(
    memory: Run, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory("import", FILES / "nanobot" / "MEMORY.md")
    before = pending(memory)
    (work / "many.md").write_text("".join(f"- text {n}\n" for n in range(MAX_PROPOSALS - 2)))
    done = memory("import", "many.md")
    assert done.status == 1 and "Nothing was imported" in done.err and pending(memory) == before
    monkeypatch.setattr(import_export, "_MAX_CONFIRMED", 5)
    assert "at a time" in memory("import", "--confirm", "many.md").err
    assert pending(memory) == before and entries(memory) == []


def test_exported_memories_can_be_imported(memory: Run, work: Path) -> None:
    memory("add", "Use polars")
    (person_folder() / "MEMORY.md").write_text(
        "We work in euros.\n\n- Use polars\n\n"
        "## Plots\n\n* Plot with seaborn\n  and colours\n\n1. third\n"
    )
    (work / ".aiserver_memory").mkdir()
    (work / ".aiserver_memory" / "MEMORY.md").write_text("- Came with a repository\n")
    texts = [item["text"] for item in entries(memory) if item["scope"] == "person"]
    assert len(texts) == 4
    done = memory("export", "out.md")
    assert done.status == 0 and "## Plots" in (work / "out.md").read_text()
    assert memory("export").out == (work / "out.md").read_text()
    assert "Use polars" not in memory("export", "--scope", "project").out
    assert "repository" not in memory("export").out, "the person hasn't confirmed it"
    assert "Left out: 1 entries" in memory("export").err
    memory("add", "another")
    assert memory("export", "out.md").status == 1
    assert memory("export", "out.md", "--force").status == 0
    (work / "disk").mkdir()
    (work / "link").symlink_to(work / "disk")
    assert [memory("export", name).status for name in ("link", "link/b.md", "link/new/c.md")] == [
        0
    ] * 3
    for item in entries(memory):
        memory("forget", item["id"], "--yes")
    assert entries(memory) == []
    memory("import", "out.md", "--confirm")
    assert {item["text"] for item in entries(memory)} == {
        "We work in euros.",
        "Use polars",
        "Plots: Plot with seaborn and colours",  # in one line, for merges of branches
        "Plots: third",
        "another",
    }


@pytest.mark.parametrize("confirm", [True, False])
def test_a_memory_that_moves_keeps_its_headings(memory: Run, work: Path, confirm: bool) -> None:
    """An entry may be about one table only. The headings are part of the texts."""
    document_of_person = person_folder() / "MEMORY.md"
    memory("add", "Use polars")
    old = (
        "- rows are unique\n\n## sales\n\n- rows are unique\n\n## [2026-02-05] #customers\n\n"
        "- rows are unique\n\n# Other\n\n- no heading\n"
    )
    document_of_person.write_text(old)
    memory("export", "out.md")
    document_of_person.write_text("")
    options = ["--confirm"] if confirm else []
    assert memory("import", "out.md", *options).status == 0
    if not confirm:
        assert memory("pending", "confirm", "--all").status == 0
    assert [item["text"] for item in entries(memory)] == [
        "rows are unique",
        "sales: rows are unique",
        "[2026-02-05] #customers: rows are unique",
        "no heading",
    ]
    assert "Already there: 4" in memory("import", "out.md", *options).out
    memory("export", "out.md", "--force")
    document_of_person.write_text(old)
    assert "Already there: 4" in memory("import", "out.md", *options).out


MARKUP = st.text(st.sampled_from("-*+#`>[]()!1. ab<!\\|:=~_&"))
LINES = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])) | MARKUP
TEXTS = st.lists(LINES, min_size=1, max_size=3).map("\n".join).map(visible_part).map(document.clean)


@given(texts=st.lists(TEXTS.filter(bool), max_size=4))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_exported_texts_are_read_again_as_they_are(texts: list[str]) -> None:
    listed = [MemoryEntry(f"{number:012}", text, "2026-11-27") for number, text in enumerate(texts)]
    markdown = "\n".join(import_export._markdown_lines(listed)) + "\n"
    assert [entry.text for entry in document.parse(markdown)] == texts


def test_forgetting_asks_first(memory: Run, monkeypatch: pytest.MonkeyPatch, work: Path) -> None:
    memory("add", CANARY)
    memory("add", "Use polars")
    ids = [item["id"] for item in entries(memory)]
    assert "--yes" in memory("forget", ids[0]).err  # there is no terminal
    terminal = io.StringIO("n\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    done = memory("forget", *ids)
    assert done.status == 1 and CANARY in done.out and "Nothing was forgotten." in done.out
    assert len(entries(memory)) == 2
    assert memory("forget", ids[0][:6], ids[0], "--yes").out.endswith(
        f"Forgot 1 entries. Deleted 0 stored prompts in {work / '.aiserver_sessions'}.\n"
    )
    assert [item["id"] for item in entries(memory)] == ids[1:]
    for wrong in ([], ["zz"], [""], ["--text", " "]):
        assert memory("forget", "--yes", *wrong).status == 1
    assert [item["id"] for item in entries(memory)] == ids[1:]


@pytest.mark.parametrize("url", ["file", "sqlite"])
def test_a_forgotten_entry_is_in_no_byte_of_histories_and_exports(
    memory: Run, work: Path, scripted: ScriptedModel, url: str
) -> None:
    """P45, P8: the prompt of a request contained it, here through a cell of the notebook."""
    store = "file" if url == "file" else f"sqlite:///{work}/histories.db"
    options = {"base_url": scripted.base_url, "api_key": API_KEY}
    configure(
        work,
        AIServer={"model": "openai:scripted", "session_manager": store},
        ModelRegistry={"model_options": options},
    )
    heading = nbformat.v4.new_markdown_cell(CANARY, id="title")
    cell = nbformat.v4.new_code_cell("x = 1", id="target")
    notebook = nbformat.v4.new_notebook(cells=[heading, cell])
    notebook.metadata["aiserver"] = {"notebook_id": "nb-1"}
    nbformat.write(notebook, work / "a.ipynb")
    scripted.script({"text": "```python\nx = 2\n```"})
    assert cli.main(["ask", "a.ipynb", "2", "double x"]) == 0
    (work / "a.ipynb").write_text(nbformat.writes(notebook).replace(CANARY, "title"))
    memory("add", CANARY)
    # The memory and the stored prompt are in the same database, or in two files.
    assert len(files_with("canary-9a1", work.parent)) == (2 if url == "file" else 1)
    [entry] = entries(memory)
    assert "Deleted 1 stored prompts" in memory("forget", entry["id"], "--yes").out
    assert cli.main(["sessions", "export", "--to", "out"]) == 0
    assert cli.main(["replay", "export", "a.ipynb"]) == 0
    assert memory("export", "memories.md").status == 0
    assert cli.main(["sessions", "verify"]) == 0
    assert files_with("canary-9a1", work.parent) == []
    assert files_with("图表用中文标题", work.parent) == []
    assert any(
        "double x" in data.decode("utf-8", "replace") for data in tree(work / "out").values()
    )


def test_prompts_with_a_text_are_deleted_in_other_stores(
    memory: Run, work: Path, scripted: ScriptedModel
) -> None:
    """The entry was already removed in an editor, or its text was sent in another project."""
    options = {"base_url": scripted.base_url, "api_key": API_KEY}
    configure(work, AIServer={"model": "openai:scripted"}, ModelRegistry={"model_options": options})
    cell = nbformat.v4.new_code_cell("x = 1", id="target")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), work / "a.ipynb")
    scripted.script({"text": "```python\nx = 2\n```"})
    assert cli.main(["ask", "a.ipynb", "1", f"remember {CANARY}"]) == 0
    other = work.parent / "other"
    other.mkdir()
    (work / ".aiserver_sessions").rename(other / ".aiserver_sessions")
    assert "Deleted 0" in memory("forget", "--text", CANARY, "--yes").out
    done = memory("forget", "--text", CANARY, "--store", other, "--yes")
    assert "Forgot 0 entries. Deleted 1 stored prompts" in done.out
    assert done.out.count(".aiserver_sessions") == 2
    # The request itself stays: it is the person's own.
    [session] = stored(other).values()
    assert session.interactions[0].user_request.intent == f"remember {CANARY}"
    assert len(files_with("canary-9a1", other)) == 1


def test_a_text_that_is_an_entry_is_forgotten_with_its_prompts(memory: Run) -> None:
    memory("add", CANARY)
    done = memory("forget", "--text", CANARY, "--yes")
    assert "Forgot 1 entries" in done.out and entries(memory) == []


@pytest.mark.thorough
def test_commands_at_once_lose_no_entry(memory: Run, work: Path) -> None:
    """P23: a command works while a server or another command writes."""
    command = [sys.executable, "-m", "aiserver.cli.main", "memory", "add"]
    texts = ["first", "second", "third"]
    processes = [subprocess.Popen([*command, text], cwd=work) for text in texts]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert sorted(item["text"] for item in entries(memory)) == texts


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], ["list", "add", "search", "forget", "pending", "import", "export"]),
        (["forget", "--help"], ["--text", "--store", "--yes", "stored prompts"]),
        (["pending", "--help"], ["confirm", "reject", "--json"]),
        (["import", "--help"], ["nanobot", "PCAI", "--confirm", ".aiserver_memory"]),
    ],
)
def test_help(arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["memory", *arguments])
    text = " ".join(capsys.readouterr().out.split())
    assert caught.value.code == 0 and all(word in text for word in words)


def test_a_text_in_both_memories_is_forgotten_in_both(memory: Run, work: Path) -> None:
    for folder in (work / ".aiserver_memory", person_folder()):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "MEMORY.md").write_text("- Use polars\n")
    [id_] = {item["id"] for item in entries(memory)}
    assert "Forgot 2 entries" in memory("forget", id_, "--yes").out
    assert entries(memory) == []


def test_a_memory_that_is_not_text_hides_no_other(memory: Run, work: Path) -> None:
    (work / ".aiserver_memory").mkdir()
    (work / ".aiserver_memory" / "MEMORY.md").write_bytes(b"- caf\xe9\n")
    memory("add", "Use polars")
    done = memory("list")
    assert "Use polars" in done.out and "Not read: the memory of the project" in done.err


@pytest.mark.parametrize("settings", [{}, {"session_manager": "sqlite:///histories.db"}])
def test_deleting_histories_erases_their_notes_and_proposals(
    memory: Run, work: Path, settings: dict[str, str]
):
    """P45: in the store of the person's memory, wherever the histories are."""
    configure(work, AIServer=settings)

    async def fill(store: SessionManager, memories: MemoryManager) -> None:
        for cell_id in ("cell-1", "cell-2"):
            await store.save_interaction(SessionKey("book", cell_id), turn())
            source = TurnSource("book", cell_id, 1)
            await memories.propose(f"{CANARY} {cell_id}", "person", "request", source)
        await memories.notes.write("book", CANARY, "")

    async def in_store(run: Callable[[SessionManager, MemoryManager], Awaitable[Any]]) -> Any:
        async with open_store(None, None, False) as histories:
            return await run(histories.store, memories_of(histories))

    def left() -> tuple[list[str], bool]:
        note = asyncio.run(in_store(lambda _, memories: memories.notes.get("book")))
        return [proposal["text"] for proposal in pending(memory)], note is not None

    asyncio.run(in_store(fill))
    assert cli.main(["sessions", "delete", "book/cell-1", "--yes"]) == 0
    assert left() == ([f"{CANARY} cell-2"], True)
    assert cli.main(["sessions", "delete", "book", "--yes"]) == 0
    assert left() == ([], False)
    assert not any(CANARY.encode() in data for data in tree(work.parent).values())
