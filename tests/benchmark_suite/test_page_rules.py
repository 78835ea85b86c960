"""The page's rules in Python, with the cases that the frontend's tests run, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.notebook_kernel import error_text
from benchmarks.suite import page_rules

MODEL = Path(__file__).parents[2] / "src" / "ask" / "model" / "context"
CASES = json.loads((MODEL / "attachmentCases.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["title"])
def test_the_context_is_that_of_the_page(case: dict[str, Any]) -> None:
    described = {
        "frames": [{"name": name} for name in case["frames"]],
        "variables": [{"name": name, "kind": kind} for name, kind in case["variables"]],
        "language": case.get("language"),
    }
    context = page_rules.attach(described, case["texts"])
    assert [frame["name"] for frame in context["dataframes"]] == case["attached"]
    if "described" in case:
        assert [item["name"] for item in context["variables"]] == case["described"]


def test_the_words_of_changes_are_those_of_the_page() -> None:
    assert page_rules.asks_for_change("Drop重复的行")
    assert not page_rules.asks_for_change("drop duplicates and count the rows")


def problem(**more: Any) -> dict[str, Any]:
    default = {"line": 2, "kind": "missing_column", "message": "No column 'b'.", "candidates": []}
    return default | more


def test_the_texts_of_corrections() -> None:
    problems = [
        problem(candidates=["a", "c"]),
        problem(line=3, message="No module 'bs4'.", package="beautifulsoup4"),
    ]
    assert page_rules.repair_request(problems) == (
        "Fix these problems:\n"
        "Line 2: No column 'b'. Did you mean 'a' or 'c'?\n"
        "Line 3: No module 'bs4'. The package 'beautifulsoup4' provides it and can be installed."
    )
    assert page_rules.fix_request("KeyError: 'b'", problems[:1]) == (
        "Fix this error:\nLine 2: No column 'b'. Did you mean 'a' or 'c'?\nKeyError: 'b'"
    )


def test_a_missing_module_is_not_for_the_model() -> None:
    assert page_rules.is_for_model(problem())
    assert not page_rules.is_for_model(problem(kind="missing_module"))


def test_the_text_of_an_error_has_the_line_of_the_cell() -> None:
    traceback = [
        "KeyError    Traceback (most recent call last)",
        "File base.py:3816, in Index.get_loc\n-> 3816 return engine.get_loc(key)",
        "KeyError    Traceback (most recent call last)",
        "Cell In[3], line 2\n      1 x = 1\n\x1b[31m----> 2 \x1b[0mdf['prize']",
        "File frame.py:4090\n-> 4090 self.get_loc(key)",
        "KeyError: 'prize'",
    ]
    reply = {"ename": "KeyError", "evalue": "'prize'", "traceback": traceback}
    assert error_text(reply) == "----> 2 df['prize']\nKeyError: 'prize'"
