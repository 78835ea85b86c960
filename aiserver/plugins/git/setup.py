"""Set up the merge driver in a repository, and report its state.

The file ``.gitattributes`` at the top of the work tree contains the driver's name. This file is
committed, so all clones contain it. The driver's command is in the repository's config. Git doesn't
copy the config into clones, so the command has to be set up in each clone.

The command has two halves. The first half runs AI Server. If that fails, the second half makes git
merge by lines and leave conflict markers. Without the second half, git would keep our branch's
content of the file and drop the content of the other branch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ...durable import replace_file
from ...errors import AIServerError, NotFound, StorageReadOnly, UserText
from ...safe_git import run_git
from ...sessions.file.directory import FOLDER
from ...sessions.record.codec import DamagedData, has_markers
from . import driver

DRIVER = "aiserver"
COMMAND = (
    "jupyter aiserver git merge %O %A %B %P"
    " || git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B"
)
LINES = (
    f"**/{FOLDER}/*.json merge={DRIVER}",
    f"**/{FOLDER}/notebooks/*.jsonl merge={DRIVER}",
)
"""The lines of ``.gitattributes`` that make git use the merge driver for histories."""
READ_ONLY = UserText("The git repository could not be changed: its files are read-only or links.")
NO_REPOSITORY = UserText("This folder is not in a git repository.")
_SAMPLE_PATHS = (f"{FOLDER}/x.json", f"{FOLDER}/notebooks/x.jsonl")


def install() -> int:
    """Set up the repository of the current folder; return the exit status.

    Also merges the histories that git has left in conflict because it was not set up.
    """
    top = _top()
    has_new_lines = set_up_merging(top)
    print(f"git now merges the histories in {top}.")
    if count := merge_conflicts(top):
        print(f"Merged both sides of {count} histories. To continue: git add {FOLDER}")
    if has_new_lines:
        print("Commit .gitattributes, and run “jupyter aiserver git install” once in each clone.")
    return 0


def set_up_merging(folder: Path) -> bool:
    """Make git merge histories with the merge driver.

    Returns whether lines were added to ``.gitattributes``. If so, the file has to be committed.

    Raises NotFound if the folder isn't in a repository or git can't be used. If ``.gitattributes``
    is a link or a folder, raises StorageReadOnly; if it can't be read or written, raises OSError.
    """
    has_new_lines = _add_lines(_top(folder) / ".gitattributes", LINES)
    _git("config", f"merge.{DRIVER}.name", "AI Server histories", folder=folder)
    _git("config", f"merge.{DRIVER}.driver", COMMAND, folder=folder)
    return has_new_lines


def merge_conflicts(top: Path) -> int:
    """Merge both sides of each history that git has left in conflict; return their number.

    Both sides are read from git's index. If AI Server has written to the file since, so that it has
    no conflict markers, the result also has what the file has. The index doesn't change.
    """
    paths = {line.partition("\t")[2] for line in _git("ls-files", "-u", folder=top).splitlines()}
    count = 0
    for path in sorted(path for path in paths if FOLDER in Path(path).parts):
        file = top / path
        try:
            ours, theirs = (
                run_git("cat-file", "blob", f":{stage}:{path}", folder=top).stdout
                for stage in (2, 3)
            )
            merged = driver.merge_copies(b"", ours, theirs, path)
            data = file.read_bytes()
            if not has_markers(data):
                merged = driver.merge_copies(b"", merged, data, path)
            replace_file(file.parent, file.name, merged, shareable=True)
        except (subprocess.CalledProcessError, DamagedData, AIServerError, OSError):
            print(f"{path} could not be merged: restore it, for example with git checkout --ours.")
        else:
            count += 1
    return count


def ignore_histories(folder: Path) -> None:
    """Add a line to ``.gitignore``, so that git ignores histories.

    Raises NotFound if the folder isn't in a repository or git can't be used. If ``.gitignore`` is a
    link or a folder, raises StorageReadOnly; if it can't be read or written, raises OSError.
    """
    file, line = _top(folder) / ".gitignore", f"{FOLDER}/"
    _add_lines(file, (line,))
    if not _is_ignored(folder):  # a line further down in the file negates this line
        _add_lines(file, (line,), even_if_present=True)


def undecided_repository(folder: Path) -> Path | None:
    """Return the top of the work tree if nobody has decided what git does with the histories.

    Returns None if git ignores the histories in ``folder``, if they are committed, or if the merge
    driver is set up. Also returns None if ``folder`` isn't in a repository, or if git isn't
    installed or doesn't respond.
    """
    if not any((parent / ".git").exists() for parent in (folder, *folder.absolute().parents)):
        return None
    try:
        top = _top(folder)
        if _is_ignored(folder):
            return None
        if _git("ls-files", "--", FOLDER, check=False, folder=folder):
            return None  # the histories are committed, so .gitignore would have no effect
        if _git("config", "--get", f"merge.{DRIVER}.driver", check=False, folder=folder):
            return None
    except NotFound:
        return None
    return top


def _is_ignored(folder: Path) -> bool:
    return bool(_git("check-ignore", _SAMPLE_PATHS[0], check=False, folder=folder))


def _add_lines(file: Path, lines: Iterable[str], *, even_if_present: bool = False) -> bool:
    """Append to a file those of the ``lines`` that it doesn't contain yet.

    If ``even_if_present`` is set, append all of them. Returns whether any lines were appended.
    """
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise StorageReadOnly(READ_ONLY)
    data = file.read_bytes() if file.exists() else b""
    existing = data.decode("utf-8", "replace").splitlines()
    new_lines = [line for line in lines if even_if_present or line not in existing]
    if new_lines:
        newline = b"\r\n" if b"\r\n" in data else b"\n"
        old_lines = data if not data or data.endswith(b"\n") else data + newline
        file.write_bytes(old_lines + b"".join(line.encode() + newline for line in new_lines))
    return bool(new_lines)


def status() -> int:
    """Print which parts of the merge driver are set up; return 1 if any part is missing, else 0."""
    top = _top()
    attributes = _git("check-attr", "merge", "--", *_SAMPLE_PATHS).splitlines()
    has_lines = len(attributes) == len(_SAMPLE_PATHS) and all(
        line.endswith(f": {DRIVER}") for line in attributes
    )
    has_driver = _git("config", "--get", f"merge.{DRIVER}.driver", check=False) == COMMAND
    for is_ok, text in (
        (has_lines, f"{top / '.gitattributes'} names the merge driver"),
        (has_driver, "the git config defines the merge driver"),
        (has_command := _is_command_on_path(), "“jupyter aiserver” is on the PATH"),
    ):
        print(f"{'yes' if is_ok else 'no '}  {text}")
    if not has_lines or not has_driver:
        print("To set it up, run “jupyter aiserver git install”.")
    if not has_command:
        print("Activate the environment that has AI Server before you merge.")
    return 0 if has_lines and has_driver and has_command else 1


def _is_command_on_path() -> bool:
    """Return whether git will find the driver's command when the user runs git in a shell."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if len(folders) > 2 and Path(folders[0]) == Path(folders[-1]):
        folders = folders[1:-1]  # the command “jupyter” adds its own folder at both ends
    path = os.pathsep.join(folders)
    return all(shutil.which(name, path=path) for name in ("jupyter", "jupyter-aiserver"))


def _top(folder: Path | None = None) -> Path:
    """Return the top of the work tree that contains a folder. Raises NotFound."""
    top = Path(_git("rev-parse", "--show-toplevel", folder=folder) or os.devnull)
    if not (folder or Path.cwd()).resolve().is_relative_to(top.resolve()):
        # Either the folder isn't in a repository, or the repository's config contains the path of
        # another work tree.
        raise NotFound(NO_REPOSITORY)
    return top


def _git(*arguments: str, check: bool = True, folder: Path | None = None) -> str:
    """Run git in a folder and return its output.

    Raises NotFound if git isn't installed or doesn't respond or, with ``check``, if it fails.
    """
    try:
        process = run_git(*arguments, folder=folder, check=False)
    except FileNotFoundError as exc:
        raise NotFound(UserText("git is not installed.")) from exc
    except subprocess.TimeoutExpired as exc:
        raise NotFound(UserText("git does not answer here.")) from exc
    if check and process.returncode:
        raise NotFound(NO_REPOSITORY)
    return process.stdout.decode(sys.getfilesystemencoding(), "surrogateescape").rstrip("\n")
