"""``jupyter aiserver replay note``, with real git, and the exports of authorship."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from aiserver.errors import SettingError
from aiserver.plugins.export.authorship import git as notes
from tests.sharing.agents_demo import (
    MODEL,
    NOTEBOOK,
    RUN,
    SECRET,
    SOURCES,
    file_text,
    lines_by_number,
    make,
    notebook,
)
from tests.sharing.test_authorship import read_note

from .conftest import Run, tree


def git(*arguments: str, stdin: str | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments], input=stdin, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


@pytest.fixture
def repository(work: Path) -> Path:
    """Return a repository with the notebook ``data/my sales.ipynb``, which isn't committed yet."""
    git("init", "-q")
    git("config", "user.name", "Ann")
    git("config", "user.email", "ann@example.org")
    return make(work, "data/my sales.ipynb")


@pytest.fixture
def replay(repository: Path, command_line: Run) -> Run:
    return partial(command_line, "replay")


def commit(message: str = "work") -> str:
    git("add", "*.ipynb")
    git("commit", "-qm", message)
    return git("rev-parse", "HEAD").strip()


def authors(revision: str, path: str, text: str) -> dict[str, str]:
    """Return the tool, or the person, of each attested line of a file."""
    files, data = read_note(git("notes", "--ref=ai", "show", revision))
    lines = lines_by_number(text)
    names: dict[str, str] = {}
    for key, numbers in files.get(path, {}).items():
        human = data.get("humans", {}).get(key)
        name = human["author"] if human else data["sessions"][key[:16]]["agent_id"]["tool"]
        names |= {lines[number]: name for number in numbers}
    return names


def test_a_note_names_the_authors_of_the_new_lines(replay: Run, work: Path) -> None:
    before = tree(work / ".aiserver_sessions")
    first = commit()
    done = replay("note")
    assert done.status == 0 and done.out == f"The note of {first[:7]}: data/my sales.ipynb\n"
    path = "data/my sales.ipynb"
    assert authors(first, path, file_text()) == {
        "import pandas as pd": "aiserver",
        "": "aiserver",
        'df = pd.read_csv("销售.csv")': "aiserver",
        f'key = "{SECRET}"': "Ann <ann@example.org>",
        "df = df.dropna()": "Codex",
        "ax = df.plot()": "Claude Code",
    }
    _, data = read_note(git("notes", "--ref=ai", "show", first))
    assert data["base_commit_sha"] == first
    agents = [session["agent_id"] for session in data["sessions"].values()]
    assert {"tool": "Codex", "id": RUN, "model": "unknown"} in agents
    assert {"tool": "aiserver", "id": f"{NOTEBOOK}/load/1", "model": MODEL} in agents
    tip = git("rev-parse", "refs/notes/ai")
    assert "Nothing to add" in replay("note", first).out
    assert git("rev-parse", "refs/notes/ai") == tip
    assert tree(work / ".aiserver_sessions") == before
    references = git("for-each-ref", "--format=%(refname)").split()
    assert references == [git("symbolic-ref", "HEAD").strip(), "refs/notes/ai"]


def test_only_lines_that_no_parent_has_are_named(replay: Run, repository: Path) -> None:
    content = notebook()
    content["cells"][0]["source"] = "\n".join(SOURCES["load"].split("\n")[:4])
    repository.write_text(file_text(content), "utf-8")
    commit("without the agent's line")
    git("checkout", "-qb", "side")
    (repository.parent / "notes.ipynb").write_text("{}")
    commit("another file")
    git("checkout", "-q", "-")
    repository.rename(repository.with_name("sales.ipynb"))
    repository.with_name("sales.ipynb").write_text(file_text(), "utf-8")
    git("add", "-A", "data")
    second = commit("renamed, with the agent's line")
    replay("note")
    line_authors = authors(second, "data/sales.ipynb", file_text())
    # A comma is new in the file's line above it.
    assert line_authors == {
        f'key = "{SECRET}"': "Ann <ann@example.org>",
        "df = df.dropna()": "Codex",
    }
    git("merge", "-q", "--no-edit", "side")
    assert "adds no line" in replay("note").out


