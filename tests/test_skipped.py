"""``make test`` ends with what was not tried; it says that all holds only where all was tried."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from .conftest import pytest_terminal_summary

SCRIPT = Path(__file__).parent.parent / "scripts" / "tell-skipped"


@pytest.mark.skipif(os.name == "nt", reason="make is for POSIX shells")
def test_the_last_line_names_what_was_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def told() -> str:
        return subprocess.check_output([SCRIPT, tmp_path / "skipped"], text=True).strip()

    assert told() == "All of it holds."
    monkeypatch.setenv("AISERVER_SKIPPED", str(tmp_path / "skipped" / "pytest"))
    pytest_terminal_summary(SimpleNamespace(stats={}))
    assert told() == "All of it holds."
    report = SimpleNamespace(longrepr=("file", 1, "Skipped: no disk here"))
    pytest_terminal_summary(SimpleNamespace(stats={"skipped": [report, report]}))
    (tmp_path / "skipped" / "audit").write_text("the look for known vulnerabilities\n")
    assert told() == (
        "What could be tried holds. NOT TRIED HERE: "
        "tests (no disk here); the look for known vulnerabilities."
    )
