"""Read commits of notebooks, and write notes, with git.

Invariant: a note that another program writes at the same time isn't lost: the reference of the
notes changes only if it is still as it was read.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ....errors import SettingError
from ....safe_git import blob_id, run_git
from .git_note import REFERENCE

_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class ChangedFile(NamedTuple):
    """A file that a commit changes: its path in the repository, its bytes, and the new lines."""

    path: str
    data: bytes
    added: frozenset[int]


class Commit(NamedTuple):
    """A commit: the folder of its work tree, its id, author (``Name <email>``) and parents."""

    folder: Path
    id: str
    author: str
    parents: tuple[str, ...]


def find_commit(revision: str, folder: Path | None = None) -> Commit:
    """Return the commit of a revision in the repository of a folder. Raises SettingError."""
    with _failures(f"There is no commit “{revision}” here."):
        top = Path(_git("rev-parse", "--show-toplevel", folder=folder))
        name = f"{revision}^{{commit}}"
        id_ = _git("rev-parse", "--verify", "--end-of-options", name, folder=top)
        options = ("-1", "--no-show-signature", "--encoding=UTF-8", "--format=%an <%ae>%n%P")
        described = _git("log", *options, id_, folder=top)
    author, _, parents = described.partition("\n")
    return Commit(top, id_, author, tuple(parents.split()))


def changed_notebooks(commit: Commit) -> list[ChangedFile]:
    """Return the notebooks with lines that no parent of the commit has. Raises SettingError."""
    folder, files = commit.folder, []
    with _failures("The commit can't be read."):
        empty_tree = _git("hash-object", "-t", "tree", "--stdin", folder=folder)
        changes = [_changed(folder, parent, commit.id) for parent in commit.parents or [empty_tree]]
        for path, (_, blob) in changes[0].items():
            if all(path in change for change in changes):
                data = run_git("cat-file", "blob", blob, folder=folder).stdout
                count = data.count(b"\n") + 1
                new = [_added_lines(folder, change[path][0], blob, count) for change in changes]
                files.append(ChangedFile(path, data, frozenset.intersection(*new)))
    return files


def committed_as(path: Path, data: bytes) -> tuple[str, str | None]:
    """Return a file's path in its repository and the current commit, if that has these bytes.

    Otherwise, return the file's name and None.
    """
    folder = path.resolve().parent
    with contextlib.suppress(SettingError, ValueError), _failures(""):
        top = Path(_git("rev-parse", "--show-toplevel", folder=folder)).resolve()
        name = path.resolve().relative_to(top).as_posix()
        commit, committed = _git("rev-parse", "HEAD", f"HEAD:{name}", folder=top).split("\n")
        if committed == blob_id(data, top):
            return name, commit
    return path.name, None


def update_note(commit: Commit, change: Callable[[str | None], str | None]) -> bool:
    """Replace a commit's note by what ``change`` returns for it; return whether it has changed.

    The change may return None, for no change. Raises SettingError, also if another program has
    changed the notes meanwhile.
    """
    folder, draft = commit.folder, f"refs/notes/aiserver-{uuid.uuid4().hex}"
    with _failures("The note can't be written. Does git know your name and e-mail address?"):
        old = _git("for-each-ref", "--format=%(objectname)", REFERENCE, folder=folder)
        if old:
            _git("update-ref", draft, old, folder=folder)
        try:
            note = change(_note(folder, draft, commit.id))
            if note is None:
                return False
            data = note.encode("utf-8", "surrogateescape")
            blob = _git("hash-object", "-w", "--stdin", folder=folder, stdin=data)
            _git("notes", f"--ref={draft}", "add", "-f", "-C", blob, commit.id, folder=folder)
            new = _git("rev-parse", draft, folder=folder)
            _git("update-ref", REFERENCE, new, old or "0" * len(new), folder=folder)
        finally:
            run_git("update-ref", "-d", draft, folder=folder, check=False)
    return True


def _note(folder: Path, reference: str, commit: str) -> str | None:
    listed = run_git("notes", f"--ref={reference}", "list", commit, folder=folder, check=False)
    if listed.returncode:
        return None
    note = run_git("cat-file", "blob", listed.stdout.decode().strip(), folder=folder).stdout
    return note.decode("utf-8", "surrogateescape")


def _changed(folder: Path, parent: str, commit: str) -> dict[str, tuple[str, str]]:
    """Return the old and the new blobs of the notebooks that differ, by path."""
    options = ("-r", "-z", "-M", "--diff-filter=AMR")
    output = run_git("diff-tree", *options, parent, commit, "--", "*.ipynb", folder=folder).stdout
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    changed = {}
    for description in filter(None, fields):
        _, mode, old, new, status = description.split(" ")
        path = next(fields)
        path = next(fields) if status[0] == "R" else path
        if mode.startswith("100"):  # not a link
            changed[path] = old, new
    return changed


def _added_lines(folder: Path, old: str, new: str, count: int) -> frozenset[int]:
    """Return the lines of a blob, of ``count``, that the old one doesn't have."""
    if not old.strip("0"):
        return frozenset(range(1, count + 1))
    options = ("-U0", "--no-color", "--no-ext-diff", "--no-textconv")
    diff = run_git("diff", *options, old, new, folder=folder).stdout
    numbers: set[int] = set()
    for match in _HUNK.finditer(diff):
        first = int(match[1])
        numbers.update(range(first, first + int(match[2] or 1)))
    return frozenset(numbers)


def _git(*arguments: str, folder: Path | None, stdin: bytes = b"") -> str:
    output = run_git(*arguments, folder=folder, stdin=stdin).stdout
    return output.decode("utf-8", "surrogateescape").rstrip("\n")


@contextlib.contextmanager
def _failures(sentence: str) -> Iterator[None]:
    """Raise SettingError with a sentence if git fails."""
    try:
        yield
    except FileNotFoundError as error:
        raise SettingError("git isn't installed.") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise SettingError(sentence) from error
