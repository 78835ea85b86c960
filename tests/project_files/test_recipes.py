"""Recipes: which are listed, which names they can have, and that no other file is written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from aiserver.errors import NotFound, RecipeExists, RecipeNameRefused, StorageError
from aiserver.plugins.rules.recipes import (
    MAX_BYTES,
    MAX_RECIPES,
    is_name,
    list_recipes,
    save_in_project,
    save_own,
)

NOTEBOOK = "project/notes/n.ipynb"
SECRET = "sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "project" / "notes").mkdir(parents=True)
    return root


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "data" / "aiserver" / "recipes"


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, "utf-8")


def listed(root: Path, own: Path, notebook: str = NOTEBOOK) -> dict[str, str]:
    return {recipe.name: recipe.text for recipe in list_recipes(str(root), notebook, own)}


def test_the_users_recipes_come_before_the_nearest_of_the_project(root: Path, own: Path) -> None:
    """A project can't replace a recipe of the user."""
    write(own, "Plot", "mine")
    write(root / ".aiserver/recipes", "plot", "of the root")
    write(root / ".aiserver/recipes", "清洗", "of the root")
    write(root / "project/notes/.aiserver/recipes", "清洗", "of the notebook's folder")
    write(root / "other/.aiserver/recipes", "other", "of another folder")
    assert listed(root, own) == {"Plot": "mine", "清洗": "of the notebook's folder"}
    assert listed(root, own, "n.ipynb") == {"Plot": "mine", "清洗": "of the root"}
    assert [recipe.is_own for recipe in list_recipes(str(root), NOTEBOOK, own)] == [True, False]
    assert [recipe.name for recipe in list_recipes(None, NOTEBOOK, own)] == ["Plot"]


def test_the_front_matter_has_the_description(root: Path, own: Path) -> None:
    write(own, "a", "---\ntitle: x\ndescription: 'Clean the columns'\n---\n\nClean {{columns}}.\n")
    write(own, "b", "First line\nSecond line")
    write(own, "c", "---\nnot closed")
    write(own, "d", "---\ndescription: only this\n---\n")
    recipes = list_recipes(None, NOTEBOOK, own)
    assert [(recipe.name, recipe.description, recipe.text) for recipe in recipes] == [
        ("a", "Clean the columns", "Clean {{columns}}."),
        ("b", "First line", "First line\nSecond line"),
        ("c", "---", "---\nnot closed"),
    ]


def test_nothing_outside_of_the_folders_is_read(root: Path, own: Path, tmp_path: Path) -> None:
    """P5: neither through links nor from pipes or other hidden folders."""
    outside = tmp_path / "outside"
    write(outside, "canary", "canary")
    write(root / ".secret", "canary", "canary")
    (root / ".aiserver").mkdir()
    (root / ".aiserver/recipes").symlink_to(outside)
    folder = root / "project/.aiserver/recipes"
    folder.mkdir(parents=True)
    (folder / "link.md").symlink_to(outside / "canary.md")
    (folder / "hidden.md").symlink_to("../../../.secret/canary.md")
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    write(folder, "two words", "canary")
    write(folder, "long", "x" * (MAX_BYTES + 1))
    write(folder, "empty", " \n")
    (folder / "data.md").write_bytes(b"\x00\x01")
    own.parent.mkdir(parents=True)
    own.mkdir()
    (own / "link.md").symlink_to(outside / "canary.md")
    assert listed(root, own) == {}
    assert listed(root, own, "../n.ipynb") == listed(root, own, ".secret/n.ipynb") == {}


def test_at_most_a_hundred_are_listed(own: Path) -> None:
    """P17."""
    for number in range(MAX_RECIPES + 5):
        write(own, f"r{number:03}", "x")
    assert len(list_recipes(None, NOTEBOOK, own)) == MAX_RECIPES


@pytest.mark.parametrize("name", ["clean", "清洗", "été", "हिन्दी", "plot-2_b", "x" * 64, "3d"])
def test_names_of_all_languages_are_valid(name: str, own: Path) -> None:
    """P24."""
    save_own(own, name, "text", replace=False)
    assert [recipe.name for recipe in list_recipes(None, NOTEBOOK, own)] == [name]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "x" * 65,
            "𠀀" * 60,
            "two words",
            "a/b",
            "a\\b",
            "..",
            ".hidden",
            "a.b",
            "a\0b",
            "-a",
        ),
        *("CON", "lpt1", "e\u0301te\u0301", "a\u200bb", "a\u202eb", "a:b", "😀", "a\n"),
    ],
)
def test_other_names_are_rejected(name: str, own: Path, root: Path) -> None:
    """P24, P5: a name is one name on every disk."""
    assert not is_name(name)
    with pytest.raises(RecipeNameRefused):
        save_own(own, name, "text", replace=True)
    with pytest.raises(RecipeNameRefused):
        save_in_project(str(root), NOTEBOOK, name, "text", replace=True)
    assert not own.exists() and not (root / "project/notes/.aiserver").exists()


