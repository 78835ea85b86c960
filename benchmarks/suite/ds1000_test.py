"""Run the test that a problem of DS-1000 has, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TIMEOUT = 120  # seconds, as some tests draw and compare pictures


def passes(test: str, code: str) -> bool:
    """Return whether code passes a test, which is the problem's ``code_context``.

    The test puts the code in the place of ``[insert]`` in its ``exec_context``. The process has an
    empty folder, because tests of plots write their pictures into it.
    """
    program = (
        f"{test}\n"
        f"code = {_without_magics(code)!r}\n"
        "test_execution(code)\n"
        "if 'test_string' in globals():\n"
        "    test_string(code)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run_test.py"
        path.write_text(program, "utf-8")
        try:
            process = subprocess.run(
                [sys.executable, path.name],
                cwd=folder,
                env={**os.environ, "MPLBACKEND": "Agg"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            return False
    return process.returncode == 0


def _without_magics(code: str) -> str:
    """Return the code without the lines that only IPython understands, such as ``%matplotlib``."""
    return "\n".join(line for line in code.split("\n") if not line.lstrip().startswith(("%", "!")))
