"""P39: while git has both sides of a conflict, they are read instead of the markers."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from aiserver import safe_git
from aiserver.models import NewEvent, Session, SessionKey, new_session
from aiserver.sessions.file import git_stages as gitstages
from aiserver.sessions.file.git_stages import complete_conflict
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record import codec
from aiserver.sessions.record.filenames import session_name
from aiserver.sessions.record.mutations import append_events
from aiserver.testing.records import NOON

KEY = SessionKey("nb", "cell")


def session(*sources: str) -> Session:
    result = new_session(KEY)
    append_events(
        result, [NewEvent(type="edit", timestamp=NOON, source=source) for source in sources]
    )
    return result


def git(root: Path, *words: str, data: bytes = b"") -> str:
    done = subprocess.run(["git", *words], cwd=root, input=data, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """Create a file whose events git merged by lines, so that the markers contain no event."""
    path = tmp_path / ".aiserver_sessions" / session_name(KEY)
    path.parent.mkdir(mode=0o700)
    git(tmp_path, "init", "-q")
    rows = []
    for stage, side in ((2, session("a", "b")), (3, session("a", "c"))):
        name = git(tmp_path, "hash-object", "-w", "--stdin", data=codec.encode(side))
        rows.append(f"100644 {name} {stage}\t{path.relative_to(tmp_path).as_posix()}\n")
    git(tmp_path, "update-index", "--index-info", data="".join(rows).encode())
    path.write_bytes(
        codec.encode(session("a")).replace(b"{\n", b"{\n<<<<<<< HEAD\n=======\n>>>>>>> two\n", 1)
    )
    return path


async def sources(root: Path) -> list[str | None]:
    session_ = await FileSessionManager(root=str(root)).load_session(KEY)
    return [event.source for event in session_.events or [] if event.type == "edit"]


def test_the_history_has_the_records_of_both_sides(marked: Path) -> None:
    assert asyncio.run(sources(marked.parent.parent)) == ["a", "b", "c"]


def test_lines_after_the_markers_of_a_log_stay(marked: Path) -> None:
    """The page continues to append lines while the log is unmerged."""
    log = marked.with_suffix(".jsonl")
    rows = git(marked.parent, "ls-files", "-s", "--full-name").replace(marked.name, log.name)
    git(marked.parent, "update-index", "--index-info", data=f"{rows}\n".encode())
    read = complete_conflict(log, marked.read_bytes() + b"a new line\n")
    assert read.startswith(b"<<<<<<< HEAD\n") and read.endswith(b"\na new line\n>>>>>>> two\n")


@pytest.mark.parametrize("git_is", ["missing", "slow"])
def test_without_git_the_markers_are_read(
    marked: Path, monkeypatch: pytest.MonkeyPatch, git_is: str
) -> None:
    if git_is == "missing":
        monkeypatch.setenv("PATH", "")
    else:
        monkeypatch.setattr(safe_git, "_TIMEOUT", 0.0)
    data = marked.read_bytes()
    assert complete_conflict(marked, data) == data


def test_reading_runs_no_program_of_the_repository_config(marked: Path) -> None:
    """P11: git would run the file monitor of an untrusted config."""
    root = marked.parent.parent
    ran, program = root / "ran", root / "monitor"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    program.chmod(0o700)
    git(root, "config", "core.fsmonitor", str(program))
    git(root, "update-index", "--fsmonitor")
    ran.unlink(missing_ok=True)
    assert asyncio.run(sources(root)) == ["a", "b", "c"]
    assert not ran.exists()


def test_protocols_that_the_repository_allows_are_not_used(tmp_path: Path) -> None:
    """P11: git would run a command of the config to fetch a missing object."""
    ran = tmp_path / "ran"
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "protocol.ext.allow", "always")
    git(tmp_path, "config", "remote.origin.url", f"ext::touch {ran}")
    assert safe_git.run_git("fetch", folder=tmp_path, check=False).returncode
    assert not ran.exists()


def test_a_repository_that_timed_out_is_skipped_for_a_while(
    marked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def run_git(*words: str, **more: object) -> None:
        asked.append(words)
        raise subprocess.TimeoutExpired("git", 5)

    monkeypatch.setattr(gitstages, "run_git", run_git)
    for end in (b"", b" ", b"  "):
        data = marked.read_bytes() + end
        assert complete_conflict(marked, data) == data
    assert len(asked) == 1


def test_the_markers_are_read_if_the_sides_are_too_large(
    marked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gitstages, "_MAX_BYTES", 100)
    data = marked.read_bytes()
    assert complete_conflict(marked, data) == data
