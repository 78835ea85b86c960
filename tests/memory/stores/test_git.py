"""P39: memories of a project in git: branches that both add entries merge without conflicts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from aiserver.plugins.memory.manager import MemoryManager
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore
from aiserver.plugins.memory.stores.file import FileMemoryStore
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import in_loop


class Clone:
    """A repository with a memory, and the person who works in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = FileMemoryStore(root / ".aiserver_memory", is_shared_by_git=True)
        self.person = KeyValueMemoryStore(InMemorySessionManager())

    def git(self, *words: str) -> str:
        private = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        settings = ["user.name=Ada", "user.email=ada@example.com", "commit.gpgsign=false"]
        options = [part for setting in settings for part in ("-c", setting)]
        done = subprocess.run(
            ["git", *options, *words],
            cwd=self.root,
            env=os.environ | private,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def window(self) -> MemoryManager:
        return MemoryManager(self.person, self.store, project_name="p")

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "memory")

    async def texts(self) -> list[str]:
        return [listed.text for listed in await self.window().list_entries()]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    clone = Clone(tmp_path)
    clone.git("init", "-q", "-b", "main")
    (tmp_path / "README.md").write_text("project\n")
    clone.commit()
    return clone


async def add_on_branches(clone: Clone, texts: dict[str, list[str]]) -> None:
    """Add entries on branches, commit them, and return to the branch ``main``."""
    for branch, added in texts.items():
        clone.git("checkout", "-q", "-b", branch, "main")
        for text in added:
            await clone.window().add("project", text)
        clone.commit()
    clone.git("checkout", "-q", "main")


@pytest.mark.parametrize("has_memory", [True, False])
@pytest.mark.parametrize("rebases", [True, False])
@in_loop
async def test_branches_that_add_entries_merge(
    clone: Clone, has_memory: bool, rebases: bool
) -> None:
    """The entries of both branches are there, each with its id and its complete text.

    If a text had several lines, git could drop a line that the entries of both branches have.
    """
    if has_memory:
        await clone.window().add("project", "The key is order_id")
        clone.commit()
    first = ["Use polars", "Titles in Chinese\nand labels, too"]
    second = ["Round to 2 digits", "Titles in English\nand labels, too"]
    await add_on_branches(clone, {"one": first, "two": second})
    clone.git("checkout", "-q", "one")
    clone.git(*(["rebase", "-q", "two"] if rebases else ["merge", "-q", "two"]))
    base = ["The key is order_id"] if has_memory else []
    added = [text.replace("\n", " ") for text in (*first, *second)]
    assert sorted(await clone.texts()) == sorted([*base, *added])
    listed = await clone.window().list_entries()
    assert len({item.id for item in listed}) == len(listed)
    assert all(len(item.date) == 10 for item in listed)
    assert {item.review for item in listed} == {"used"}, "the same person has written both"
    assert clone.git("status", "--porcelain") == ""
    assert await clone.window().add("project", "One more")
    assert len(await clone.texts()) == len(listed) + 1


@in_loop
async def test_both_versions_of_an_entry_stay_after_a_merge(clone: Clone) -> None:
    """They have different ids, so that the person can forget one of them."""
    entry = await clone.window().add("project", "Round to 2 digits")
    clone.commit()
    for branch, text in (("one", "Round to 3 digits"), ("two", "Round to 4 digits")):
        clone.git("checkout", "-q", "-b", branch, "main")
        await clone.window().change("project", entry.id, text, "Round to 2 digits")
        clone.commit()
    clone.git("merge", "-q", "one")
    first, second = await clone.window().list_entries()
    assert {first.text, second.text} == {"Round to 3 digits", "Round to 4 digits"}
    assert first.id != second.id
    await clone.window().forget("project", second.id)
    assert await clone.texts() == [first.text]


@in_loop
async def test_a_forgotten_entry_that_git_brings_back_needs_a_decision(clone: Clone) -> None:
    """P46"""
    await clone.window().add("project", "The key is order_id")
    entry = await clone.window().add("project", "Use pandas")
    clone.commit()
    await add_on_branches(clone, {"one": ["Titles in Chinese"]})
    await clone.window().forget("project", entry.id)
    clone.commit()
    clone.git("merge", "-q", "one")
    reviews = {item.text: item.review for item in await clone.window().list_entries()}
    assert reviews == {
        "The key is order_id": "used",
        "Titles in Chinese": "used",
        "Use pandas": "new",
    }


@in_loop
async def test_only_the_memory_is_committed(clone: Clone) -> None:
    """Locks, temp files and JupyterLab's checkpoints aren't part of the project."""
    await clone.window().add("project", "Use polars")
    (clone.store.folder / f"MEMORY.md.{'0' * 16}.tmp").write_bytes(b"")
    (clone.store.folder / ".ipynb_checkpoints").mkdir()
    (clone.store.folder / ".ipynb_checkpoints" / "MEMORY-checkpoint.md").write_bytes(b"")
    clone.git("add", "-A")
    files = clone.git("ls-files", ".aiserver_memory").split()
    assert files == [f".aiserver_memory/{n}" for n in (".gitattributes", ".gitignore", "MEMORY.md")]


@in_loop
async def test_the_clone_of_another_person_needs_decisions(clone: Clone, tmp_path: Path) -> None:
    """P46: nothing that came with a repository is used before the person has seen it."""
    await clone.window().add("project", "Use polars")
    clone.commit()
    clone.git("clone", "-q", ".", "other")
    other = Clone(tmp_path / "other")
    [listed] = await other.window().list_entries()
    assert (listed.text, listed.review) == ("Use polars", "new")
    await other.window().review([listed.digest], used=True)
    [listed] = await other.window().list_entries()
    assert listed.review == "used"
    memory = other.store.path("memory")
    memory.write_text(memory.read_text().replace("polars", "pandas"))
    [listed] = await other.window().list_entries()
    assert listed.review == "new", "another text needs another decision"


@in_loop
async def test_marks_of_a_conflict_are_no_entries(clone: Clone) -> None:
    """A person can resolve a conflict by hand if a program merged without the attributes."""
    await clone.window().add("project", "The key is order_id")
    clone.commit()
    await add_on_branches(clone, {"one": ["Use polars"], "two": ["Use pandas"]})
    clone.git("checkout", "-q", "two")
    (clone.root / ".git" / "info" / "attributes").write_text("MEMORY.md -merge=union merge\n")
    subprocess.run(["git", "merge", "-q", "one"], cwd=clone.root, capture_output=True)
    assert "<<<<<<<" in clone.store.path("memory").read_text()
    assert await clone.texts() == ["The key is order_id", "Use pandas", "Use polars"]
    entry = (await clone.window().list_entries())[0]
    await clone.window().forget("project", entry.id)
    assert "<<<<<<<" in clone.store.path("memory").read_text(), "the person resolves it"
