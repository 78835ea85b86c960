"""The benchmark of the stores runs, and writes its tables."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks.contenders import report

ROOT = Path(__file__).parent.parent


@pytest.mark.thorough
@pytest.mark.timeout(400)  # many processes
def test_the_benchmark_runs(tmp_path: Path) -> None:
    """P23: neither concurrent writers nor a killed one lose a turn."""
    (tmp_path / "stores.md").write_text(f"before\n{report.BEGIN}\nbygone\n{report.END}\nafter\n")
    command = [sys.executable, "-m", "benchmarks.stores", "--quick", "--no-rivals"]
    options = ["--out", str(tmp_path), "--folder", str(tmp_path)]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "stores.md").read_text("utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "bygone" not in text
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ours: file")]
    assert len(rows) == 6, "save, load, history, CPU, many, lost"
    assert all(cell.startswith("0 of ") for cell in rows[-1][1:]), rows[-1]
    drawn = ET.parse(tmp_path / "images" / "stores.svg")
    assert len(drawn.findall(".//{*}polyline")) >= 12
