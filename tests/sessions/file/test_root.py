"""The folder that contains the sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from aiserver.sessions.file.directory import FOLDER, find_other_roots, find_root
from aiserver.sessions.file.manager import FileSessionManager


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a home folder with ``project/.git`` and ``project/notebooks/deep``."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home/project/.git").mkdir(parents=True)
    (tmp_path / "home/project/notebooks/deep").mkdir(parents=True)
    return tmp_path / "home"


def test_without_any_history_the_root_is_the_start_folder(home: Path) -> None:
    start = home / "project" / "notebooks"
    assert find_root(start) == start


@pytest.mark.parametrize("place", ["project", "project/notebooks", "project/notebooks/deep"])
def test_the_root_is_the_nearest_folder_with_sessions(home: Path, place: str) -> None:
    (home / place / FOLDER).mkdir()
    (home / "project" / FOLDER).mkdir(exist_ok=True)
    assert find_root(home / "project/notebooks/deep") == home / place


def test_the_root_is_not_above_the_git_repository(home: Path) -> None:
    (home / FOLDER).mkdir()
    assert find_root(home / "project/notebooks") == home / "project/notebooks"
    (home / "project/.git").rmdir()
    assert find_root(home / "project/notebooks") == home


def test_a_git_file_of_a_worktree_marks_a_repository(home: Path) -> None:
    (home / "project/.git").rmdir()
    (home / "project/.git").write_text("gitdir: elsewhere")
    (home / FOLDER).mkdir()
    assert find_root(home / "project/notebooks") == home / "project/notebooks"


def test_the_root_is_not_above_the_home_folder(home: Path) -> None:
    (home.parent / FOLDER).mkdir()
    assert find_root(home) == home


def test_outside_of_home_and_git_only_the_start_folder_is_used(home: Path, tmp_path: Path) -> None:
    """Other users can't plant a folder above, such as in a shared /tmp."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / "other").mkdir()
    assert find_root(tmp_path / "other") == tmp_path / "other"
    assert find_root(tmp_path) == tmp_path
    assert find_root(tmp_path / "not there") == tmp_path / "not there"


def test_links_and_files_are_no_root(home: Path) -> None:
    (home / "project" / FOLDER).symlink_to(home)
    (home / "project/notebooks" / FOLDER).write_text("")
    start = home / "project/notebooks/deep"
    assert find_root(start) == start


def test_the_manager_finds_its_root(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "project" / FOLDER).mkdir()
    start = home / "project" / "notebooks"
    assert FileSessionManager(start_dir=str(start)).root == str(home / "project")
    assert FileSessionManager(start_dir=str(start), root=str(start)).root == str(start)
    monkeypatch.chdir(start)
    assert FileSessionManager().root == str(home / "project")


def test_a_configured_root_may_start_with_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/of-somebody")
    assert FileSessionManager(root="~/histories").root == "/home/of-somebody/histories"


def test_other_roots_are_searched_in_the_whole_repository(home: Path) -> None:
    """A server may have been started in any of them."""
    project, deep = home / "project", home / "project/notebooks/deep"
    for place in (home, project, deep, project / "other"):
        (place / FOLDER).mkdir(parents=True)
    assert find_other_roots(deep, project, project) == [deep, home]
    assert find_other_roots(deep, home / "project/notebooks", project) == [
        deep,
        project,
        home,
    ]
    assert find_other_roots(deep, home / "elsewhere", project) == [deep, project, home]
    assert find_other_roots(home, project, home) == [home]
    (home.parent / FOLDER).mkdir()
    assert find_other_roots(home, project, home.parent) == [home]


def test_outside_of_home_and_git_other_roots_are_below_the_served_folder(
    tmp_path: Path, home: Path
) -> None:
    served, deep = tmp_path / "data", tmp_path / "data/a/b"
    for place in (tmp_path, served, deep):
        (place / FOLDER).mkdir(parents=True)
    assert find_other_roots(deep, served, served) == [deep]
    assert find_other_roots(deep, home, served) == [deep, served]
    assert find_other_roots(deep, home, tmp_path / "other") == [deep]


def test_an_alias_of_the_root_is_not_another_root(home: Path) -> None:
    (home / "project" / FOLDER).mkdir()
    (home / "link").symlink_to(home / "project")
    assert find_other_roots(home / "project", home / "link", home) == []
