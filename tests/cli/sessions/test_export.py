"""``sessions export``, ``list``, ``show`` and ``delete``: their output and files."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from aiserver.models import NewTurn, SessionKey
from aiserver.plugins.sessions.cli.list_show import session_markdown
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import event, log_entry, turn
from tests.sessions.projects import NOTEBOOKS, fill

from ..conftest import Run, stored, tree

KEY = SessionKey("book", "cell-1")


def save(root: Path, *turns: NewTurn, key: SessionKey = KEY, **log: str) -> None:
    async def work() -> None:
        store = FileSessionManager(root=str(root))
        for new_turn in turns:
            await store.save_interaction(key, new_turn)
        await store.record_events(key, [event("run", source="x = 2")])
        seen = log_entry(**(log or {"path": "notes/书.ipynb"}))
        await store.append_notebook_log(key.notebook_id, [seen])
        await store.close()

    asyncio.run(work())


def test_exporting_and_importing_json_restores_the_same_bytes(run: Run, work: Path):
    """P25"""
    asyncio.run(fill(FileSessionManager(root=str(work))))
    done = run("export", "--to", "out")
    assert done.status == 0, done.err
    assert f"Exported {2 * len(NOTEBOOKS) + 1} histories" in done.out
    sessions = {
        name: data for name, data in tree(work / ".aiserver_sessions").items() if "/" not in name
    }
    assert tree(work / "out") == sessions
    assert run("import", "out", "--store", "back/").status == 0
    assert stored(work / "back") == stored(work)
    back = tree(work / "back" / ".aiserver_sessions")
    assert {name: back[name] for name in sessions} == sessions


@pytest.mark.parametrize(
    "command", [("delete", "cell-1", "--yes"), ("show", "cell"), ("export", "--cell", "cell-1")]
)
def test_the_id_of_a_cell_in_two_notebooks_selects_neither(
    run: Run, work: Path, command: tuple[str, ...]
):
    """A copy of a notebook has the ids of its cells."""
    for notebook_id in ("book", "copy"):
        save(work, turn(), key=SessionKey(notebook_id, "cell-1"))
    before = tree(work)
    done = run(*command)
    assert done.status == 1 and "book/cell-1, copy/cell-1" in done.err and not done.out
    assert tree(work) == before
    assert run("delete", "copy/cell-1", "--yes").status == 0


def test_exported_files_are_private_and_not_overwritten(run: Run, work: Path):
    """P7"""
    save(work, turn())
    assert run("export", "--to", "out").status == 0
    (file,) = (work / "out").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((work / "out").stat().st_mode) == 0o700
    assert run("export", "--to", "out").status == 0  # the same bytes
    file.write_text("mine")
    done = run("export", "--to", "out")
    assert done.status == 1 and "Not overwritten" in done.err
    assert file.read_text() == "mine"


@pytest.mark.parametrize("target", [["--to", "out"], ["--format", "jsonl"]])
def test_sessions_that_cannot_be_exported_are_an_error(run: Run, work: Path, target: list[str]):
    """A corrupt session isn't counted as exported, and the exit status is 1."""
    save(work, turn())
    save(work, turn(), key=SessionKey("book", "other"))
    assert run("copy", "--to", "sqlite:///histories.db").status == 0
    with contextlib.closing(sqlite3.connect(work / "histories.db")) as database:
        database.execute(
            "UPDATE aiserver_values SET value = X'' "
            "WHERE kind = 'part' AND name LIKE 'book/other/%'"
        )
        database.commit()
    done = run("export", "--store", "sqlite:///histories.db", *target)
    assert "Not exported: book/other" in done.err
    assert done.status == 1
    if target[0] == "--to":
        assert "Exported 1 histories" in done.out


def test_the_folder_of_an_export_may_be_a_link(run: Run, work: Path):
    save(work, turn())
    (work / "disk").mkdir()
    (work / "link").symlink_to(work / "disk")
    assert [run("export", "--to", folder).status for folder in ("link", "link/new")] == [0, 0]
    assert len(list((work / "disk").rglob("*.json"))) == 2


def test_export_of_one_session_prints_its_stored_bytes(work: Path):
    save(work, turn("读取"))
    assert (
        run_bytes(work, "export", "--cell", "cell-1")
        == (work / ".aiserver_sessions" / "book_cell-1.json").read_bytes()
    )


def test_several_json_exports_need_a_folder_and_unknown_cells_are_errors(run: Run, work: Path):
    save(work, turn())
    save(work, turn(), key=SessionKey("book", "other"))
    assert "use --to" in run("export").err
    assert run("export", "--notebook", "nothing").status == 1
    assert "No history with that name" in run("export", "--cell", "nothing").err


