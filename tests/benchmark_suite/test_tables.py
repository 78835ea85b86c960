"""Intervals, failure classes, the file of results, and the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.suite.failures import CLASSES, failure_class
from benchmarks.suite.flow import STAGES
from benchmarks.suite.intervals import wilson
from benchmarks.suite.publish import without_answers
from benchmarks.suite.results import ResultFile, read
from benchmarks.suite.table import share, tables


@pytest.mark.parametrize(
    ("successes", "count", "low", "high"),
    [
        # R: prop.test(x, n, correct = FALSE)$conf.int
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (8, 16, 0.2800, 0.7200),
        (81, 263, 0.2553, 0.3662),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_intervals(successes: int, count: int, low: float, high: float) -> None:
    assert wilson(successes, count) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("code", "error", "is_right", "name"),
    [
        ("x = 1", None, True, None),
        ("x = 1", None, False, "wrong value"),
        ("x =", "SyntaxError", False, "syntax"),
        ("  x", "IndentationError", False, "syntax"),
        ("y", "NameError", False, "undefined name"),
        ("df['b']", "KeyError", False, "missing column"),
        ("import sklearn", "ModuleNotFoundError", False, "missing module"),
        ("1 / 0", "ZeroDivisionError", False, "other error"),
        ("while True: pass", "TimeoutError", False, "other error"),
        (" \n", None, False, "no code"),
    ],
)
def test_failure_classes(code: str, error: str | None, is_right: bool, name: str | None) -> None:
    assert failure_class(code, error, is_right) == name
    assert name is None or name in CLASSES


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
    stages["checks"]["problems"] = [] if right else ["missing_column"]
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


def test_a_table_has_the_stages_of_each_run() -> None:
    lines = [line("s/1"), line("s/2", right=False), line("s/1", run="2"), line("s/2", run="2")]
    text = tables(lines, by_set=False)
    assert text.startswith("### local:a\n\n| stage | run | items | right | ran |")
    rows = [row for row in text.split("\n") if row.startswith("| +") or row.startswith("| plain")]
    assert len(rows) == 2 * len(STAGES)
    assert rows[0].startswith("| plain | 1 | 2 | 1 (50 %, 9–91) | 2 (100 %, 34–100) |  | 100 | 2.0")
    assert "| 1 (0 of them right) |" in rows[4]
    assert rows[1].endswith("| 0 | 0 | 0 | 0 | 0 | 0 | 0 |")


def test_runs_are_compared_by_the_items_that_both_have() -> None:
    text = tables([line("s/1"), line("s/2"), line("s/1", run="2")], by_set=False)
    assert "| plain | 1 | 1 |" in text


def test_holdout_items_and_sets_have_their_own_tables() -> None:
    lines = [line("s/1"), line("t/1", set="t"), line("s/2", holdout=True)]
    assert tables(lines, by_set=False).count("###") == 2
    assert "### local:a, items held back\n" in tables(lines, by_set=False)
    assert "### local:a, t\n" in tables(lines, by_set=True)


def test_a_share_has_its_interval() -> None:
    assert share(8, 16) == "8 (50 %, 28–72)"
    assert share(0, 0) == "–"


ROOT = Path(__file__).parents[2]
PUBLISHED = sorted((ROOT / "benchmarks" / "results").glob("*.jsonl"))


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_the_docs_have_the_tables_of_the_published_results(path: Path) -> None:
    lines = read([path])
    assert lines == without_answers(lines)
    docs = (ROOT / "docs" / "real-requests.md").read_text("utf-8")
    of_holdout = [line for line in lines if line["holdout"]]
    assert len(of_holdout) == 159
    for row in tables(of_holdout, by_set=False).splitlines()[2:]:
        assert row in docs


def test_answers_are_not_published() -> None:
    stage = {"right": True, "code": "x", "error": "E: x", "seconds": 1.0}
    line = {"model": "m", "run": "1", "item": "a", "stages": {"plain": stage}}
    (published,) = without_answers([line, line])
    assert published["stages"]["plain"] == {"right": True, "seconds": 1.0}
