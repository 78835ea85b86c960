"""Requests that ask only for additions: the check reports other changes of the code."""

from __future__ import annotations

import pytest

from .problems_of import check

CODE = """\
import math

def area(radius):
    if radius < 0:
        return None
    return math.pi * radius ** 2

area(2)  # a circle
"""
DOCUMENTED = CODE.replace(
    "radius):\n", 'radius):\n    """The area of a circle."""\n    # Nothing is negative.\n'
)


def problems(code: str, mode: str, original: str = CODE) -> list[tuple[str, int]]:
    reported = check(code, {}, original=original, mode=mode)
    return [(item["kind"], item["line"]) for item in reported]


def test_comments_docstrings_and_format_may_change() -> None:
    assert problems(DOCUMENTED, "document") == []
    assert problems(f'"""A module."""\n{DOCUMENTED}', "document") == []
    assert problems(CODE.replace("# a circle", "\\\n"), "document") == []
    # An existing docstring may become a better one.
    assert problems(DOCUMENTED, "document", DOCUMENTED.replace("The area", "Area")) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("radius ** 2", "radius * 2", 6),
        ("return None", "raise ValueError(radius)", 4),
        ("area(radius)", "area(r)", 3),
        ("area(2)", "print(area(2))", 8),
        ("area(2)", "area(2)\narea(3)", 9),
        ("import math\n", "", 2),
    ],
)
def test_the_first_change_of_code_is_reported(old: str, new: str, line: int) -> None:
    changed = CODE.replace(old, new, 1)
    assert ("changed_code", line) in problems(changed, "document")
    # Other requests may change any code.
    assert all(kind != "changed_code" for kind, _ in problems(changed, "refactor"))


def test_a_removed_end_is_reported() -> None:
    assert problems(CODE.replace("area(2)", "#"), "document") == [("changed_code", 3)]


@pytest.mark.parametrize(
    "tests",
    [
        "assert area(0) == 0",
        "def test():\n    assert area(1)\ntest()",
        "np.testing.assert_equal(1, 1)",
    ],
)
def test_tests_are_added_below_the_code(tests: str) -> None:
    kinds = [kind for kind, _ in problems(f"{CODE}\n{tests}", "test")]
    assert not {"changed_code", "no_tests"} & set(kinds)
    assert ("changed_code", 6) in problems(CODE.replace("** 2", "* 2") + tests, "test")
    assert ("changed_code", 1) in problems(f"{tests}\n{CODE}", "test")


def test_missing_tests_are_reported() -> None:
    assert problems(CODE, "test") == [("no_tests", 8)]
    assert problems(f"{CODE}\nprint(area(3))", "test") == [("no_tests", 10)]


def test_code_that_cannot_be_compared_is_not_reported() -> None:
    assert problems("x = 1", "document", "x = = 1") == []
    assert problems("%time x = 1  # now", "document", "%time x = 1") == []
    assert problems("%time x = 2", "document", "%time x = 1") == [("changed_code", 1)]
    deep = "x = " + "(" * 90 + "1" + ")" * 90
    assert problems(deep, "document", deep) == []
    assert problems("", "document", "x = 1") == []
