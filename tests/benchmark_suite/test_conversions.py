"""The items and rules of the benchmark's conversions."""

from __future__ import annotations

import ast
import sqlite3
from typing import Any

import pandas as pd
import pytest

from benchmarks.suite import conversions
from benchmarks.suite.collection import select
from benchmarks.suite.items import Item
from benchmarks.suite.same_values import is_same

POLARS, SQL = (conversions.by_hand(mode) for mode in ("convert-polars", "convert-sql"))
QUERY = 'pd.read_sql("""\nSELECT 1\n""", connection)'


def value_of(code: str, space: dict[str, Any]) -> Any:
    *statements, last = ast.parse(code).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(statements, []), "cell", "exec"), space)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), space)


def test_a_cell_has_the_statements_that_its_last_ones_need() -> None:
    cells = (
        "import pandas as pd\nimport numpy as np",
        "df = pd.DataFrame({'a': [1, 2]})\ndf.head()",
        "other = df.copy()\nother['b'] = 1",
        "df['b'] = df['a'] * 2\ndf",
    )
    item = Item("set/1", "sum", cells, solution="df['b'].sum()\n")
    assert conversions.in_one_cell(item) == (
        "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndf['b'] = df['a'] * 2\n\n"
        "df['b'].sum()"
    )


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_conversions_by_hand_have_the_value_of_the_solution() -> None:
    """Only those whose data is in the repository. ``conversions.main`` checks the others, too."""
    items = {item.id: item for item in conversions.polars_items() if not item.files}
    assert len(items) >= 4
    for name, item in items.items():
        assert item.cells == ()
        assert is_same(value_of(item.solution or "", {}), value_of(POLARS[name], {}), False), name


def test_all_conversions_by_hand_use_their_target() -> None:
    assert all(conversions.uses_target("convert-polars", code) for code in POLARS.values())
    assert all(conversions.uses_target("convert-sql", code) for code in SQL.values())
    assert len(SQL) >= 12
    reserved = {item.id for item in select(True, ("pandas_exercises",))}
    assert not reserved & POLARS.keys()


def test_queries_are_valid_sql() -> None:
    for item in conversions.sql_items():
        query = (item.solution or "").split('"""')[1]
        assert sqlite3.complete_statement(f"{query};")
        assert item.solution == f'pd.read_sql("""{query}""", connection)'
        assert "to_sql" in item.cells[-1]


@pytest.mark.parametrize(
    ("mode", "code", "is_used"),
    [
        ("convert", "sum([1])", True),
        ("convert", "np.sum([1])", False),
        ("convert-polars", "import polars as pl\npl.DataFrame()", True),
        ("convert-polars", "import polars as pl\npd.DataFrame()", False),
        ("convert-polars", "df.head()", False),
        ("convert-polars", "%time pl.DataFrame()", False),
        ("convert-sql", "drinks.head()", True),
        ("convert-sql", QUERY, False),
        ("convert-sql", "connection.execute('SELECT 1').fetchall()", False),
        ("convert-sql", "pd.read_sql_query('SELECT 1', other)", False),
    ],
)
def test_a_conversion_uses_only_the_target(mode: str, code: str, is_used: bool) -> None:
    assert conversions.uses_target(mode, code) is is_used


def test_a_query_has_the_value_of_its_conversion() -> None:
    """With a table of two rows, as the queries' own tables aren't in the repository."""
    users = pd.DataFrame(
        {"user_id": [1, 2, 3], "age": [20, 30, 40], "occupation": ["writer", "writer", "artist"]}
    )
    connection = sqlite3.connect(":memory:")
    users.to_sql("users", connection, index=False)
    query = conversions.queries()["users-by-occupation"]
    expected = pd.read_sql(query, connection)
    connection.close()
    actual = value_of(SQL["sql/users-by-occupation"], {"users": users, "pd": pd})
    assert is_same(expected, actual, False)
    assert not is_same(expected, actual.assign(oldest=1), False)
