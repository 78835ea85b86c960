"""Run the merge driver in this process; git starts only a small client per file.

Starting the real command takes a quarter of a second per file; other tests do that.
"""

from __future__ import annotations

import json
import os
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiserver.plugins.git import driver

_CLIENT = """\
import json, os, socket, sys
sent = {"words": sys.argv[2:], "heads": [one for one in os.environ if one[:8] == "GITHEAD_"]}
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as wire:
    wire.sendall(json.dumps(sent).encode() + b"\\n")
    sys.exit(int(wire.recv(10)))
"""


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        request: dict[str, Any] = json.loads(self.rfile.readline())
        self.server.files += 1  # type: ignore[attr-defined]
        os.environ.update(dict.fromkeys(request["heads"], ""))
        try:
            self.wfile.write(b"%d" % driver.merge(*request["words"]))
        finally:
            for name in request["heads"]:
                del os.environ[name]


class QuickDriver(socketserver.TCPServer):
    """Merges the files that clients name, relative to the current folder."""

    files = 0
    """The number of merged files."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._client = folder / "client.py"
        self._client.write_text(_CLIENT, "utf-8")

    @property
    def command(self) -> str:
        """Return the command for git's config."""
        program = Path(sys.executable).as_posix()
        port = self.server_address[1]
        return f'"{program}" -ISs "{self._client.as_posix()}" {port} %O %A %B %P'


@contextmanager
def quick_driver(folder: Path) -> Iterator[QuickDriver]:
    """Run a driver until the block ends."""
    with QuickDriver(folder) as driver:
        thread = threading.Thread(target=driver.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield driver
        finally:
            driver.shutdown()
            thread.join()