def test_json_lines_contain_each_turn_and_event_in_order(run: Run, work: Path):
    save(work, turn("一"), turn("二"))
    lines = run_bytes(work, "export", "--format", "jsonl")
    rows = [json.loads(line) for line in lines.splitlines()]
    assert [(row["kind"], row["seq"]) for row in rows] == [("turn", 1), ("turn", 2), ("event", 3)]
    assert {(row["notebook_id"], row["cell_id"]) for row in rows} == {("book", "cell-1")}
    (session,) = stored(work).values()
    for row, item in zip(rows, session.ordered(), strict=True):
        assert item.to_dict().items() <= row.items()
    (work / "lines.jsonl").write_bytes(lines)
    assert "export it as JSON" in run("import", "lines.jsonl").err


def run_bytes(work: Path, *arguments: str) -> bytes:
    """Run a command in its own process; return the bytes that it writes to a pipe."""
    command = [sys.executable, "-m", "aiserver.cli.main", "sessions", *arguments]
    return subprocess.run(command, capture_output=True, cwd=work, check=True).stdout


HOSTILE = [
    "```\n# out\n```",
    "`````\nx\n`````\n````",
    "<script>alert(1)</script>",
    "\n\n# A heading\n",
    "</pre>\n```python\nimport os\n```\n![x](http://evil/x.png)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_cannot_become_markup_of_the_document(text: str, work: Path):
    """P11: each line of a text is in a quote or a fence, and HTML is shown as text."""
    save(work, turn(text, text))
    (session,) = stored(work).values()
    outside = []
    fence = ""
    for line in session_markdown(session).split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif match := re.fullmatch(r"(`{3,})\w*", line):
            fence = match[1]
        else:
            outside.append(line)
    assert not fence
    assert not [line for line in outside if re.search(r"(?<!\\)<", line)]
    allowed = re.compile(
        r"(# Cell|Notebook|## \d+\. |### Run|> |>$|Answer:$|(AI|by hand|unknown) · |$).*"
    )
    assert all(allowed.fullmatch(line) for line in outside)


def test_list_prints_the_notebook_and_the_last_request(run: Run, work: Path):
    save(work, turn("first"), turn("画图\nnow"))
    heading, line = run("list").out.splitlines()
    names = ["notebook", "cell", "requests", "events", "changed", "last request"]
    assert heading.split("\t") == names and len(line.split("\t")) == len(names)
    assert line.split("\t")[:4] == ["notes/书.ipynb", "cell-1", "2", "1"]
    assert line.endswith("画图 now")
    (row,) = json.loads(run("list", "--json").out)
    assert (row["notebook_id"], row["turns"], row["last_intent"]) == ("book", 2, "画图\nnow")
    assert run("list", "--notebook", "book").out.splitlines() == [heading, line]
    assert run("list", "--notebook", "nothing").status == 1


def test_requests_are_counted_and_numbered_as_in_the_prompt_row(run: Run, work: Path):
    """P49: another answer and a repair belong to the request that the person typed."""
    repair = {"mode": "repair", "parent_turn_id": 2}
    again = turn("Fix these problems: x").model_copy(update=repair)
    save(work, turn("first\n----> a < b & c"), turn("first\n----> a < b & c"), again)
    line = run("list").out.splitlines()[1].split("\t")
    assert (line[2], line[-1]) == ("1", "first ----> a < b & c")
    out = run("show", "cell-1").out
    assert "· 1 request ·" in out and "a \\< b & c\n" in out
    headings = [line for line in out.splitlines() if line.startswith("##")]
    assert headings == ["## 1. Request", "## 2. Changed by an unknown source", "### Run"]
    assert " · ran" in out
    assert run("show", "--latest").out.count("\nAnother answer · ") == 2


def test_show_finds_sessions_by_notebook_cell_both_and_prefix(run: Run, work: Path):
    save(work, turn("first"), turn("second", "y = 2"))
    save(work, turn("another"), key=SessionKey("book", "cell-2"))
    notebook = {"metadata": {"aiserver": {"notebook_id": "book"}}}
    (work / "book.ipynb").write_text(json.dumps(notebook))
    for name in ("cell-1", "book/cell-1"):
        out = run("show", name).out
        assert "> first" in out and "y = 2" in out and "another" not in out
    for name in ("book", "book.ipynb"):
        out = run("show", name).out
        assert "> first" in out and "> another" in out
    latest = run("show", "cell-1", "--latest").out
    assert "> second" in latest and "first" not in latest
    assert "> another" in run("show", "--latest").out  # the newest of all
    assert "matches 2 IDs" in run("show", "cell").err
    assert run("show", "nothing").status == 1


def test_contents_of_sessions_cannot_control_the_terminal(run: Run, work: Path):
    """P12"""
    save(work, turn("\x1b]0;owned\x07 \x1b[2J", "print('\x9b31m')"))
    for command in (("show",), ("list",)):
        out = run(*command).out
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", out)


@pytest.mark.parametrize(
    ("command", "encoding"), [("list", "ascii"), ("show", "gbk"), ("verify", "ascii")]
)
def test_characters_missing_in_the_output_encoding_are_escaped(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch, command: str, encoding: str
):
    save(work, turn("读取 🙂 数据"))
    stdout = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stdout, encoding=encoding))
    assert run(command).status == 0
    sys.stdout.flush()
    assert stdout.getvalue()


