"""Intervals, failure classes, the file of results, and the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.suite.flow import STAGES
from benchmarks.suite.publish import without_answers
from benchmarks.suite.results import ResultFile, read
from benchmarks.suite.table import tables


def line(item: str, *, run: str = "1", right: bool = True, **more: Any) -> dict[str, Any]:
    stage = {
        "right": right,
        "ran": True,
        "failure": None if right else "wrong value",
        "tokens": 100,
        "seconds": 2.0,
        "problems": None,
    }
    stages: dict[str, dict[str, Any]] = {name: dict(stage) for name in STAGES}
    stages["context"]["problems"] = [] if right else ["missing_column"]
    default = {"run": run, "model": "local:a", "item": item, "set": "s", "holdout": False}
    return default | {"stages": stages} | more


def test_a_run_is_resumed(tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "new" / "results.jsonl")
    assert file.finished("1", "local:a") == set()
    file.append(line("s/1"))
    file.append(line("s/2", run="2"))
    assert file.finished("1", "local:a") == {"s/1"}
    assert file.finished("1", "local:b") == set()


def test_a_line_that_was_cut_off_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    file = ResultFile(path)
    file.append(line("s/1"))
    with path.open("a") as stream:
        stream.write('{"run": "1", "mod')
    assert file.finished("1", "local:a") == {"s/1"}
    file.repair()
    file.append(line("s/2"))
    assert [entry["item"] for entry in read([path])] == ["s/1", "s/2"]


ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PUBLISHED = sorted((*RESULTS.glob("*.jsonl"), *RESULTS.glob("everyday/*.jsonl")))


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_docs_have_the_tables_of_the_published_results(path: Path) -> None:
    lines = read([path])
    assert lines == without_answers(lines)
    docs = (ROOT / "docs" / "real-requests.md").read_text("utf-8")
    is_holdout = path.parent == RESULTS
    shown = [line for line in lines if line["holdout"] == is_holdout]
    assert len(shown) == (159 if is_holdout else 40)
    for row in tables(shown, by_set=False).splitlines()[2:]:
        assert row in docs


def test_the_table_has_the_marks_of_answers_that_ran() -> None:
    lines = [line("s/1"), line("s/2"), line("s/3", right=False), line("s/4", right=False)]
    assert "marked" not in tables(lines, by_set=False)
    for entry, marks in zip(lines, ([], ["no_rows"], ["no_rows"], []), strict=True):
        del entry["stages"]["plain"]
        entry["stages"]["corrected"]["marks"] = marks
    _, _, header, _, *rows = tables(lines, by_set=False).splitlines()
    columns = [cell.strip() for cell in header.split("|")]
    start = columns.index("right, marked")
    assert columns[start : start + 3] == ["right, marked", "wrong, marked", "wrong, no mark"]
    cells = {row.split("|")[1].strip(): row.split("|")[start : start + 3] for row in rows if row}
    assert "plain" not in cells
    assert cells["+ context"] == ["  "] * 3
    assert [cell.split()[0] for cell in cells["+ corrections"]] == ["1", "1", "1"]


def test_answers_are_not_published() -> None:
    stage = {"right": True, "code": "x", "error": "E: x", "seconds": 1.0}
    line = {"model": "m", "run": "1", "item": "a", "stages": {"plain": stage}}
    (published,) = without_answers([line, line])
    assert published["stages"]["plain"] == {"right": True, "seconds": 1.0}
