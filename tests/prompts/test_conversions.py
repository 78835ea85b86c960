"""Conversions by a small model: the choice of the example, and the examples themselves."""

from __future__ import annotations

import ast
import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aiserver.prompts.context import as_text, build_messages
from aiserver.prompts.examples import CONVERSION_EXAMPLES
from aiserver.prompts.prompt_input import PromptInput
from benchmarks.suite.same_values import is_same
from tests.prompts.test_modes import count

from .inputs import prompt_input

SHOPS = """\
id;city;home;day;sales
1;Bern;Oslo;2024-01-02;1,200
2;Rome;Oslo;2024-01-03;30
3;Rome;Oslo;2024-01-04;5
"""


def value_of(code: str, space: dict[str, Any]) -> Any:
    """Run a cell, and return the value of its last expression."""
    *statements, last = ast.parse(code).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(statements, []), "cell", "exec"), space)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), space)


@pytest.mark.parametrize("target", CONVERSION_EXAMPLES)
def test_both_cells_of_an_example_have_the_same_value(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("商店.csv").write_text(SHOPS, "utf-8")
    shops = pd.DataFrame({"city": ["Bern", "Rome", "Rome"], "sales": [12, 30, 5]})
    with sqlite3.connect(":memory:") as connection:
        shops.to_sql("shops", connection, index=False)
        space = {
            "data": {"city": ["Bern", "Rome"], "country": ["CH", "IT"], "more": [1, 2]},
            "pd": pd,
            "shops": shops,
            "connection": connection,
        }
        before, after = (value_of(code, dict(space)) for code in CONVERSION_EXAMPLES[target])
    connection.close()
    assert is_same(before, after, True)


@pytest.mark.parametrize(
    ("intent", "target"),
    [
        ("/convert to polars", "polars"),
        ("/convert from Polars to Pandas", "pandas"),
        ("/转换 成polars", "polars"),
        ("/convert", "plain Python"),
        ("/convert to geopandas", "plain Python"),
    ],
)
async def test_the_example_is_that_of_the_library_named_last(intent: str, target: str) -> None:
    request = prompt_input(intent, "df = 1")
    messages, _ = await build_messages(request, style="compact", budget=900, count=count)
    assert f"\n\nconvert to {target}" in as_text(messages)[1][1]


@pytest.mark.parametrize(
    "request_",
    [
        prompt_input("/convert to polars", "x <- 1", language="R"),
        prompt_input("/convert to pandas", "%%sql\nSELECT 1"),
        prompt_input("/convert to polars", ""),
        prompt_input("convert it to polars", "df"),
    ],
)
async def test_other_requests_get_the_usual_prompt(request_: PromptInput) -> None:
    messages, _ = await build_messages(request_, style="compact", budget=900, count=count)
    assert "convert to p" not in as_text(messages)[1][1]