def test_help_lists_each_command(run: Run, capsys: pytest.CaptureFixture[str]):
    names = ["list", "show", "delete", "export", "import", "copy", "verify", "repair", "prune"]
    with pytest.raises(SystemExit):
        run("--help")
    out = capsys.readouterr().out
    assert all(re.search(rf"^ +{name} +\w", out, re.MULTILINE) for name in names)


def test_delete_asks_for_confirmation_and_deletes_only_the_selected(run: Run, work: Path):
    save(work, turn())
    save(work, turn(), key=SessionKey("other", "cell-9"))
    before = tree(work)
    refused = run("delete", "book")
    assert refused.status == 1 and "--yes" in refused.err
    assert tree(work) == before
    done = run("delete", "book", "--yes")
    assert done.status == 0 and "Deleted 1 histories." in done.out
    assert list(stored(work)) == ["other_cell-9.json"]
    assert not [name for name in tree(work) if "book.jsonl" in name]  # its log was deleted, too
    assert run("delete", "nothing", "--yes").status == 1


def test_deleting_the_histories_of_a_copy_never_touches_the_original(run: Run, work: Path):
    """P28: a copy, or a file that git has put back, has the ID of the original."""
    for id_, log in (
        ("aaaa", {"path": "a.ipynb"}),
        ("bbbb", {"path": "b.ipynb", "forked_from": "aaaa"}),
        ("bbbb", {"path": "b.ipynb"}),
    ):
        save(work, turn(), key=SessionKey(id_, "cell-1"), **log)
    content = json.dumps({"cells": [], "metadata": {"aiserver": {"notebook_id": "aaaa"}}})
    for name in ("a.ipynb", "b.ipynb", "new copy.ipynb"):
        (work / name).write_text(content)
    (work / "a.ipynb").write_text('{"cells": [], "metadata": {}}')  # a tool removed its ID
    assert "is a copy of" in run("delete", "new copy.ipynb", "--yes").err
    (work / "a.ipynb").write_text(content)
    (work / "link.ipynb").symlink_to("a.ipynb")
    done = run("delete", "new copy.ipynb", "--yes")
    assert done.status == 1 and "“new copy.ipynb” is a copy of “a.ipynb”" in done.err
    # The notebook with the history may have been renamed, and another copy be here.
    assert "“b.ipynb” is a copy of “a.ipynb”" in run("delete", "b.ipynb", "--yes").err
    (work / "b.ipynb").write_text(content.replace("aaaa", "bbbb"))
    rows = json.loads(run("list", "--notebook", "b.ipynb", "--json").out)
    assert [row["notebook_id"] for row in rows] == ["bbbb"]
    assert run("delete", work / "b.ipynb", "--yes").status == 0
    assert list(stored(work)) == ["aaaa_cell-1.json"]
    assert run("delete", "b.ipynb", "--yes").status == 1, "it has no history any more"
    assert list(stored(work)) == ["aaaa_cell-1.json"]
    assert run("delete", "link.ipynb", "--yes").status == 0
    assert not stored(work)


def test_the_histories_under_the_id_before_another_persons_are_deleted_too(run: Run, work: Path):
    """P28: else they would come back with the next opening."""
    for id_, log in (
        ("mine", {"path": "a.ipynb"}),
        ("copy", {"path": "b.ipynb", "forked_from": "mine"}),
        ("other", {"path": "a.ipynb", "forked_from": "mine"}),
        ("other", {"path": "a.ipynb"}),
    ):
        save(work, turn(), key=SessionKey(id_, "cell-1"), **log)
    content = json.dumps({"cells": [], "metadata": {"aiserver": {"notebook_id": "other"}}})
    (work / "a.ipynb").write_text(content)
    rows = json.loads(run("list", "--notebook", "a.ipynb", "--json").out)
    assert [row["notebook_id"] for row in rows] == ["other"]
    assert run("delete", "a.ipynb", "--yes").status == 0
    assert list(stored(work)) == ["copy_cell-1.json"]


def test_sessions_that_changed_meanwhile_are_not_deleted(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch
):
    """P33"""
    from aiserver.plugins.sessions.cli import delete as deleting

    save(work, turn())

    def change_and_confirm(question: str, *, yes: bool) -> bool:
        (file,) = (work / ".aiserver_sessions").glob("*.json")
        content = json.loads(file.read_bytes())
        content["meta"]["revision"] += 1
        file.write_text(json.dumps(content))
        return True

    monkeypatch.setattr(deleting, "confirm", change_and_confirm)
    done = run("delete", "book", "--yes")
    assert done.status == 1 and "was changed somewhere else" in done.err
    assert stored(work)