def test_a_recipe_is_replaced_only_on_request(own: Path, root: Path) -> None:
    """P24: also on disks that ignore case."""
    save_own(own, "Clean", "first", replace=False)
    save_in_project(str(root), NOTEBOOK, "Clean", "first", replace=False)
    for name in ("Clean", "clean", "CLEAN"):
        with pytest.raises(RecipeExists):
            save_own(own, name, "second", replace=False)
        with pytest.raises(RecipeExists):
            save_in_project(str(root), NOTEBOOK, name, "second", replace=False)
    assert listed(root, own) == {"Clean": "first"}
    save_own(own, "clean", "second", replace=True)
    assert [path.name for path in own.iterdir()] == ["Clean.md"]
    assert listed(root, own) == {"Clean": "second"}


def test_files_are_private_and_without_secrets(own: Path, root: Path) -> None:
    """P7, P16."""
    save_own(own, "a", f"Use {SECRET}.", replace=False)
    save_in_project(str(root), NOTEBOOK, "b", f"Use {SECRET}.", replace=False)
    project = root / "project/notes/.aiserver/recipes"
    for folder, name in ((own, "a"), (project, "b")):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / f"{name}.md").stat().st_mode) == 0o600
        assert SECRET not in (folder / f"{name}.md").read_text("utf-8")
    assert set(listed(root, own).values()) == {"Use ‹redacted:openai-key›."}


def test_nothing_is_written_through_a_link(own: Path, root: Path, tmp_path: Path) -> None:
    """P5, P6."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "linked").symlink_to(outside)
    (root / "project/.aiserver").symlink_to(outside)
    (root / "project/notes/.aiserver").mkdir()
    (root / "project/notes/.aiserver/recipes").symlink_to(outside)
    for notebook in ("project/n.ipynb", NOTEBOOK):
        with pytest.raises(StorageError, match="could not be saved"):
            save_in_project(str(root), notebook, "a", "text", replace=True)
    for notebook in ("linked/n.ipynb", "../n.ipynb", "none/n.ipynb", ".hidden/n.ipynb"):
        with pytest.raises(NotFound):
            save_in_project(str(root), notebook, "a", "text", replace=True)
    with pytest.raises(NotFound):
        save_in_project(None, NOTEBOOK, "a", "text", replace=True)
    own.parent.mkdir(parents=True)
    own.symlink_to(outside)
    with pytest.raises(StorageError):
        save_own(own, "a", "text", replace=True)
    assert list(outside.iterdir()) == []
    # A link in place of the file is replaced, and not followed.
    (outside / "target").write_text("untouched")
    folder = root / ".aiserver/recipes"
    folder.mkdir(parents=True)
    (folder / "a.md").symlink_to(outside / "target")
    save_in_project(str(root), "n.ipynb", "a", "text", replace=True)
    assert (outside / "target").read_text() == "untouched"
    assert not (folder / "a.md").is_symlink()


def test_the_folder_of_the_settings_may_be_a_link(own: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    own.parent.parent.parent.mkdir(parents=True, exist_ok=True)
    own.parent.parent.symlink_to(tmp_path / "disk")
    save_own(own, "a", "text", replace=False)
    assert (own / "a.md").is_file()


def test_a_folder_that_cant_be_written_is_reported(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P20."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("aiserver.plugins.rules.recipes.replace_file", full)
    with pytest.raises(StorageError, match="could not be saved"):
        save_own(own, "a", "text", replace=False)


def test_a_text_is_read_as_it_was_saved(own: Path, root: Path) -> None:
    """Also if it looks like a description, or contains characters that aren't shown."""
    texts = {"a": "---\ndescription: not one\n---\nthe rest", "b": "bell\x07 and\u3164 filler"}
    for name, text in texts.items():
        save_own(own, name, text, replace=False)
    assert listed(root, own) == {"a": texts["a"], "b": "bell and filler"}


def test_a_replaced_recipe_stays_readable_for_others(own: Path, root: Path) -> None:
    save_in_project(str(root), NOTEBOOK, "a", "first", replace=False)
    file = root / "project/notes/.aiserver/recipes/a.md"
    file.chmod(0o644)
    save_in_project(str(root), NOTEBOOK, "a", "second", replace=True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
