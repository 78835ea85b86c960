"""Matching lines: examples, then random texts and a comparison with ``difflib``."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.replay.lines import match_lines

from ..effort import at_most


def pairs(old: str, new: str) -> list[int | None]:
    return match_lines(old.split("\n"), new.split("\n"))


def test_inserted_lines_move_nothing_else() -> None:
    assert pairs("a\nb\nc", "a\nnew\nb\nc") == [0, None, 1, 2]
    assert pairs("a\nb\nc", "b\nc\nd") == [1, 2, None]
    assert pairs("", "") == [0]


def test_repeated_lines_keep_to_the_lines_that_occur_once() -> None:
    old = "def f():\n    x\n    return\n\ndef h():\n    z\n    return"
    new = (
        "def f():\n    x\n    return\n\ndef g():\n    y\n    return\n\ndef h():\n    z\n    return"
    )
    assert pairs(old, new) == [0, 1, 2, 3, None, None, None, None, 4, 5, 6]


def test_a_block_that_is_repeated_is_new_where_it_comes_second() -> None:
    assert pairs("x()\ny()", "x()\ny()\nx()\ny()") == [0, 1, None, None]


def test_lines_that_were_only_indented_are_the_same_lines() -> None:
    old = "x = 1\ny = 2\nprint(x)"
    new = "for i in range(3):\n    x = 1\n    y = 2\nprint(x)"
    assert pairs(old, new) == [None, 0, 1, 2]


def test_moved_lines_match_together_with_their_neighbours() -> None:
    old = "import b\nimport a\nif ready:\n    go\n)\nlast = 1"
    new = "if ready:\n    go\n)\nimport b\nimport a\nlast = 1"
    assert sorted(n for n in pairs(old, new) if n is not None) == [0, 1, 2, 3, 4, 5]


def test_a_bracket_in_another_place_is_not_a_moved_line() -> None:
    assert pairs("foo(\n)\nbar", "bar\nbaz(\n)") == [2, None, None]


def test_moved_lines_match_together_with_all_lines_above() -> None:
    old = "first = 1\nsecond = 2\nthird = 3\n(\n[\nmoved = 4"
    new = "(\n[\nmoved = 4\nfirst = 1\nsecond = 2\nthird = 3"
    assert pairs(old, new) == [3, 4, 5, 0, 1, 2]


def test_a_line_before_an_anchor_does_not_match_one_after_it() -> None:
    assert pairs("u = 1\n)\nzz", ")\nu = 1\nqq") == [None, 0, None]


def test_short_texts_without_a_unique_line_match_in_the_longest_blocks() -> None:
    assert pairs("(\n)\n(\n)", ")\n(\n)\n(") == [None, 0, 1, 2]


LINES = st.lists(st.sampled_from(["", ")", "a = 1", "    a = 1", "total", "b", "return x"]))


@given(LINES, LINES)
def test_an_old_line_is_at_most_one_new_line_and_the_same_but_for_its_indentation(
    old: list[str], new: list[str]
) -> None:
    matches = match_lines(old, new)
    assert len(matches) == len(new)
    used = [i for i in matches if i is not None]
    assert len(used) == len(set(used))
    assert all(i is None or old[i].strip() == new[j].strip() for j, i in enumerate(matches))


@given(LINES, LINES)
def test_it_matches_as_many_lines_as_difflib_if_no_line_is_repeated(
    old: list[str], new: list[str]
) -> None:
    old, new = (
        [line for line in dict.fromkeys(lines) if any(map(str.isalnum, line))]  # no brackets
        for lines in (old, new)
    )
    expected = sum(
        block.size for block in SequenceMatcher(None, old, new, False).get_matching_blocks()
    )
    assert sum(i is not None for i in match_lines(old, new)) >= expected


@given(LINES)
def test_a_text_is_itself(lines: list[str]) -> None:
    assert match_lines(lines, lines) == list(range(len(lines)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["x", "y"] * 20_000, ["y", "x", "x"] * 13_000),
        ([f"line {n}" for n in range(40_000)], [f"line {n}" for n in range(40_000, 0, -1)]),
        (["a"] * 40_000, ["a", "b"] * 20_000),
    ],
    ids=["repeated", "reversed", "one line"],
)
def test_the_worst_texts_of_a_cell_cost_a_second_at_most(old: list[str], new: list[str]) -> None:
    with at_most(125_000_000):
        match_lines(old, new)
