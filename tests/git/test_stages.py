"""P39: histories that git has left in conflict, because the merge driver was not set up."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from aiserver import safe_git
from aiserver.models import NewEvent, NewLogEntry, Session, SessionKey, new_session
from aiserver.plugins.git import setup
from aiserver.sessions.record import codec
from aiserver.sessions.record.filenames import session_name
from aiserver.sessions.record.mutations import append_events, number_entries
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


def sources(path: Path) -> list[str | None]:
    return [event.source for event in codec.parse(path.read_bytes(), KEY).events or []]


def test_install_merges_both_sides(
    marked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """P39: and what was recorded after the conflict; the conflicted file of a log, too."""
    root = marked.parent.parent
    monkeypatch.chdir(root)
    assert setup.install() == 0
    assert sources(marked) == ["a", "b", "c"]
    assert "Merged both sides of 1 histories" in capsys.readouterr().out

    marked.write_bytes(codec.encode(session("a", "later")))
    assert setup.install() == 0
    assert sources(marked) == ["a", "b", "c", "later"]


def test_sides_that_are_no_sessions_stay(
    marked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = marked.parent.parent
    name = git(root, "hash-object", "-w", "--stdin", data=b"{}")
    row = f"100644 {name} 3\t{marked.relative_to(root).as_posix()}\n"
    git(root, "update-index", "--index-info", data=row.encode())
    before = marked.read_bytes()
    monkeypatch.chdir(root)
    assert setup.install() == 0
    assert marked.read_bytes() == before
    assert "could not be merged" in capsys.readouterr().out


def test_the_entries_of_both_sides_of_a_log_are_read() -> None:
    """Each once, without git; new entries may follow the markers."""
    entries = [NewLogEntry(type="changed", timestamp=NOON, data={"id": id_}) for id_ in "abcd"]
    first, ours, theirs, last = (
        codec.encode(entry, indent=None) for entry in number_entries([], entries)
    )
    data = b"".join(
        [first, b"<<<<<<< ours\n", ours, b"||||||| base\n", first, b"=======\n", theirs]
    )
    read, damaged_count = codec.parse_log(data + b">>>>>>> theirs\n" + last)
    assert [entry.data["id"] for entry in read] == ["a", "b", "c", "d"]
    assert damaged_count == 0


def test_protocols_that_the_repository_allows_are_not_used(tmp_path: Path) -> None:
    """P11: git would run a command of the config to fetch a missing object."""
    ran = tmp_path / "ran"
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "protocol.ext.allow", "always")
    git(tmp_path, "config", "remote.origin.url", f"ext::touch {ran}")
    assert safe_git.run_git("fetch", folder=tmp_path, check=False).returncode
    assert not ran.exists()
