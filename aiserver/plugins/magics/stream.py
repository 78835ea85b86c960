"""Read the events of an answer, and generate in a child process where no Jupyter server runs.

The child (``plugins/ask/child.py``) gets the request's body on its standard input, and writes the
server's events to its standard output, until its input is closed or the answer is complete. So the
server's packages stay out of the kernel.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...running_servers.client import ServerError

_MODULE = "aiserver.plugins.ask.child"
_NEEDED = ("jupyter_server", "pydantic", "langchain_core")
_STOP_TIMEOUT = 15.0  # seconds for the child to stop the model and save the turn

_MISSING = (
    "No Jupyter server runs for this folder, and AI Server is not completely installed here. Start "
    "Jupyter in this folder, or run “pip install aiserver”."
)


@contextmanager
def stream_from_child(body: Mapping[str, Any]) -> Iterator[Iterator[bytes]]:
    """Yield the lines of a generation's events; at the end, stop it.

    Raises ServerError without the server's packages.
    """
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        raise ServerError(_MISSING)
    # Ctrl+C must not reach the child, which ends with its input.
    is_windows = sys.platform == "win32"
    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) if is_windows else 0
    process = subprocess.Popen(
        [sys.executable, "-m", _MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=not is_windows,
        creationflags=flags,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        # If the child ends at once, its events say why.
        with contextlib.suppress(OSError):
            line = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            process.stdin.write(line + b"\n")
            process.stdin.flush()
        yield iter(process.stdout)
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdout.close()  # the child must not wait for a reader
        try:
            process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def read_events(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and data of server-sent events, without comments. Raises ServerError."""
    name = ""
    for line in lines:
        key, _, value = line.rstrip(b"\r\n").partition(b": ")
        if key == b"event":
            name = value.decode("utf-8", "replace")
        elif key == b"data":
            try:
                data = json.loads(value)
            except ValueError:
                data = None
            if not name or not isinstance(data, dict):
                raise ServerError("The Jupyter server’s answer can’t be read.")
            yield name, data
