"""Run git in an untrusted repository without running the programs that its config names.

If a folder was unpacked from an archive, or if other users can write in it, the config in its
``.git`` may make git run programs: a file monitor, hooks, transports for missing objects. AI Server
reads from such a repository, and can set up the merge driver in the repository's config. Neither
task needs these programs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_TIMEOUT = 5.0  # seconds
_SETTINGS = {  # as options of the command line, these settings override the repository's config
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "credential.helper": "",
}
_OPTIONS = [option for name, value in _SETTINGS.items() for option in ("-c", f"{name}={value}")]
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # no connections, even if the config allows them
    "GIT_NO_LAZY_FETCH": "1",  # no download of missing objects
    "GIT_OPTIONAL_LOCKS": "0",  # no update of the index as a side effect
    "GIT_TERMINAL_PROMPT": "0",  # no question to the user
}


def run_git(
    *arguments: str, folder: Path | None = None, stdin: bytes = b"", check: bool = True
) -> subprocess.CompletedProcess[bytes]:
    """Run git in ``folder`` or, if it is None, in the current folder. Return the finished process.

    The environment variables of this process that begin with GIT_ aren't passed on.

    Raises FileNotFoundError if git isn't installed, OSError if the folder can't be entered, and
    subprocess.TimeoutExpired if git doesn't end within five seconds. If ``check`` is true, also
    raises subprocess.CalledProcessError if git returns an error code.
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
