"""The settings choose the stores; the folder that Jupyter serves, the project."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from aiserver.errors import SettingError
from aiserver.extension import AIServer
from aiserver.plugins.memory.manager import (
    create_memory,
    create_person_store,
    project_root,
)
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore
from aiserver.plugins.memory.stores.file import FileMemoryStore
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import in_loop


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return Jupyter's data folder of this test; the home folder is elsewhere."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "data"


class Theirs(KeyValueMemoryStore):
    """A store of another package."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(InMemorySessionManager(), **kwargs)


@pytest.mark.parametrize(
    ("sessions", "choice", "store"),
    [
        ("file", "", FileMemoryStore),
        ("memory://", "", KeyValueMemoryStore),
        ("sqlite:///{}/histories.db", "", KeyValueMemoryStore),
        ("postgresql://a@db.invalid/c", "", KeyValueMemoryStore),
        ("mysql://a@db.invalid/c", "", KeyValueMemoryStore),
        ("redis://db.invalid", "", KeyValueMemoryStore),
        ("postgresql://a@db.invalid/c", "file", FileMemoryStore),
        ("redis://db.invalid", "file", FileMemoryStore),
        ("memory://", "file", FileMemoryStore),
        ("file", "tests.memory.test_factory.Theirs", Theirs),
        ("postgresql://a@db.invalid/c", Theirs, Theirs),
    ],
)
def test_the_store_of_the_person_follows_that_of_the_sessions(
    tmp_path: Path, data_folder: Path, sessions: str, choice: Any, store: type
) -> None:
    manager = create_session_manager(sessions.format(tmp_path), start_dir=str(tmp_path))
    created = create_person_store(manager, choice)
    # Classes that a dotted name imports are other objects than those of this test module.
    assert type(created).__name__ == store.__name__
    if isinstance(created, FileMemoryStore):
        assert created.folder == data_folder / "aiserver" / "memory"
    assert not data_folder.exists(), "creating a store has created its folder"


@pytest.mark.parametrize("choice", ["nothing", "no.such.Store", "pathlib.Path", "json", dict])
def test_unknown_stores_are_rejected(choice: Any) -> None:
    with pytest.raises(SettingError):
        create_person_store(InMemorySessionManager(), choice)


def test_redis_is_imported_only_if_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("aiserver.sessions.redis")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "redis", None)
    sessions = create_session_manager("file", start_dir=".")
    assert isinstance(create_person_store(sessions), FileMemoryStore)


def test_the_project_is_the_nearest_folder_with_a_memory(tmp_path: Path) -> None:
    """P28: its memory stays the same if Jupyter is started in another folder of the project."""
    project = tmp_path / "project"
    served = project / "notebooks" / "2026"
    served.mkdir(parents=True)
    (project / ".git").mkdir()
    (tmp_path / ".aiserver_memory").mkdir()  # above the project; somebody else may have put it
    assert project_root(served) == served
    (project / "notebooks" / ".aiserver_sessions").mkdir()
    assert project_root(served) == project / "notebooks", "the root of the sessions"
    (project / ".aiserver_memory").mkdir()
    assert project_root(served) == project
    (project / "notebooks" / ".aiserver_memory").symlink_to(tmp_path / ".aiserver_memory")
    assert project_root(served) == project, "a link isn't followed"


@in_loop
async def test_the_manager_has_the_memories_of_the_project_and_the_person(
    tmp_path: Path, data_folder: Path
) -> None:
    served = tmp_path / "project"
    served.mkdir()
    memory = create_memory(
        None, create_session_manager("file", start_dir=str(served)), str(served), ""
    )
    assert memory.scopes == ["project", "person"]
    await memory.add("project", "Use polars")
    await memory.add("person", "Titles in Chinese")
    assert "Use polars" in (served / ".aiserver_memory" / "MEMORY.md").read_text("utf-8")
    own = data_folder / "aiserver" / "memory" / "MEMORY.md"
    assert "Titles in Chinese" in own.read_text("utf-8")
    without_files = create_memory(None, InMemorySessionManager(), None, "ada")
    assert without_files.scopes == ["person"]


@in_loop
async def test_the_settings_of_the_extension(tmp_path: Path) -> None:
    extension = AIServer(memory_store="file", proposal_lifetime=2.0)
    sessions = InMemorySessionManager()
    memory = create_memory(extension, sessions, str(tmp_path), "ada")
    proposal = await memory.propose("Use polars", "person", "request")
    assert proposal.expires_at - proposal.created_at == 2 * 3600
    extension.memory_store = "nothing"
    with pytest.raises(SettingError):
        create_memory(extension, sessions, None, "ada")
