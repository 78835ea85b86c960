"""The benchmark's rule for correct answers."""

from __future__ import annotations

import pytest

from benchmarks.answers import MAX_NUMBERS, contains_all, numbers
from benchmarks.first_token import request_with


@pytest.mark.parametrize(
    ("expected", "text", "is_correct"),
    [
        ("0.21", "0.2134", True),
        ("0.21", "0.2151", False),
        ("0.21", "r = 0.21", True),
        ("34.65", "34.6", False),
        ("34.65", "The mean is 34.65.", True),
        ("-0.07", "-0.0724", True),
        ("0.07", "-0.0724", False),
        ("1,234", "1234", True),
        ("1234.5", "1,234.50", True),
        ("12", "12 %", True),
        ("0.12", "12.0%", True),
        ("3", "13", False),
        ("3", "3.2", False),
        ("0", "0", True),
        ("5.3e-05", "5.31e-05", True),
        ("0.0001", "1e-4", True),
        ("good fit", "It is a GOOD fit", True),
        ("good fit", "It is no good, but fit", False),
        ("not_normal", "not normal", True),
        ("normal", "abnormal", False),
        ("Switzerland", "2    Switzerland\\nName: Country", True),
        ("Happiness Rank", "'happiness_rank'", True),
        ("a, b", "['b', 'a']", True),
        ("a, b", "['b']", False),
        ("", "[]", True),
        ("", "['x']", False),
    ],
)
def test_values_are_found(expected: str, text: str, is_correct: bool) -> None:
    assert contains_all([("value", expected)], text.replace("\\n", "\n")) is is_correct


def test_every_value_must_be_found() -> None:
    expected = [("mean", "1.5"), ("median", "2")]
    assert contains_all(expected, "1.5 2")
    assert not contains_all(expected, "1.5")


def test_an_answer_with_too_many_numbers_is_wrong() -> None:
    assert not contains_all([("n", "7")], " ".join(map(str, range(MAX_NUMBERS + 1))))


def test_numbers() -> None:
    assert numbers("x1 is -2.5, 3e2 and .5; 2020-01-02") == [-2.5, 300.0, 0.5, 2020.0, 1.0, 2.0]


def test_the_timed_request_is_not_that_for_a_summary() -> None:
    summary, request = (
        {"body": {"messages": [{"content": text}]}} for text in ("Summarize.", "count the rows")
    )
    assert request_with("count the rows", [summary, request]) == request
    assert request_with("count the rows", [request, summary]) == request
