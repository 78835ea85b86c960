"""Judging by values: the expected value of a solution, and the values of an answer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from benchmarks.suite.judge import Record, expected_of, has_labels, is_right
from benchmarks.suite.recorder import Recorder

SPACE = {"pd": pd, "df": pd.DataFrame({"a": [3, 1, 2]})}


def record_of(code: str, folder: Path, shown: str = "") -> Record:
    """Run code as a cell. ``shown`` is the expression of its last line, if that is one."""
    space = {name: value.copy() if name == "df" else value for name, value in SPACE.items()}
    results: list[Any] = []
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(update_user_ns=results.append))
    recorder = Recorder(space)
    recorder.start(shell, True)
    try:
        exec(code, space)
        if shown:
            shell.displayhook.update_user_ns(eval(shown, space))
    finally:
        recorder.save(str(folder / "record"), code)
    return Record.read(folder / "record", "")


@pytest.mark.parametrize(
    ("code", "shown", "is_correct"),
    [
        ("", "df['a'].sum()", True),
        ("total = df.a.sum()", "", True),
        ("print(df['a'].sum())", "", True),
        ("print('total:', df['a'].sum())", "", True),
        ("total = df.a.mean()", "", False),
        ("", "(df.a.sum(), df.a.mean())", True),
        ("pass", "", False),
    ],
)
def test_a_value_may_be_shown_left_or_printed(
    code: str, shown: str, is_correct: bool, tmp_path: Path
) -> None:
    solution = "df.a.sum()"
    expected = expected_of(solution, record_of("", tmp_path, solution), "Sum of a")
    assert is_right(expected, record_of(code, tmp_path, shown)) is is_correct


def test_a_plot_has_the_values_of_one_of_the_solutions_plots(tmp_path: Path) -> None:
    plots = pytest.importorskip("matplotlib.pyplot")
    plots.switch_backend("Agg")
    solution = "df.a.plot.bar()\n__import__('matplotlib.pyplot').pyplot.figure()\ndf.a.plot.pie()"
    expected = expected_of(solution, record_of(solution, tmp_path), "Plot a")
    assert expected.plots == [[1, 2, 3], pytest.approx([1 / 6, 1 / 3, 1 / 2])]
    for code in ("df.a.plot()", "df.a.plot.barh()", "df.a.sort_values().plot(kind='pie')"):
        assert is_right(expected, record_of(code, tmp_path))
    for code in ("(df.a + 1).plot()", "print([1, 2, 3])", "df.a.cumsum().plot.bar()"):
        assert not is_right(expected, record_of(code, tmp_path))
    plots.close("all")


def test_without_output_the_last_changed_variable_is_expected(tmp_path: Path) -> None:
    solution = "order = ['a']\ndf['b'] = df[order[0]] * 2"
    expected = expected_of(solution, record_of(solution, tmp_path), "Add b")
    assert is_right(expected, record_of("df['b'] = 2 * df.a", tmp_path))
    assert is_right(expected, record_of("new = df.assign(b=2 * df.a)", tmp_path))
    assert not is_right(expected, record_of("order = ['a']", tmp_path))


def test_an_unchanged_variable_does_not_count(tmp_path: Path) -> None:
    expected = expected_of("df", Record(displayed=[SPACE["df"]]), "Show df")
    assert not is_right(expected, record_of("x = 1", tmp_path))


def test_the_end_of_a_solution_may_only_show_a_part(tmp_path: Path) -> None:
    solution = "big = df[df.a > 1]\nbig.head(1)"
    record = record_of("big = df[df.a > 1]", tmp_path, "big.head(1)")
    expected = expected_of(solution, record, "Filter a over 1")
    assert is_right(expected, record_of("x = df.query('a > 1')", tmp_path))


def test_a_text_with_numbers_is_expected_as_these_numbers() -> None:
    solution = "print('The sum is ' + str(6.5))"
    expected = expected_of(
        solution, Record(printed=[["The sum is 6.5"]], text="The sum is 6.5"), ""
    )
    assert is_right(expected, Record(text="6.50"))
    assert is_right(expected, Record(variables=[("total", 6.5)]))
    assert not is_right(expected, Record(variables=[("total", 6.0)]))


def test_a_solution_without_a_value_cannot_judge(tmp_path: Path) -> None:
    expected = expected_of("pass", record_of("pass", tmp_path), "Do nothing")
    assert expected.is_empty
    assert not is_right(expected, Record(displayed=[None]))


def test_labels_may_be_printed_or_left_in_variables(tmp_path: Path) -> None:
    labels = [("mean", "2.00"), ("max", "3")]
    assert has_labels(labels, Record(text="2.0 and 3"))
    assert has_labels(labels, record_of("mean, top = df.a.mean(), df.a.max()", tmp_path))
    assert has_labels(labels, Record(text="2.0", variables=[("top", 3)]))
    assert not has_labels(labels, Record(text="2.0"))
    # The data contains many numbers, so it doesn't count as an answer.
    assert not has_labels(labels, Record(variables=[("df", pd.DataFrame({"a": range(99)}))]))
