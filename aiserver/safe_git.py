"""Run git in an untrusted repository without running the programs that its config names.

A folder that was unpacked, or that others can write, may contain a ``.git`` whose config makes git
run programs: a file monitor, hooks, transports for missing objects. Reading needs none of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_TIMEOUT = 5.0  # seconds
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "credential.helper": "",
}
_OPTIONS = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # no transport, whatever the config allows
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


def run_git(
    *words: str, folder: Path | None = None, stdin: bytes = b"", check: bool = True
) -> subprocess.CompletedProcess[bytes]:
    """Run git in ``folder``, ignoring GIT_* variables of this process.

    Raises FileNotFoundError if git isn't installed, OSError if the folder can't be entered, and
    subprocess.SubprocessError if git times out or, with ``check``, fails.
    """
    program = shutil.which("git")
    if program is None:
        raise FileNotFoundError("git")
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    return subprocess.run(
        [program, *_OPTIONS, *words],
        cwd=folder,
        input=stdin,
        env=environment | _ENVIRONMENT,
        capture_output=True,
        timeout=_TIMEOUT,
        check=check,
    )
