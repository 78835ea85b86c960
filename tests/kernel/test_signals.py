"""Signals after a run that its result may prove nothing, with the real pandas."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from aiserver.kernel.signals import signals_after, state_before

from ..effort import at_most


def kernel() -> dict[str, Any]:
    frame = pd.DataFrame(
        {
            "city": ["Bonn", "Köln", "Köln", None],
            "price": ["3 kg", "4 kg", "5 kg", "6 kg"],
            "qty": [1.0, 2.0, np.nan, 4.0],
            "note": [None, None, None, None],
        }
    )
    return {
        "pd": pd,
        "pl": pl,
        "np": np,
        "df": frame,
        "units": pl.DataFrame({"unit": [1, 2, 3]}),
        "codes": pd.DataFrame({"city": ["Rom"], "code": [1]}),
        "empty": frame[:0],
        "limit": 3,
    }


def decoded(text: str) -> Any:
    return json.loads(base64.b64decode(text))


def run(code: str, space: dict[str, Any]) -> str:
    """Run code as a cell, and return its output."""
    tree = ast.parse(code)
    end = tree.body[-1]
    last = end.value if isinstance(end, ast.Expr) else None
    if last is not None:
        tree.body.pop()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(tree, "cell", "exec"), space)
        value = eval(compile(ast.Expression(last), "cell", "eval"), space) if last else None
    return printed.getvalue() + ("" if value is None else repr(value))


def signals(code: str, is_change: bool = False, own_code: str = "") -> list[tuple[str, str]]:
    space = kernel()
    state = decoded(state_before(space, code))["state"]
    output = run(code, space)
    after = decoded(signals_after(space, code, state, output, own_code, is_change))["signals"]
    return [(signal["kind"], ", ".join([signal["name"], *signal["labels"]])) for signal in after]


SIGNALS = [
    # no rows
    ("df[df['city'] == 'Ulm']", [("empty", "")]),
    ("print('Prices:')\nprint(df[df['city'] == 'Ulm']['price'])", [("empty", "")]),
    ("ulm = df[df['city'] == 'Ulm']", [("empty", "ulm")]),
    ("ulm = df[df['city'] == 'Ulm']\nulm", [("empty", "")]),
    ("df[df['qty'] > 9].set_index('city').index", [("empty", "")]),
    ("df = df.dropna()", [("empty", "df")]),
    ("units.filter(pl.col('unit') > 9)", [("empty", "")]),
    ("[name for name in df if name == 'x']", [("empty", "")]),
    ("df[df['qty'] > 9]['city'].unique()", [("empty", "")]),
    # no value
    ("df[df['qty'] > 9]['qty'].mean()", [("missing_result", "")]),
    ("print('Mean:', df[df['qty'] > 9]['qty'].mean())", [("missing_result", "")]),
    ("print(df.sort_values('qty', inplace=True))", [("missing_result", "")]),
    # columns without values
    ("df['weight'] = pd.to_numeric(df['price'], errors='coerce')", [("all_missing", "df, weight")]),
    ("df['city'] = df['city'].map({'Ulm': 1})", [("all_missing", "df, city")]),
    ("m = df.merge(codes, on='city', how='left')", [("all_missing", "m, code")]),
    ("days = pd.to_datetime(df['price'], errors='coerce')", [("all_missing", "days, price")]),
]


@pytest.mark.parametrize(("code", "expected"), SIGNALS)
def test_a_result_that_proves_nothing(code, expected):
    assert signals(code) == expected


UNCHANGED = [
    "df['city'] = df['city'].str.strip()",
    "df.loc[df['city'] == 'bonn', 'city'] = 'Bonn'",
    "df = df.drop_duplicates()",
    "df = df.rename(columns={'town': 'city'})\ndf",
    "df.drop_duplicates(inplace=True)\nprint(len(df))",
    "limit = 4\ndf['qty'] = df['qty'].clip(0, limit)",
]


@pytest.mark.parametrize("code", UNCHANGED)
def test_nothing_changed_although_a_change_was_asked_for(code):
    assert signals(code, is_change=True) == [("unchanged", "df")]
    assert signals(code) == []
    assert signals(code, is_change=True, own_code="df = df.assign(new=1)") == []


CHANGED = [
    "df['city'] = df['city'].str.upper()",
    "df['qty'] = df['qty'].fillna(0)",
    "df = df.drop(columns='note')",
    "df = df.rename(columns={'city': 'town'})",
    "df = df.sort_values('qty', ascending=False)",
    "df = df.sort_values('qty', ascending=False).sort_index().reset_index(drop=True)\ndf['n'] = 1",
    "df = df.set_index('city')",
    "df.index = df.index + 1",
    "df['qty'] = df['qty'].astype(object)",
    "df['note'] = [[1], [2], [3], [4]]",
    "df['note'] = [1, '1', 1.0, True]",
    "clean = df.drop_duplicates()",
    "df = df.copy()\nclean = df.dropna(subset='city')",
    "units = units.with_columns(pl.col('unit') * 2)",
    "del df",
    "df.head()",
    "print(df.fillna(0))",
]


@pytest.mark.parametrize("code", CHANGED)
def test_a_change_is_no_signal(code):
    assert signals(code, is_change=True) == []


RIGHT = [
    "df",
    "df.describe(include='all')",
    "df['qty'].mean()",
    "print(df['qty'])",
    "print('None')\nprint('nan')",
    "df.groupby('city')['qty'].sum()",
    "rows = []\nfor city in df['city']:\n    rows.append(city)\nrows = len(rows)",
    "full = pd.DataFrame()\nfull['qty'] = df['qty']",
    "df['new'] = df['qty'].shift(1)",
    "df['weight'] = df['price'].str.extract(r'(\\d+)').astype(float)",
    "df['note'] = None",
    "other = df[['note', 'qty']]",
    "one = df.groupby('city')['qty'].std().tail(1)",
    "empty['city']\nlimit = 5",
    "limit = None",
    "import io\nfile = pd.read_csv(io.StringIO('a,b\\n1,\\n2,\\n3,\\n'))",
    "limit = [[]]\nlimit",
]


@pytest.mark.parametrize("code", RIGHT)
def test_an_ordinary_result_is_no_signal(code):
    assert signals(code) == []


def test_a_check_of_many_values_is_bounded():
    large = pd.DataFrame({f"c{n}": np.arange(200_000) for n in range(10)})
    large["text"] = [f"text {n}" for n in range(200_000)]
    space = {"large": large, "larger": pd.concat([large] * 3)}
    with at_most(12_000_000):
        state = decoded(state_before(space, "large = larger"))["state"]
    assert json.loads(state)["larger"]["digest"] is None
    after = signals_after(space, "large = larger", state, "", "", True)
    assert decoded(after) == {"signals": []}


class Odd:
    def __hash__(self) -> int:
        raise AssertionError("The person's code ran.")

    __eq__ = __repr__ = __hash__  # type: ignore[assignment]


def test_objects_of_a_person_are_not_touched():
    space = {"odd": pd.DataFrame({"value": [Odd(), Odd()]}), "other": Odd()}
    state = decoded(state_before(space, "odd = other"))["state"]
    assert decoded(signals_after(space, "odd = other", state, "", "", True)) == {"signals": []}
