"""Example cells that show a small model the format of an answer, by language.

There are two kinds, which a small model imitates:

- One cell is changed several times. Each change preserves the previous ones.
- Several cells follow each other, and use the variable of the first. Those that change it assign
  it, and only the others print: so a request for a change isn't answered by a copy that is printed.

Intents in Chinese may contain an English name, and those in English follow code with a Chinese
name, so that the model doesn't translate names: a variable called 用户 stays 用户.

A small model also copies from examples. So the examples have no value to filter by, which would
silently remove a person's rows: what is copied changes only the order or what is shown, or names a
column, which the check reports if it doesn't exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

NEW_NOTEBOOK = "New notebook."
NEXT_CELL = "Next cell."

EXAMPLE_MARK = {"aiserver_example": True}  # the model doesn't receive this mark

Example = tuple[str, str]

_CHANGES = ("显示 用户.{file} 的最后 3 行", "sort by age", "只显示 name 和 age")
_CELLS = (
    NEW_NOTEBOOK,
    f"{NEXT_CELL}\n删除 name 列",
    f"{NEXT_CELL}\nhow many users have each age",
    f"{NEXT_CELL}\n年龄的平均值和最大值",
)


def _examples(
    file: str, changes: Sequence[str], cells: Sequence[str]
) -> tuple[list[Example], list[Example]]:
    intents = [intent.format(file=file) for intent in _CHANGES]
    return list(zip(intents, changes, strict=True)), list(zip(_CELLS, cells, strict=True))


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
        (
            f"{_PYTHON}print(users.tail(3))",
            f"{_PYTHON}users = users.sort_values('age')\nprint(users.tail(3))",
            f"{_PYTHON}users = users.sort_values('age')\nprint(users[['name', 'age']].tail(3))",
        ),
        (
            "import pandas as pd\n\n用户 = pd.read_json('users.json')",
            "用户 = 用户.drop(columns='name')",
            "print(用户['age'].value_counts())",
            "print(用户['age'].mean())\nprint(用户['age'].max())",
        ),
    ),
    "r": _examples(
        "csv",
        (
            f"{_R}print(tail(users, 3))",
            f"{_R}users <- users[order(users$age), ]\nprint(tail(users, 3))",
            f"{_R}users <- users[order(users$age), ]\nprint(tail(users[c('name', 'age')], 3))",
        ),
        (
            "用户 <- read.csv('users.csv')",
            "用户$name <- NULL",
            "print(table(用户$age))",
            "print(mean(用户$age))\nprint(max(用户$age))",
        ),
    ),
    "julia": _examples(
        "csv",
        (
            f"{_JULIA}println(last(users, 3))",
            f"{_JULIA}users = sort(users, :age)\nprintln(last(users, 3))",
            f"{_JULIA}users = sort(users, :age)\nprintln(last(users[:, [:name, :age]], 3))",
        ),
        (
            'using CSV, DataFrames\n\n用户 = CSV.read("users.csv", DataFrame)',
            "用户 = select(用户, Not(:name))",
            "println(combine(groupby(用户, :age), nrow))",
            "using Statistics\n\nprintln(mean(用户.age))\nprintln(maximum(用户.age))",
        ),
    ),
    "sql": (
        [
            ("显示 用户 的前 3 行", "SELECT * FROM 用户 LIMIT 3;"),
            ("sort by age", "SELECT * FROM 用户 ORDER BY age LIMIT 3;"),
            ("只显示 name 和 age", "SELECT name, age FROM 用户 ORDER BY age LIMIT 3;"),
        ],
        [],
    ),
    "bash": (
        [
            ("显示 用户.csv 的最后 3 行", "tail -n 3 用户.csv"),
            ("sort the lines", "sort 用户.csv | tail -n 3"),
            ("倒序", "sort 用户.csv | tail -n 3 | tac"),
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


# Code, and the same for another library, by its name in the request.
CONVERSION_EXAMPLES: dict[str, Example] = {
    "polars": (
        """\
import pandas as pd

shops = pd.read_csv('商店.csv', sep=';')
cities = pd.DataFrame(data, columns=['city', 'country'])
shops['day'] = pd.to_datetime(shops['day'])
shops['sales'] = shops['sales'].str.replace(',', '', regex=False).astype(float)
shops['tax'] = shops['sales'].apply(lambda x: x * 0.2)
shops = shops.set_index('id')
large = shops[(shops['sales'] > 10) & (shops['city'] != shops['home'])]
large = large.merge(cities, on='city')
large.groupby('country')['tax'].agg(['sum', 'max']).sort_values('sum', ascending=False)""",
        """\
import polars as pl

shops = pl.read_csv('商店.csv', separator=';')
cities = pl.DataFrame(data).select('city', 'country')
shops = shops.with_columns(pl.col('day').str.to_date())
shops = shops.with_columns(pl.col('sales').str.replace(',', '', literal=True).cast(pl.Float64))
shops = shops.with_columns((pl.col('sales') * 0.2).alias('tax'))
large = shops.filter((pl.col('sales') > 10) & (pl.col('city') != pl.col('home')))
tax = pl.col('tax')
large = large.join(cities, on='city')
totals = large.group_by('country').agg(tax.sum().alias('sum'), tax.max().alias('max'))
totals.sort('sum', descending=True)""",
    ),
    "pandas": (
        """\
pd.read_sql(\"""
SELECT city, COUNT(*) AS days, SUM(sales) AS total
FROM shops
WHERE sales > 10
GROUP BY city
ORDER BY total DESC
\""", connection)""",
        """\
large = shops[shops['sales'] > 10]
totals = large.groupby('city', as_index=False).agg(days=('sales', 'size'), total=('sales', 'sum'))
totals.sort_values('total', ascending=False)""",
    ),
    "plain Python": (
        """\
import numpy as np

sales = np.arange(10)
sales[sales % 2 == 0].mean()""",
        """\
sales = list(range(10))
even = [number for number in sales if number % 2 == 0]
sum(even) / len(even)""",
    ),
}
"""The last one is for requests that name no library with an example."""


def examples_in(language: str, *, can_use_other_cells: bool) -> list[Example]:
    """Return pairs of an intent and a cell, or []."""
    changes, cells = _CODE.get(language, ([], []))
    return (cells or changes) if can_use_other_cells else changes
