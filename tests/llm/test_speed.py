"""Measuring how fast a local model writes, with the scripted model in the child's place."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from langchain_core.messages import HumanMessage

from aiserver.plugins.local_models import machine, speed, weights
from aiserver.plugins.local_models.catalogue import CATALOGUE, SMALLEST
from aiserver.plugins.local_models.model import LocalModel, SpeedMeter

from .test_local import child, model_fixture

__all__ = ["model_fixture"]  # a fixture


@pytest.fixture(name="weights")
def weights_fixture(tmp_path: Path) -> Path:
    """A fake model file, whose words control the fake child."""
    path = tmp_path / "model.gguf"
    path.write_text("serve")
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    return tmp_path / "models"


def test_speeds_are_stored_for_this_machine_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert speed.stored() == {}
    speed.store(SMALLEST, 21.04)
    speed.store(CATALOGUE[1], 9.5)
    assert speed.stored() == {SMALLEST.name: 21.0, CATALOGUE[1].name: 9.5}
    # A shared home folder is also used on a larger machine.
    monkeypatch.setattr(machine, "cores", lambda: 999)
    assert speed.stored() == {}
    speed.store(SMALLEST, 99)
    assert speed.stored() == {SMALLEST.name: 99.0}
    monkeypatch.undo()
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(folder))
    assert speed.stored() == {SMALLEST.name: 21.0, CATALOGUE[1].name: 9.5}


async def test_the_speed_of_answers_is_reported(model: LocalModel) -> None:
    speeds: list[float] = []
    model._on_speed = speeds.append
    chunks = [f"a{number:02}\n" for number in range(41)]
    await child(model, "POST", "/script", [{"chunks": chunks, "delay": 0.02}, {"text": "short"}])
    for _ in range(2):  # the second answer is too short
        async for _ in model.stream([HumanMessage("x")], language="python"):
            pass
        assert model._speed_report is not None
        await model._speed_report
    assert len(speeds) == 1 and speeds[0] > 0


def test_the_first_piece_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(step=0.5)
    fake_time = SimpleNamespace(monotonic=lambda: next(clock))
    monkeypatch.setattr("aiserver.plugins.local_models.model.time", fake_time)
    meter = SpeedMeter()
    assert meter.speed(100) is None
    for piece in ("x" * 60, "", "x" * 20, "x" * 20):
        meter.add(piece)
    # Of 100 tokens, 40 were written after the first piece, in a second.
    assert meter.speed(100) == pytest.approx(40)
    assert meter.speed(30) is None  # only 12 of them after the first piece


def test_pieces_that_arrive_all_at_once_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(step=0.001)
    fake_time = SimpleNamespace(monotonic=lambda: next(clock))
    monkeypatch.setattr("aiserver.plugins.local_models.model.time", fake_time)
    meter = SpeedMeter()
    for _ in range(100):
        meter.add("x" * 4)
    assert meter.speed(100) is None


def test_only_a_faster_answer_replaces_a_speed(folder: Path) -> None:
    for measured, stored in ((10.0, 10.0), (8.0, 10.0), (12.0, 12.0), (3965.0, 12.0)):
        speed.store_faster(SMALLEST, measured)
        assert speed.stored() == {SMALLEST.name: stored}
    (folder / "speeds.json").unlink()
    (folder / "speeds.json").mkdir()  # so that nothing can be stored
    speed.store_faster(SMALLEST, 20.0)
    assert speed.stored() == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"machine": 1, "speeds": []}', "no json"])
def test_a_damaged_file_means_that_nothing_was_measured(folder: Path, text: str) -> None:
    weights.make_folder(folder)
    (folder / "speeds.json").write_text(text)
    assert speed.stored() == {}
    speed.store(SMALLEST, 5)
    assert list(json.loads((folder / "speeds.json").read_text()).values()) == [{SMALLEST.name: 5}]
