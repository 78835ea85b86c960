"""Example cells that show a small model the format of an answer, by language.

A small model imitates examples, so there are two kinds of examples:

- One cell is changed several times. Each change preserves the previous changes.
- Several cells follow each other. Each further cell uses the variables of the first cell.

Some intents are in Chinese, some in English. An intent in Chinese may contain an English name, and
an intent in English may follow code with a Chinese name. This teaches the model not to translate
names.
"""

from __future__ import annotations

from typing import Literal

NEXT_CELL = "Next cell."

EXAMPLE_MARK = {"aiserver_example": True}  # marks an example; the model doesn't receive this mark

Example = tuple[str, str]

_INTENTS = (
    "显示 用户.{file} 的最后 3 行",
    "keep the rows where city is 'Oslo'",
    "按 age 排序",
    f"{NEXT_CELL}\nhow many users have each name",
    f"{NEXT_CELL}\n年龄的平均值和最大值",
)


def _examples(file: str, *codes: str) -> tuple[list[Example], list[Example]]:
    """Return the examples in which one cell changes, and the examples with several cells.

    ``codes`` contains three versions of one cell, and possibly two further cells. The examples with
    several cells begin with the first version, whose variables the two further cells use.
    """
    pairs = [
        (intent.format(file=file), code) for intent, code in zip(_INTENTS, codes, strict=False)
    ]
    return pairs[:3], ([pairs[0], *pairs[3:]] if len(pairs) > 3 else [])


_PYTHON = """\
import pandas as pd

users = pd.read_json('用户.json')
"""
_R = "users <- read.csv('用户.csv')\n"
_JULIA = """\
using CSV, DataFrames

users = CSV.read("用户.csv", DataFrame)
"""

_CODE = {
    "python": _examples(
        "json",
        f"{_PYTHON}print(users.tail(3))",
        f"{_PYTHON}users = users[users['city'] == 'Oslo']\nprint(users.tail(3))",
        f"{_PYTHON}users = users[users['city'] == 'Oslo']\n"
        "users = users.sort_values('age')\nprint(users.tail(3))",
        "print(users['name'].value_counts())",
        "print(users['age'].mean())\nprint(users['age'].max())",
    ),
    "r": _examples(
        "csv",
        f"{_R}print(tail(users, 3))",
        f"{_R}users <- users[users$city == 'Oslo', ]\nprint(tail(users, 3))",
        f"{_R}users <- users[users$city == 'Oslo', ]\n"
        "users <- users[order(users$age), ]\nprint(tail(users, 3))",
        "print(table(users$name))",
        "print(mean(users$age))\nprint(max(users$age))",
    ),
    "julia": _examples(
        "csv",
        f"{_JULIA}println(last(users, 3))",
        f'{_JULIA}users = users[users.city .== "Oslo", :]\nprintln(last(users, 3))',
        f'{_JULIA}users = users[users.city .== "Oslo", :]\n'
        "users = sort(users, :age)\nprintln(last(users, 3))",
        "println(combine(groupby(users, :name), nrow))",
        "using Statistics\n\nprintln(mean(users.age))\nprintln(maximum(users.age))",
    ),
    "sql": (
        [
            ("显示 用户 的前 3 行", "SELECT * FROM 用户 LIMIT 3;"),
            (
                "keep the rows where city is 'Oslo'",
                "SELECT * FROM 用户 WHERE city = 'Oslo' LIMIT 3;",
            ),
            ("按 age 排序", "SELECT * FROM 用户 WHERE city = 'Oslo' ORDER BY age LIMIT 3;"),
        ],
        [],
    ),
    "bash": (
        [
            ("显示 用户.csv 的最后 3 行", "tail -n 3 用户.csv"),
            ("keep the lines with Oslo", "grep Oslo 用户.csv | tail -n 3"),
            ("倒序", "grep Oslo 用户.csv | tail -n 3 | tac"),
        ],
        [],
    ),
    "markdown": (
        [
            ("a title and one sentence about 用户.csv", "# Users\n\nThe users of `用户.csv`."),
            (
                "add how to read it",
                "# Users\n\nThe users of `用户.csv`.\n\n```python\n"
                "users = pd.read_csv('用户.csv')\n```",
            ),
        ],
        [],
    ),
}

_TOTAL = """\
total = 0
for x in values:
    if x > limit:
        total += x
total"""
_DOUBLED = """\
def double(x):
    return 2 * x

doubled = [double(x) for x in values]
prices = prices[prices['price'] > 10]"""
_TESTED = f"""{_DOUBLED}

assert double(3) == 6
assert len(doubled) == len(values)
assert (prices['price'] > 10).all()"""

ADDITION_EXAMPLES: dict[tuple[Literal["document", "test"], Literal["en", "zh"]], Example] = {
    ("document", "en"): (_TOTAL, f"# Sum up the values above the limit\n{_TOTAL}"),
    ("document", "zh"): (_TOTAL, f"# 计算大于上限的值的总和\n{_TOTAL}"),
    ("test", "en"): (_DOUBLED, _TESTED),
    ("test", "zh"): (_DOUBLED, _TESTED),
}
"""The code of a cell, and the same code with comments or tests.

The keys are the mode and the language of the request.
"""


def examples_in(language: str, *, can_use_other_cells: bool) -> list[Example]:
    """Return pairs of an intent and the resulting cell; [] for a language without examples.

    If ``can_use_other_cells`` is true and the language has examples with several cells, return
    these. Otherwise, return the examples in which one cell changes.
    """
    changes, cells = _CODE.get(language, ([], []))
    return (cells or changes) if can_use_other_cells else changes
