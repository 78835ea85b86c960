"""Run git in an untrusted repository without running the programs that its config names.

In a folder from an archive, or in which others can write, ``.git/config`` may name a file monitor,
hooks and transports for missing objects.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_TIMEOUT = 5.0  # seconds
_SETTINGS = {  # options of the command line override the repository's config
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "credential.helper": "",
}
_OPTIONS = [option for name, value in _SETTINGS.items() for option in ("-c", f"{name}={value}")]
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # no connections
    "GIT_NO_LAZY_FETCH": "1",  # no downloads
    "GIT_OPTIONAL_LOCKS": "0",  # no update of the index
    "GIT_TERMINAL_PROMPT": "0",  # no question to the user
}


def blob_id(data: bytes, folder: Path) -> str:
    """Return the id that a file with these bytes has in a repository. Raises like ``run_git``."""
    return run_git("hash-object", "--stdin", folder=folder, stdin=data).stdout.decode().strip()


def run_git(
    *arguments: str, folder: Path | None = None, stdin: bytes = b"", check: bool = True
) -> subprocess.CompletedProcess[bytes]:
    """Run git in ``folder``, by default the current one.

    Environment variables that begin with GIT_ aren't passed on.

    Raises FileNotFoundError if git isn't installed, OSError if the folder can't be entered,
    subprocess.TimeoutExpired after five seconds and, with ``check``, subprocess.CalledProcessError.
    """
    program = shutil.which("git")
    if program is None:
        raise FileNotFoundError("git")
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    return subprocess.run(
        [program, *_OPTIONS, *arguments],
        cwd=folder,
        input=stdin,
        env=environment | _ENVIRONMENT,
        capture_output=True,
        timeout=_TIMEOUT,
        check=check,
    )