def test_the_notes_of_other_programs_stay(replay: Run) -> None:
    first = commit()
    other = 'a.py\n  h_31dce776f88375 1-2\n---\n{"schema_version": "authorship/3.0.0", '
    other += '"git_ai_version": "1.4.5", "base_commit_sha": "", "prompts": {}, '
    other += '"humans": {"h_31dce776f88375": {"author": "Bob <b@example.org>"}}}\n'
    git("notes", "--ref=ai", "add", "-F", "-", first, stdin=other)
    assert replay("note").status == 0
    files, data = read_note(git("notes", "--ref=ai", "show", first))
    assert files["a.py"] == {"h_31dce776f88375": {1, 2}} and "data/my sales.ipynb" in files
    assert data["git_ai_version"] == "1.4.5" and len(data["humans"]) == 2
    git("notes", "--ref=ai", "add", "-f", "-m", "mine", first)
    refused = replay("note")
    assert refused.status == 1 and "isn't in git-ai's format" in refused.err
    assert git("notes", "--ref=ai", "show", first) == "mine\n"


def test_a_note_that_git_cannot_read_stays(replay: Run, work: Path) -> None:
    first = commit()
    git("notes", "--ref=ai", "add", "-m", "of others", first)
    blob = git("notes", "--ref=ai", "list", first).strip()
    (work / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert replay("note").status == 1
    assert git("notes", "--ref=ai", "list", first).strip() == blob


def test_a_note_that_is_written_meanwhile_is_not_lost(replay: Run) -> None:
    first = commit()

    def change(existing: str | None) -> str:
        git("notes", "--ref=ai", "add", "-m", "meanwhile", first)
        return "ours"

    with pytest.raises(SettingError):
        notes.update_note(notes.find_commit("HEAD"), change)
    assert git("notes", "--ref=ai", "show", first) == "meanwhile\n"
    assert len(git("for-each-ref", "refs/notes").splitlines()) == 1


@pytest.mark.parametrize("revision", ["--output=x", "none", "HEAD:data"])
def test_other_revisions_are_refused(replay: Run, revision: str, work: Path) -> None:
    commit()
    done = replay("note", "--", revision)
    assert (done.status, done.err) == (1, f"There is no commit “{revision}” here.\n")
    assert not (work / "x").exists()


def test_agent_trace_names_the_revision_of_a_committed_file(replay: Run, repository: Path) -> None:
    def export() -> dict[str, Any]:
        done = replay("export", "data/my sales.ipynb", "--format", "agent-trace", "--output", "-")
        assert done.status == 0, done.err
        record: dict[str, Any] = json.loads(done.out)
        return record

    assert "vcs" not in export() and export()["files"][0]["path"] == "my sales.ipynb"
    first = commit()
    assert export()["vcs"] == {"type": "git", "revision": first}
    assert export()["files"][0]["path"] == "data/my sales.ipynb"
    repository.write_text(file_text().replace("ax.grid( )", "ax.grid()"), "utf-8")
    assert "vcs" not in export()
    done = replay("export", NOTEBOOK, "--format", "agent-trace")
    assert done.status == 1 and "is not the file of a notebook" in done.err


def test_prov_is_exported_without_code(replay: Run, work: Path) -> None:
    assert replay("export", "data/my sales.ipynb", "--format", "prov").status == 0
    text = (work / "my sales.prov.json").read_text("utf-8")
    assert "wasAssociatedWith" in json.loads(text)
    assert "read_csv" not in text and SECRET not in text


def test_the_report_names_agents_in_each_cell(replay: Run) -> None:
    report = replay("report", "data/my sales.ipynb").out
    assert "by agents" in report and "  Codex\n" in report
    (cell,) = [line for line in report.splitlines() if line.strip().startswith("Cell 1")]
    assert cell.endswith("Qwen2.5-Coder 0.5B, Codex")
