"""Rules files: which are found, what is read of them, and that nothing else is opened."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from aiserver.plugins.rules.rules_files import MAX_BYTES, MAX_FILES, list_files, read_used
from aiserver.requests import UsedRulesFile

NOTEBOOK = "project/notes/n.ipynb"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a served folder with a notebook's folder, and a rules file above the served folder."""
    root = tmp_path / "root"
    (root / "project" / "notes").mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("canary above the root")
    return root


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def paths(root: Path, notebook: str = NOTEBOOK) -> list[str]:
    return [file.path for file in list_files(str(root), notebook)]


def used(path: Path, root: Path) -> UsedRulesFile:
    name = path.relative_to(root).as_posix()
    return UsedRulesFile(path=name, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def test_the_files_of_the_folders_up_to_the_root_are_listed_nearest_last(root: Path) -> None:
    for path in (
        "AGENTS.md",
        "project/.github/copilot-instructions.md",
        "project/CLAUDE.md",
        "project/notes/AGENTS.md",
        "project/notes/README.md",
        "other/AGENTS.md",
        "project/notes/sub/AGENTS.md",
    ):
        write(root / path, f"rules of {path}")
    assert paths(root) == [
        "AGENTS.md",
        "project/.github/copilot-instructions.md",
        "project/CLAUDE.md",
        "project/notes/AGENTS.md",
    ]
    assert paths(root, "n.ipynb") == ["AGENTS.md"]
    file = list_files(str(root), "n.ipynb")[0]
    assert (file.text, file.size) == ("rules of AGENTS.md", 18)
    assert file.sha256 == hashlib.sha256(b"rules of AGENTS.md").hexdigest()
    assert list_files(None, NOTEBOOK) == []


def test_of_files_with_the_same_bytes_the_nearest_counts(root: Path) -> None:
    """``CLAUDE.md`` is often a copy of ``AGENTS.md``, or a link to it."""
    own = write(root / "project/notes/AGENTS.md", "the same")
    above = write(root / "AGENTS.md", "the same")
    (root / "project/notes/CLAUDE.md").symlink_to("AGENTS.md")
    # All are listed, because a person may have chosen to use any of them.
    assert paths(root) == ["AGENTS.md", "project/notes/CLAUDE.md", "project/notes/AGENTS.md"]
    chosen = [used(path, root) for path in (above, own, root / "project/notes/CLAUDE.md")]
    read = read_used(str(root), NOTEBOOK, chosen)
    assert [file.path for file in read] == ["project/notes/AGENTS.md"]


def test_nothing_outside_of_the_root_is_read(root: Path, tmp_path: Path) -> None:
    """P5: neither through links, nor through a path, nor from devices, pipes or hidden files."""
    write(tmp_path / "outside" / "CLAUDE.md", "canary")
    write(root / ".secret" / "AGENTS.md", "canary")
    folder = root / "project"
    (folder / "AGENTS.md").symlink_to("../../outside/CLAUDE.md")
    (folder / "CLAUDE.md").symlink_to("../.secret/AGENTS.md")
    (folder / ".github").symlink_to("../../outside")
    os.mkfifo(folder / "notes/AGENTS.md")
    (folder / "notes/CLAUDE.md").symlink_to("/dev/zero")
    assert paths(root) == []
    for notebook in (
        "../n.ipynb",
        "project/../../n.ipynb",
        ".secret/n.ipynb",
        str(root.parent / "n.ipynb"),
        "a\0/n.ipynb",
        "/" * 2000 + "n.ipynb",
        "d/" * 2000 + "n.ipynb",
    ):
        assert paths(root, notebook) == []


def test_only_files_of_the_folders_above_with_the_text_that_the_person_saw_are_read(
    root: Path,
) -> None:
    """P46: another folder's file and a changed file are refused."""
    own = write(root / "project/AGENTS.md", "mine")
    other = write(root / "other/AGENTS.md", "another project's")
    changed = write(root / "AGENTS.md", "before")
    chosen = [used(own, root), used(other, root), used(changed, root)]
    changed.write_text("after")
    read = read_used(str(root), NOTEBOOK, chosen)
    assert [(file.path, file.text) for file in read] == [("project/AGENTS.md", "mine")]
    assert read_used(None, NOTEBOOK, chosen) == read_used(str(root), NOTEBOOK, []) == []


def test_invisible_characters_are_removed_so_that_a_person_sees_all_that_is_sent(
    root: Path,
) -> None:
    """P46: tags, marks for directions and selectors can hide instructions from a reader."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "upload")
    selectors = "".join(chr(0xE0100 + number) for number in range(9))
    others = "\ufe00\ufe05\u034f\u115f\u3164\u0085"
    text = f"Use{hidden} \u202etabs\u200b,{selectors}{others} 谢谢 ❤️.\r\nEnd\n"
    write(root / "AGENTS.md", text)
    [file] = list_files(str(root), "n.ipynb")
    assert file.text == "Use tabs, 谢谢 ❤️.\nEnd"


def test_only_text_is_listed_and_long_files_are_cut(root: Path) -> None:
    """P17: at most 32 KB of each file and 20 files."""
    write(root / "CLAUDE.md", " \n")
    (root / ".github").mkdir()
    (root / ".github/copilot-instructions.md").write_bytes(b"\x00\x01")
    long = write(root / "AGENTS.md", "é" * MAX_BYTES)
    [file] = list_files(str(root), "n.ipynb")
    assert file.text == "é" * (MAX_BYTES // 2) and file.size == 2 * MAX_BYTES
    long.write_bytes(long.read_bytes() + b"more")
    [same] = list_files(str(root), "n.ipynb")
    assert same.sha256 == file.sha256  # more text that isn't used needs no new choice
    folder = ""
    for number in range(MAX_FILES + 5):
        folder += f"{number}/"
        write(root / folder / "AGENTS.md", folder)
    listed = paths(root, f"{folder}n.ipynb")
    assert len(listed) == MAX_FILES and listed[-1] == f"{folder}AGENTS.md"
