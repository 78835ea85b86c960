"""P39: merging or rebasing branches loses no turn, event, order or reference."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aiserver.cli import main as cli
from aiserver.cli.doctor.storage import check_storage
from aiserver.models import NewEvent, SessionKey, new_session
from aiserver.plugins.git import driver
from aiserver.sessions.record import codec
from aiserver.sessions.record.mutations import append_events
from aiserver.testing.records import NOON

from .branches import Repository
from .quick import quick_driver

CELLS = int(os.environ.get("AISERVER_GIT_CELLS", "6"))
SEEDS = range(int(os.environ.get("AISERVER_GIT_SEEDS", "1")))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> Repository:
    root = tmp_path / "mit Leerzeichen 历史"
    root.mkdir()
    created = Repository(root, CELLS, seed)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert cli.main(["git", "status"]) == 1
    assert cli.main(["git", "install"]) == 0
    assert cli.main(["git", "status"]) == 0
    created.commit("main")
    return created


@pytest.fixture
def quick(repository: Repository, tmp_path: Path) -> Iterator[None]:
    """Merge in this process; the other tests start the real command for each file."""
    with quick_driver(tmp_path) as server:
        repository.git("config", "merge.aiserver.driver", server.command)
        yield


def branch_off(repository: Repository, *names: str, commits: int = 1) -> None:
    for name in names:
        repository.git("switch", "-q", "-c", name, "main")
        for _ in range(commits):
            repository.commit(name)
    repository.git("switch", "-q", names[0])


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_three_branches_are_merged(repository: Repository) -> None:
    branch_off(repository, "one", "two", "three")
    repository.git("merge", "-q", "two", "-m", "m")
    repository.check(["main", "one", "two"])
    repository.commit("one")
    repository.git("switch", "-q", "three")
    repository.git("merge", "-q", "two", "-m", "m")
    repository.commit("three")
    repository.git("merge", "-q", "one", "-m", "m")
    repository.check(["main", "one", "two", "three"])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("quick")
def test_a_branch_is_rebased(repository: Repository) -> None:
    branch_off(repository, "one", "two", commits=2)
    repository.git("rebase", "-q", "two")
    repository.check(["main", "one", "two"])
    repository.commit("one")
    repository.git("switch", "-q", "two")
    repository.commit("two")
    repository.git("merge", "-q", "one", "-m", "m")
    repository.check(["main", "one", "two"])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("quick")
def test_a_cherry_picked_commit_is_not_duplicated(repository: Repository) -> None:
    branch_off(repository, "one", "two", commits=2)
    repository.git("cherry-pick", "two~1")
    repository.commit("one")
    repository.git("merge", "-q", "two", "-m", "m")
    repository.check(["main", "one", "two"])


@pytest.mark.parametrize(
    "style",
    ["merge", "diff3", "zdiff3"],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_install_merges_what_git_left_in_conflict(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    """P39: without the driver git writes conflict markers; one command merges both sides."""
    (repository.root / ".gitattributes").write_text("")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "no driver")
    repository.git("config", "merge.conflictStyle", style)
    branch_off(repository, "one", "two")
    repository.git("merge", "-q", "two", "-m", "m", check=False)
    assert any("conflict markers" in finding.text for finding in check_storage(repository.root))
    monkeypatch.chdir(repository.root)
    assert cli.main(["git", "install"]) == 0
    repository.check(["main", "one", "two"])
    assert not any("conflict markers" in finding.text for finding in check_storage(repository.root))


@pytest.mark.parametrize("seed", SEEDS)
def test_an_unreadable_side_stays_a_conflict(repository: Repository) -> None:
    for name in ("one", "two"):
        repository.git("switch", "-q", "-c", name, "main")
        repository.commit(name, share=1.0)
    path = repository.path(repository.keys[0])
    repository.git("switch", "-q", "one")
    path.write_bytes(b"{ no session")
    repository.git("commit", "-qam", "damaged")
    assert repository.git("merge", "-q", "two", "-m", "m", check=False) == 1
    assert b"<<<<<<< " in path.read_bytes() and b"no session" in path.read_bytes()


@pytest.mark.parametrize("seed", [0])
def test_without_the_command_git_writes_conflict_markers(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If AI Server's environment isn't active, the other side must not be hidden."""
    branch_off(repository, "one", "two")
    folders = [path for path in os.get_exec_path() if not shutil.which("jupyter", path=path)]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    if not shutil.which("git"):
        pytest.skip("jupyter and git are in one folder here")
    assert cli.main(["git", "status"]) == 1
    attributes = repository.root / ".gitattributes"
    attributes.write_text(
        attributes.read_text().replace("=aiserver", "=aiserver conflict-marker-size=11")
    )
    assert repository.git("merge", "-q", "two", "-m", "m", check=False) == 1
    assert b"<<<<<<<<<<< ours\n" in repository.log.read_bytes()


@pytest.mark.parametrize("seed", [0])
@pytest.mark.usefixtures("quick")
def test_merges_onto_one_head_have_different_ids(repository: Repository) -> None:
    """Two cherry-picks onto one commit renumber differently, and may meet in a later merge."""
    branch_off(repository, "one", "two", commits=2)
    all_ids: list[str] = []
    for commit in ("two~1", "two"):
        repository.git("switch", "-q", "-C", "picked", "one")
        repository.git("cherry-pick", commit)
        entries = codec.parse_log(repository.log.read_bytes()).entries
        ids = {merge[-1] for entry in entries for merge in entry.merged or []}
        for key in repository.keys:
            ids |= {merge["id"] for merge in repository.session(key).meta.merged or []}
        assert len(ids) == 1, "files of one merge have different ids"
        all_ids += ids
    assert len(set(all_ids)) == 2


def test_a_merge_that_cannot_be_written_keeps_our_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P39: git continues with the file, so a truncated one would lose records."""
    sides = []
    for name, sources in (("base", ["a"]), ("ours", ["a", "b"]), ("theirs", ["a", "c"])):
        session = new_session(SessionKey("nb", "cell"))
        append_events(
            session, [NewEvent(type="edit", timestamp=NOON, source=source) for source in sources]
        )
        (tmp_path / name).write_bytes(codec.encode(session))
        sides.append(str(tmp_path / name))
    base, ours, theirs = sides
    before = (tmp_path / "ours").read_bytes()
    monkeypatch.chdir(tmp_path)

    def full(fd: int, _: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", full)
        disk.setattr(Path, "write_bytes", lambda path, _: path.open("wb").close() or full(0, 0))
        assert driver.merge(base, ours, theirs, "x.json") == 1
    assert (tmp_path / "ours").read_bytes() == before
    assert driver.merge(base, ours, theirs, "x.json") == 0
    assert (tmp_path / "ours").read_bytes() != before
