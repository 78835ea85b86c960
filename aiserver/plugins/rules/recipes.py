"""List and save recipes: a person's own prompts, as Markdown files with parameters.

A recipe is offered as a slash word, which is the file's name without ``.md``. Recipes are in a
folder of the user, and in the folders ``.aiserver/recipes`` of the notebook's folder and of those
above it, up to the folder that Jupyter serves. Of several recipes with the same name, the user's
counts, else the nearest.

Invariants: nothing outside of these folders is read or written. A recipe is only replaced if the
caller says so. ``durable`` writes the files, and secrets in their texts are redacted.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...durable import ensure_folder, replace_file
from ...errors import NotFound, RecipeExists, RecipeNameRefused, StorageError, UserText
from ...payload import Payload
from ...redact import redact
from ..data_files.folder import list_below, open_below, parts_below_root
from .visible_text import visible_part, visible_text

MAX_RECIPES = 100
MAX_BYTES = 20_480  # of each file; longer files are ignored
MAX_NAME = 64  # characters
MAX_DESCRIPTION = 100  # characters
_MAX_ENTRIES = 1000  # of each folder
_MAX_FOLDERS = 32
_PROJECT_FOLDER = (".aiserver", "recipes")
_HIDDEN = frozenset(_PROJECT_FOLDER[:1])
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_DESCRIPTION = re.compile(r"^description:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_WINDOWS_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
_NOT_SAVED = UserText("The recipe could not be saved. Check the permissions of its folder.")
_NO_FOLDER = UserText("The notebook’s folder was not found.")


@dataclass(frozen=True)
class Recipe(Payload):
    """A recipe. ``is_own`` means that it is in the user's folder, not in the project's.

    ``name`` is the slash word without the slash. Parameters in the ``text`` of the request are
    written as ``{{name}}`` or ``{{name=default}}``.
    """

    name: str
    description: str
    text: str
    is_own: bool


def list_recipes(root: str | None, notebook_path: str, own_folder: Path) -> list[Recipe]:
    """Return the recipes for a notebook, sorted by name.

    ``root`` is the folder that Jupyter serves; None if notebooks aren't files.
    """
    own = _read_folder(str(own_folder), [], is_own=True)
    projects = [
        _read_folder(root, [*folder, *_PROJECT_FOLDER], is_own=False)
        for folder in reversed(_folders(notebook_path))
        if root is not None
    ]
    recipes: dict[str, Recipe] = {}
    for recipe in itertools.chain(own, *projects):
        if len(recipes) < MAX_RECIPES:
            recipes.setdefault(recipe.name.casefold(), recipe)
    return [recipes[name] for name in sorted(recipes)]


def save_own(own_folder: Path, name: str, text: str, *, replace: bool) -> None:
    """Save a recipe in the user's folder. Raises the errors of ``save_in_project``."""
    _check_name(name)
    try:
        own_folder.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise StorageError(_NOT_SAVED) from exc
    _save([own_folder.parent, own_folder], name, text, replace=replace)


def save_in_project(
    root: str | None, notebook_path: str, name: str, text: str, *, replace: bool
) -> None:
    """Save a recipe in the folder ``.aiserver/recipes`` of the notebook's folder.

    Raises RecipeNameRefused for an invalid name, NotFound if the notebook isn't in a folder below
    ``root``, RecipeExists if there is a recipe with this name and ``replace`` isn't set, and
    StorageError if the file can't be written.
    """
    _check_name(name)
    folders = _folders(notebook_path)
    if root is None or not folders:
        raise NotFound(_NO_FOLDER)
    base = os.path.realpath(root)
    folder = Path(base, *folders[-1])
    if os.path.realpath(folder) != str(folder) or not folder.is_dir():  # it is or contains a link
        raise NotFound(_NO_FOLDER)
    hidden = folder / _PROJECT_FOLDER[0]
    _save([hidden, hidden / _PROJECT_FOLDER[1]], name, text, replace=replace)


def _save(folders: list[Path], name: str, text: str, *, replace: bool) -> None:
    """Write a recipe into the last of ``folders``, after creating those that don't exist."""
    try:
        for folder in folders:
            ensure_folder(folder)
        entries = [entry.name for entry in folder.iterdir()]
        same = [entry for entry in entries if _is_same(entry, f"{name}.md")]
        if same and not replace:
            raise RecipeExists
        # A replaced file keeps its name, even if only its case is different.
        stored = redact(visible_part(text), is_prose=True)
        # A text that begins with a line of hyphens would be taken for a description.
        begin = "---\n---\n" if stored.startswith("---") else ""
        file_name = same[0] if same else f"{name}.md"
        # A recipe that others can read stays readable for them.
        mode = stat.S_IMODE((folder / file_name).lstat().st_mode) if same else None
        replace_file(folder, file_name, f"{begin}{stored}\n".encode())
        if mode is not None:
            (folder / file_name).chmod(mode)
    except (OSError, StorageError) as exc:
        raise StorageError(_NOT_SAVED) from exc


def _is_same(left: str, right: str) -> bool:
    """Return whether two names are the same on disks that ignore case or Unicode forms."""
    return _folded(left) == _folded(right)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _check_name(name: str) -> None:
    if not is_name(name):
        raise RecipeNameRefused


def is_name(name: str) -> bool:
    """Return whether a recipe can have this name, in which letters of all languages may occur."""
    return (
        0 < len(name) <= MAX_NAME
        and len(name.encode("utf-8", "replace")) <= 200  # bytes; disks allow 255 with the suffix
        and unicodedata.normalize("NFC", name) == name
        and name[0] not in "-_"
        and not _WINDOWS_DEVICE.fullmatch(name)
        and all(c.isalnum() or c in "-_" or unicodedata.category(c)[0] == "M" for c in name)
    )


def _folders(notebook_path: str) -> list[list[str]]:
    """Return the parts of the folders from the served folder to the notebook's; [] if invalid."""
    parts = parts_below_root(notebook_path, "notebook")
    return [parts[:depth] for depth in range(len(parts))][-_MAX_FOLDERS:] if parts else []


def _read_folder(root: str, parts: list[str], *, is_own: bool) -> Iterator[Recipe]:
    names = list_below(root, parts, hidden=_HIDDEN, limit=_MAX_ENTRIES)
    for file_name in sorted(name for name in names if name.endswith(".md")):
        name = unicodedata.normalize("NFC", file_name.removesuffix(".md"))
        if not is_name(name):
            continue
        with open_below(root, [*parts, file_name], hidden=_HIDDEN) as file:
            try:
                data = file.read(MAX_BYTES + 1) if file is not None else b""
            except OSError:
                continue
        text = visible_text(data) if len(data) <= MAX_BYTES else ""
        front_matter = _FRONT_MATTER.match(text)
        prompt = text[front_matter.end() :].strip() if front_matter else text
        if prompt:
            given = _DESCRIPTION.search(front_matter[1]) if front_matter else None
            description = given[1].strip("\"'") if given and given[1] else prompt.split("\n")[0]
            yield Recipe(name, description[:MAX_DESCRIPTION], prompt, is_own)
