"""``jupyter aiserver replay …``: its output and the files that it writes."""

from __future__ import annotations

import asyncio
import io
import json
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import nbformat
import pytest

from aiserver.cli import main as cli
from aiserver.cli.terminal import print_json
from aiserver.models import NewEvent, SessionKey
from aiserver.sessions.file.manager import FileSessionManager
from tests.sharing.demo import HOSTILE, NOTEBOOK, make

from .conftest import IMPORTS, Run, tree


@pytest.fixture
def replay(work: Path, command_line: Run) -> Run:
    """Run ``jupyter aiserver replay …`` in a folder with the notebook of the demo."""
    make(work)

    return partial(command_line, "replay")


def test_show_prints_each_cell_with_its_changes(replay: Run) -> None:
    done = replay("show", "sales.ipynb")
    assert done.status == 0 and done.err == ""
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith("## ")] == [
        "## Cell 1",
        "## Cell 2",
        "## Cell 3",
        "## Cell 4",
        "## Deleted cell",
    ]
    assert '+ax.set_ylabel("CNY", fontsize=9)' in lines
    assert "> KeyError: 'month'" in lines
    assert replay("show", NOTEBOOK).out == done.out


def test_show_selects_a_cell_by_a_prefix_of_its_id(replay: Run) -> None:
    done = replay("show", "sales.ipynb", "--cell", "lo")
    assert "## Cell 2" in done.out and "## Cell 3" not in done.out
    assert "There is no cell “x”" in replay("show", "sales.ipynb", "--cell", "x").err
    assert "## Cell 1" in replay("show", "sales.ipynb", "--cell", "").out


def test_contents_of_sessions_cannot_control_the_terminal(replay: Run, work: Path) -> None:
    """P12: control characters, markup and line separators have no effect."""

    async def spoil() -> None:
        store = FileSessionManager(root=str(work))
        event = NewEvent(
            type="edit",
            timestamp="2026-03-01T00:00:00Z",
            source="\x1b]0;pwned\x07 [bold red]x[/] :smile: \x9b2J\r\x08",
        )
        await store.record_events(SessionKey(NOTEBOOK, "load"), [event])
        await store.close()

    asyncio.run(spoil())
    done = replay("show", "sales.ipynb")
    assert "[bold red]x[/] :smile:" in done.out
    assert not {"\x1b", "\x07", "\x9b", "\r", "\x08"} & set(done.out)
    assert HOSTILE.split("\u2028")[0] in done.out


def test_json_escapes_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    """P12: also those that JSON allows in a text."""
    print_json(["\x1b\x9b\u202e", "价格\n"])
    text = capsys.readouterr().out
    assert text == '[\n  "\\u001b\\u009b\\u202e",\n  "价格\\n"\n]\n'
    assert json.loads(text) == ["\x1b\x9b\u202e", "价格\n"]


def test_show_prints_colours_at_a_terminal(
    replay: Run, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert cli.main(["replay", "show", "sales.ipynb"]) == 0
    assert "\x1b[" in terminal.getvalue() and "import" in terminal.getvalue()


def test_export_writes_private_files_and_overwrites_none(replay: Run, work: Path) -> None:
    """P7"""
    before = tree(work / ".aiserver_sessions")
    for format_ in ("html", "md", "ipynb"):
        done = replay("export", "sales.ipynb", "--format", format_)
        assert done.status == 0, done.err
        file = work / f"sales-replay.{format_}"
        assert str(file.name) in done.out
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    read = nbformat.read(work / "sales-replay.ipynb", as_version=4)
    nbformat.validate(read)
    assert read.cells[-3].outputs or any(cell.get("outputs") for cell in read.cells)
    assert replay("export", "sales.ipynb").status == 0  # the same bytes
    page = work / "sales-replay.html"
    page.write_text("mine")
    refused = replay("export", "sales.ipynb")
    assert refused.status == 1 and "--force" in refused.err and page.read_text() == "mine"
    assert replay("export", "sales.ipynb", "--force").status == 0
    assert page.read_text().startswith("<!doctype html>")
    assert tree(work / ".aiserver_sessions") == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_at_the_output_is_one_sentence(replay: Run, work: Path) -> None:
    """P20"""
    command = [sys.executable, "-m", "aiserver.cli.main", "replay", "export", NOTEBOOK]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*command, "--output", "-"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr.startswith("The disk is full") and done.stderr.count("\n") == 1


def test_export_writes_to_the_given_output(replay: Run, work: Path) -> None:
    assert replay("export", "sales.ipynb", "--output", "new/page.html").status == 0
    (work / "there").mkdir()
    assert replay("export", "sales.ipynb", "--format", "md", "--output", "there").status == 0
    assert (work / "new" / "page.html").is_file()
    exported = (work / "there" / "sales-replay.md").read_text("utf-8")
    (work / "sales.ipynb").unlink()  # its last path is used as the name
    assert replay("export", NOTEBOOK, "--format", "md", "--output", "-").out == exported


def test_report_prints_a_table_or_json(replay: Run) -> None:
    report = replay("report", "sales.ipynb").out
    assert "by AI         6     67%" in report and "by hand       1     11%" in report
    assert "existing      2     22%" in report
    data = json.loads(replay("report", "sales.ipynb", "--json").out)
    assert data["total"]["byModel"] == 6 and data["total"]["models"]["openai:gpt-5"] == 1
    assert [row["cellId"] for row in data["cells"]] == ["title", "load", "plot", "evil"]


def test_missing_notebooks_and_histories_are_errors(replay: Run, work: Path) -> None:
    assert "No history of “none”" in replay("show", "none").err
    assert "not a notebook file or ID" in replay("show", "no/id").err
    assert "Can't read the notebook" in replay("export", "none.ipynb").err
    (work / "new.ipynb").write_text("{}")
    assert "has no notebook ID yet" in replay("report", "new.ipynb").err


def test_a_copy_is_not_shared_with_the_conversation_of_the_original(
    replay: Run, work: Path
) -> None:
    """P28: the copy has the original's ID until it is opened."""
    (work / "copy.ipynb").write_bytes((work / "sales.ipynb").read_bytes())
    for command in ("show", "export", "report"):
        done = replay(command, "copy.ipynb")
        assert done.status == 1 and done.out == ""
        assert "“copy.ipynb” is a copy of “sales.ipynb”" in done.err
    (work / "sales.ipynb").unlink()  # it was moved
    assert replay("show", "copy.ipynb").status == 0


def test_real_histories_are_shown_and_exported(replay: Run, work: Path) -> None:
    """Histories of Verdant are imported, shown and exported."""
    assert cli.main(["sessions", "import", str(IMPORTS / "verdant")]) == 0
    (notebook_id,) = {
        name.split("_")[0]
        for name in tree(work / ".aiserver_sessions")
        if name.endswith(".json") and not name.startswith(NOTEBOOK)
    } - {""}
    done = replay("show", notebook_id)
    assert done.status == 0 and done.out.count("\n## ") >= 20
    assert replay("export", notebook_id).status == 0
