"""Measure the time that AI Server adds to the start of a Jupyter server.

    python -m benchmarks.start

Two times are measured, each in many new processes: the time to import the extension after
jupyter_server was imported, and the time until a server answers. The latter is measured
alternately with and without the extension.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from urllib.error import URLError
from urllib.request import urlopen

from tests.ports import ReservedPort

IMPORTS = 15
STARTS = 7
IMPORT = """
import time
import jupyter_server.serverapp, jupyter_server.extension.application
began = time.perf_counter()
import aiserver
aiserver._jupyter_server_extension_points()
print((time.perf_counter() - began) * 1000)
"""


def import_ms() -> float:
    """Return how many milliseconds the import takes in a new process."""
    result = subprocess.run(
        [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
    )
    return float(result.stdout)


def start_s(enabled: bool, root: str) -> float:
    """Return how many seconds a new server needs until it answers, with or without AI Server."""
    with ReservedPort() as reserved:
        return _start_s(enabled, root, reserved.number)


def _start_s(enabled: bool, root: str, port: int) -> float:
    command = [
        *(sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"),
        *(f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={root}"),
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        f"--ServerApp.jpserver_extensions={{'aiserver': {enabled}, 'jupyterlab': False}}",
    ]
    env = os.environ | {"JUPYTER_CONFIG_DIR": root, "JUPYTER_NO_CONFIG": "1"}
    started = time.perf_counter()
    server = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                urlopen(f"http://127.0.0.1:{port}/api").close()
                return time.perf_counter() - started
            except (URLError, ConnectionError):
                if server.poll() is not None:
                    raise SystemExit("The server did not start.") from None
                time.sleep(0.005)
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Measure both times and print the medians."""
    imports = [import_ms() for _ in range(IMPORTS)]
    print(f"import of the extension: {statistics.median(imports):.1f} ms (target < 50 ms)")
    with tempfile.TemporaryDirectory() as root:
        pairs = [(start_s(True, root), start_s(False, root)) for _ in range(STARTS)]
    with_it, without = (statistics.median(column) for column in zip(*pairs, strict=True))
    added = statistics.median(a - b for a, b in pairs) * 1000
    print(f"server answers after {with_it:.2f} s with AI Server, {without:.2f} s without")
    print(f"difference, median of pairs: {added:.0f} ms (target < 50 ms)")


if __name__ == "__main__":
    main()
