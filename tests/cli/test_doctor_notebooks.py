"""``jupyter aiserver doctor`` names what other tools have done to notebooks with histories."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from aiserver.cli.doctor import notebooks
from aiserver.cli.doctor.base import Finding
from aiserver.cli.doctor.notebooks import check_notebooks
from aiserver.cli.stores import Configuration
from aiserver.models import NewEvent, SessionKey, utc_now
from aiserver.notebooks.identity import NotebookRegistry
from aiserver.sessions.file.manager import FileSessionManager

from ..notebooks.test_identity import Disk

SOURCES = {"aaaa1111": "import pandas as pd", "bbbb2222": "b = 2", "cccc3333": "c = load('x.csv')"}
CHECKED = "Notebooks with histories: {} checked"


def write(path: Path, cells: list[tuple[str, str]], notebook_id: str | None) -> None:
    """Write a notebook's file with these ids and contents of cells."""
    own = {"aiserver": {"notebook_id": notebook_id}} if notebook_id else {}
    fields = [
        {"cell_type": "raw", "metadata": {}, "source": source} | ({"id": id_} if id_ else {})
        for id_, source in cells
    ]
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": own, "cells": fields}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def record(folder: Path, name: str) -> str:
    """Write a notebook and record it and its cells, as the page does. Return its id."""

    async def run() -> str:
        others = [str(path.relative_to(folder)) for path in folder.rglob("*.ipynb")]
        store, disk = FileSessionManager(root=str(folder)), Disk(dict.fromkeys([name, *others]))
        identity = await NotebookRegistry(store, disk).identify(name, None, list(SOURCES))
        for cell_id, source in SOURCES.items():
            key = SessionKey(identity.notebook_id, cell_id)
            edit = NewEvent(type="edit", timestamp=utc_now(), source=source)
            await store.record_events(key, [edit])
        await store.close()
        return identity.notebook_id

    notebook_id = asyncio.run(run())
    write(folder / name, list(SOURCES.items()), notebook_id)
    return notebook_id


def entries(folder: Path) -> dict[Path, bytes | None]:
    """Return all files and folders below a folder, with the bytes of the files."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


Check = Callable[[], list[Finding]]


@pytest.fixture
def check(work: Path) -> Check:
    """Run the check, which changes nothing, and return its findings."""

    def run() -> list[Finding]:
        before = entries(work.parent)
        findings = asyncio.run(check_notebooks(Configuration()))
        assert entries(work.parent) == before
        return findings

    return run


def texts(findings: list[Finding]) -> list[str]:
    return [finding.text for finding in findings]


def test_untouched_notebooks_are_counted(work: Path, check: Check) -> None:
    assert [(f.level, f.text) for f in check()] == [("ok", CHECKED.format(0))]
    record(work, "a.ipynb")
    record(work, "深/b.ipynb")
    write(work / "without-histories.ipynb", [("0", "x")], None)
    (work / "a.ipynb").rename(work / "moved.ipynb")
    assert [(f.level, f.text) for f in check()] == [("ok", CHECKED.format(1))]


@pytest.mark.parametrize("ids", [["0", "1", "2"], ["", "", ""], None])
def test_cells_with_other_ids_are_counted(work: Path, check: Check, ids: list[str] | None) -> None:
    """P28: nbstripout numbers the cells; older formats have no ids; converters create new ones."""
    notebook_id = record(work, "a.ipynb")
    ids = ids or [uuid.uuid4().hex for _ in SOURCES]
    write(work / "a.ipynb", list(zip(ids, SOURCES.values(), strict=True)), notebook_id)
    (finding,) = check()
    assert finding.level == "note"
    assert "a.ipynb: another tool, such as nbstripout, gave cells other IDs. 3 of" in finding.text
    assert "--keep-id" in finding.fix


def test_a_notebook_with_other_cells_is_reported(work: Path, check: Check) -> None:
    notebook_id = record(work, "a\x1b[2J.ipynb")
    write(work / "a\x1b[2J.ipynb", [("0", "other"), ("1", "another")], notebook_id)
    assert texts(check()) == [
        "a\N{REPLACEMENT CHARACTER}[2J.ipynb: no cell in it is one of those that have a history."
    ]


def test_a_missing_notebook_id_is_reported(work: Path, check: Check) -> None:
    """nbdev_clean removes it. A new notebook at the path of an old one isn't the old one."""
    record(work, "a.ipynb")
    write(work / "a.ipynb", list(SOURCES.items()), None)
    (finding,) = check()
    assert "no notebook ID" in finding.text and "found by the cells" in finding.text
    assert "aiserver" in finding.fix
    write(work / "a.ipynb", [("dddd4444", "print('another notebook')")], None)
    (finding,) = check()
    assert finding.level == "note" and "other cells than the histories" in finding.text


def test_what_is_not_checked_is_reported(
    work: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.ipynb", "b.ipynb", "c.ipynb"):
        record(work, name)
    (work / "b.ipynb").write_text("no JSON")
    checked, rest = texts(check())
    assert checked == CHECKED.format(2) and rest.startswith("Notebooks that were not checked: 1.")
    monkeypatch.setattr(notebooks, "_MAX_NOTEBOOKS", 1)
    assert texts(check())[-1].startswith("Notebooks that were not checked: 2.")
    monkeypatch.setattr(notebooks, "_MAX_SECONDS", 0)
    assert texts(check())[-1].startswith("Notebooks that were not checked: 3.")


def test_histories_that_cannot_be_read_are_no_failure(work: Path, check: Check) -> None:
    (work / "real").mkdir()
    (work / ".aiserver_sessions").symlink_to(work / "real")
    (finding,) = check()
    assert finding.level == "note" and finding.text.startswith("The notebooks were not checked: ")
