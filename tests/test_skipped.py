"""``make test`` ends with the list of skipped tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from .conftest import pytest_terminal_summary

SCRIPT = Path(__file__).parent.parent / "scripts" / "report-skipped"


@pytest.mark.skipif(os.name == "nt", reason="make is for POSIX shells")
def test_the_last_line_lists_skipped_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def last_line() -> str:
        return subprocess.check_output([SCRIPT, tmp_path / "skipped"], text=True).strip()

    assert last_line() == "All checks passed."
    monkeypatch.setenv("AISERVER_SKIPPED", str(tmp_path / "skipped" / "pytest"))
    pytest_terminal_summary(SimpleNamespace(stats={}))
    assert last_line() == "All checks passed."
    report = SimpleNamespace(longrepr=("file", 1, "Skipped: no disk here"))
    pytest_terminal_summary(SimpleNamespace(stats={"skipped": [report, report]}))
    (tmp_path / "skipped" / "audit").write_text("the check for known vulnerabilities\n")
    assert last_line() == (
        "All checks that could run passed. SKIPPED HERE: "
        "tests (no disk here); the check for known vulnerabilities."
    )
