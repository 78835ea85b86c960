"""The rules by which the benchmark of the modes judges answers."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.suite.items import Item
from benchmarks.suite.modes import MODES, RULES

SOURCE = "def f(a):\n    return a + 1\nf(2)  # three"
DOCUMENTED = 'def f(a):\n    """Add one."""\n    return a + 1\n\nf(2)  # three'


def is_right(mode: str, code: str, has_value: bool = True) -> bool:
    notebook: Any = None  # only the rule for plots needs a kernel
    item = Item(f"{mode}/set/1", f"/{mode}", source=SOURCE)
    return RULES[mode](item, code, has_value, notebook)


def test_each_mode_but_explain_has_a_rule() -> None:
    assert set(RULES) | {"explain"} == set(MODES)


def test_documented_code_has_more_comments_and_the_same_statements() -> None:
    assert is_right("document", DOCUMENTED)
    assert not is_right("document", SOURCE)
    assert not is_right("document", DOCUMENTED.replace("+ 1", "+ 2"))
    assert not is_right("document", SOURCE.replace("# three", "# 3") + "\nx = 1  # more")


@pytest.mark.parametrize(
    ("more", "right"),
    [
        ("\nassert f(2) == 3", True),
        ("\nfor i in range(3):\n    assert f(i) == i + 1", True),
        ("\nnp.testing.assert_equal(f(2), 3)", True),
        ("\nprint(f(2))", False),
        ("", False),
    ],
)
def test_tests_are_added_below_the_code(more: str, right: bool) -> None:
    assert is_right("test", SOURCE + more) is right
    assert not is_right("test", SOURCE.replace("+ 1", "+ 2") + more)


@pytest.mark.parametrize("mode", ["refactor", "optimise"])
def test_changed_code_has_the_same_value(mode: str) -> None:
    changed = "(lambda a: a + 1)(2)"
    assert is_right(mode, changed)
    assert not is_right(mode, changed, has_value=False)
    assert not is_right(mode, DOCUMENTED)  # nothing but comments


def test_converted_code_has_the_value_and_uses_the_target() -> None:
    assert is_right("convert", "[1, 2]")
    assert not is_right("convert", "[1, 2]", has_value=False)
    assert not is_right("convert", "np.array([1, 2])")
