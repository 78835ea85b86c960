"""Find and read the rules files for a notebook, such as ``AGENTS.md``.

A rules file tells models the conventions of a project. It may come from another person's
repository.

Invariants:

- Only files with the names in ``NAMES`` are read, in the notebook's folder and in the folders above
  it, up to the folder that Jupyter serves. ``data_files/folder.py`` opens them.
- The text that a person sees is the text that a model gets, without invisible characters.
- ``read_used`` reads only files that a person has chosen, and only with the text that the person
  saw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...payload import Payload
from ...requests import UsedRulesFile
from ..data_files.folder import open_below, parts_below_root
from .visible_text import visible_text

# In a folder, the last one counts most.
NAMES = (".github/copilot-instructions.md", "CLAUDE.md", "AGENTS.md")
MAX_BYTES = 32_768  # of each file; the rest of a longer file is ignored
MAX_FILES = 20
MAX_FOLDERS = 32
TIMEOUT = 10.0  # seconds; if a disk is slower, there are no rules files and no recipes
_HIDDEN = frozenset([".github"])


@dataclass(frozen=True)
class RulesFile(Payload):
    """A rules file.

    ``path`` is relative to the folder that Jupyter serves. ``size`` is the number of bytes of the
    whole file. ``sha256`` is the digest of the bytes that were read, at most ``MAX_BYTES``.
    """

    path: str
    size: int
    sha256: str
    text: str


def list_files(root: str | None, notebook_path: str) -> list[RulesFile]:
    """Return the rules files for a notebook, those in its own folder last.

    ``root`` is the folder that Jupyter serves; None if notebooks aren't files. Files with the same
    bytes are all returned, because a person may have chosen to use any of them.
    """
    nearest: list[RulesFile] = []
    for path in reversed(_paths(notebook_path)):
        file = _read(root, path) if root else None
        if file is not None:
            nearest.append(file)
        if len(nearest) == MAX_FILES:
            break
    return nearest[::-1]


def read_used(
    root: str | None, notebook_path: str, used: Iterable[UsedRulesFile]
) -> list[RulesFile]:
    """Return the rules files for a notebook that a person has chosen to use, in the same order.

    Other files are left out, and so are files that have changed since the person saw their text.
    """
    sha256_by_path = {file.path: file.sha256 for file in used}
    paths = [path for path in _paths(notebook_path) if path in sha256_by_path]
    distinct: dict[str, RulesFile] = {}
    for path in reversed(paths):
        file = _read(root, path) if root else None
        if file is not None and file.sha256 == sha256_by_path[path]:
            distinct.setdefault(file.sha256, file)
    return list(reversed(distinct.values()))


def _paths(notebook_path: str) -> Sequence[str]:
    """Return the paths that rules files for a notebook may have, relative to the served folder."""
    parts = parts_below_root(notebook_path, "notebook")
    if parts is None:  # the notebook is in a hidden folder, or the path isn't valid
        return []
    folders = [parts[:depth] for depth in range(len(parts))][-MAX_FOLDERS:]
    return ["/".join([*folder, name]) for folder in folders for name in NAMES]


def _read(root: str, path: str) -> RulesFile | None:
    """Read a rules file; return None if it doesn't exist, isn't text or is empty."""
    with open_below(root, path.split("/"), hidden=_HIDDEN) as file:
        if file is None:
            return None
        try:
            size = file.seek(0, 2)
            file.seek(0)
            data = file.read(MAX_BYTES)
        except OSError:
            return None
    text = visible_text(data)
    return RulesFile(path, size, hashlib.sha256(data).hexdigest(), text) if text else None
