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
from pathlib import Path

from ..errors import InvalidRequest
from ..sessions.root import FOLDER

DRIVER = "aiserver"
COMMAND = (
    "jupyter aiserver git merge %O %A %B %P"
    " || git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B"
)
LINES = (
    f"**/{FOLDER}/*.json merge={DRIVER}",
    f"**/{FOLDER}/notebooks/*.jsonl merge={DRIVER}",
)
_PROBES = (f"{FOLDER}/x.json", f"{FOLDER}/notebooks/x.jsonl")


def install() -> int:
    """Add the lines and the config that are missing."""
    top = _top()
    file = top / ".gitattributes"
    text = file.read_text("utf-8") if file.exists() else ""
    missing = [line for line in LINES if line not in text.splitlines()]
    if missing:
        start = text if not text or text.endswith("\n") else text + "\n"
        file.write_text(start + "".join(line + "\n" for line in missing), "utf-8", newline="\n")
    _git("config", f"merge.{DRIVER}.name", "AI Server histories")
    _git("config", f"merge.{DRIVER}.driver", COMMAND)
    print(f"git merges the histories in {top} from now on.")
    if missing:
        print("Commit .gitattributes. Each clone runs “jupyter aiserver git install” once.")
    return 0


def status() -> int:
    """Say what is set up; exit status 1 if git would leave conflicts."""
    top = _top()
    found = _git("check-attr", "merge", "--", *_PROBES).splitlines()
    has_lines = len(found) == len(_PROBES) and all(line.endswith(f": {DRIVER}") for line in found)
    has_driver = _git("config", "--get", f"merge.{DRIVER}.driver", check=False) == COMMAND
    for is_there, text in (
        (has_lines, f"{top / '.gitattributes'} names the merge driver"),
        (has_driver, "the repository's config says what it runs"),
        (has_command := _finds_command(), "“jupyter aiserver” is on the PATH"),
    ):
        print(f"{'yes' if is_there else 'no '}  {text}")
    if not has_lines or not has_driver:
        print("“jupyter aiserver git install” sets it up.")
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


def _top() -> Path:
    return Path(_git("rev-parse", "--show-toplevel"))


def _git(*words: str, check: bool = True) -> str:
    try:
        found = subprocess.run(["git", *words], capture_output=True, check=False)
    except OSError as exc:
        raise InvalidRequest("git is not installed.") from exc
    if check and found.returncode:
        raise InvalidRequest("This folder is in no git repository.")
    return found.stdout.decode(sys.getfilesystemencoding(), "surrogateescape").rstrip("\n")
