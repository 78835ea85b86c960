"""Set the merge driver up in a repository, and say whether it is.

``.gitattributes`` at the top of the work tree names the driver, and is committed: it holds for all
who clone. What the driver runs stands in the repository's own config, which each clone sets up.
Where that can't be run, or can't merge a file, git merges by lines and leaves its marks: else the
file would hold our side alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ..errors import NotFound, StorageReadOnly
from ..safe_git import run_git
from ..sessions.file.root import FOLDER

DRIVER = "aiserver"
COMMAND = (
    "jupyter aiserver git merge %O %A %B %P"
    " || git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B"
)
LINES = (
    f"**/{FOLDER}/*.json merge={DRIVER}",
    f"**/{FOLDER}/notebooks/*.jsonl merge={DRIVER}",
)
READ_ONLY = "The git repository could not be changed: its files are read-only or links."
NO_REPOSITORY = "This folder is not in a git repository."
_PROBES = (f"{FOLDER}/x.json", f"{FOLDER}/notebooks/x.jsonl")


def install() -> int:
    """Add the lines and the config that are missing, where the command is run."""
    top = _top()
    has_added = keep(top)
    print(f"git now merges the histories in {top}.")
    if has_added:
        print("Commit .gitattributes, and run “jupyter aiserver git install” once in each clone.")
    return 0


def keep(folder: Path) -> bool:
    """Have git merge histories; say whether ``.gitattributes`` has got lines to be committed.

    Raises NotFound if the folder is in no repository, StorageReadOnly, OSError.
    """
    has_added = _add_lines(_top(folder) / ".gitattributes", LINES)
    _git("config", f"merge.{DRIVER}.name", "AI Server histories", folder=folder)
    _git("config", f"merge.{DRIVER}.driver", COMMAND, folder=folder)
    return has_added


def ignore(folder: Path) -> None:
    """Have git ignore histories, by a line in ``.gitignore``. Raises as ``keep``."""
    file, line = _top(folder) / ".gitignore", f"{FOLDER}/"
    _add_lines(file, (line,))
    if not _is_ignored(folder):  # a later line negates it
        _add_lines(file, (line,), again=True)


def undecided(folder: Path) -> Path | None:
    """The top of the work tree if histories in ``folder`` are neither ignored nor kept.

    None also where git isn't installed or doesn't answer.
    """
    if not any((one / ".git").exists() for one in (folder, *folder.absolute().parents)):
        return None
    try:
        top = _top(folder)
        if _is_ignored(folder):
            return None
        if _git("ls-files", "--", FOLDER, check=False, folder=folder):
            return None  # they are committed, and no line in .gitignore would change that
        if _git("config", "--get", f"merge.{DRIVER}.driver", check=False, folder=folder):
            return None
    except NotFound:
        return None
    return top


def _is_ignored(folder: Path) -> bool:
    return bool(_git("check-ignore", _PROBES[0], check=False, folder=folder))


def _add_lines(file: Path, lines: Iterable[str], *, again: bool = False) -> bool:
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise StorageReadOnly(READ_ONLY)
    data = file.read_bytes() if file.exists() else b""
    there = data.decode("utf-8", "replace").splitlines()
    missing = [line for line in lines if again or line not in there]
    if missing:
        end = b"\r\n" if b"\r\n" in data else b"\n"
        start = data if not data or data.endswith(b"\n") else data + end
        file.write_bytes(start + b"".join(line.encode() + end for line in missing))
    return bool(missing)


def status() -> int:
    """Say what is set up; exit status 1 if git would leave conflicts."""
    top = _top()
    found = _git("check-attr", "merge", "--", *_PROBES).splitlines()
    has_lines = len(found) == len(_PROBES) and all(line.endswith(f": {DRIVER}") for line in found)
    has_driver = _git("config", "--get", f"merge.{DRIVER}.driver", check=False) == COMMAND
    for is_there, text in (
        (has_lines, f"{top / '.gitattributes'} names the merge driver"),
        (has_driver, "the git config defines the merge driver"),
        (has_command := _finds_command(), "“jupyter aiserver” is on the PATH"),
    ):
        print(f"{'yes' if is_there else 'no '}  {text}")
    if not has_lines or not has_driver:
        print("To set it up, run “jupyter aiserver git install”.")
    if not has_command:
        print("Activate the environment that has AI Server before you merge.")
    return 0 if has_lines and has_driver and has_command else 1


def _finds_command() -> bool:
    """Whether git, started in this shell, finds the command of the driver."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if len(folders) > 2 and Path(folders[0]) == Path(folders[-1]):
        folders = folders[1:-1]  # the command “jupyter” has put its own folder around the PATH
    path = os.pathsep.join(folders)
    return all(shutil.which(name, path=path) for name in ("jupyter", "jupyter-aiserver"))


def _top(folder: Path | None = None) -> Path:
    top = Path(_git("rev-parse", "--show-toplevel", folder=folder) or os.devnull)
    if not (folder or Path.cwd()).resolve().is_relative_to(top.resolve()):
        raise NotFound(NO_REPOSITORY)  # or the repository's config names a work tree elsewhere
    return top


def _git(*words: str, check: bool = True, folder: Path | None = None) -> str:
    try:
        done = run_git(*words, folder=folder, check=False)
    except FileNotFoundError as exc:
        raise NotFound("git is not installed.") from exc
    except subprocess.TimeoutExpired as exc:
        raise NotFound("git does not answer here.") from exc
    if check and done.returncode:
        raise NotFound(NO_REPOSITORY)
    return done.stdout.decode(sys.getfilesystemencoding(), "surrogateescape").rstrip("\n")
