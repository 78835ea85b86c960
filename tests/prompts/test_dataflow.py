"""The graph of definitions and uses among a notebook's cells."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.prompts.notebook.dataflow import (
    NO_NAMES,
    CellNames,
    cell_names,
    names_in_text,
    needed_cells,
)


@pytest.mark.parametrize(
    ("code", "defined", "changed", "used"),
    [
        ("import pandas as pd\nimport os.path", "pd os", "", ""),
        ("from a import b as c, d", "c d", "", ""),
        ("df = pd.read_csv('a.csv')", "df", "", "pd"),
        ("df = df.dropna()", "df", "", "df"),
        ("x = 1\nprint(x)", "x", "", ""),
        ("df['a'] = df['b'] * rate", "", "df", "df rate"),
        ("df.loc[0, 'a'] = 1", "", "df", "df"),
        ("df.dropna(inplace=True)", "", "df", "df"),
        ("rows.append(row)", "", "rows", "rows row"),
        ("total += price", "total", "", "price total"),
        ("del df['a']", "", "df", "df"),
        ("a, (b, *c) = d", "a b c", "", "d"),
        ("def f(x, y=default):\n    z = x\n    return z + outer", "f", "", "default outer"),
        ("class A(Base):\n    n = m\n", "A", "", "Base m"),
        ("[x * k for x in xs if x > lower]", "", "", "k lower xs"),
        ("g = lambda v: v + w", "g", "", "w"),
        ("%matplotlib inline\n!pip install x\ny = 1", "y", "", ""),
        ("销售 = 读取(文件)", "销售", "", "文件 读取"),
        ("for i in range(3):\n    print(i)", "i", "", "i"),
        ("with open(path) as handle:\n    pass", "handle", "", "path"),
    ],
)
def test_the_names_of_a_cell(code: str, defined: str, changed: str, used: str) -> None:
    assert cell_names(code) == tuple(frozenset(part.split()) for part in (defined, changed, used))


@pytest.mark.parametrize("code", ["x = (", "\0", "(" * 5000])
def test_a_cell_that_is_not_python_has_no_names(code: str) -> None:
    assert cell_names(code) == NO_NAMES


CELLS = [
    "import pandas as pd",
    "df = pd.read_csv('a.csv')",
    "other = 1",
    "df['a'] = 2",
    "print(other)",
    "small = df.head()",
]


def needed(*names: str) -> list[int]:
    return needed_cells([cell_names(code) for code in CELLS], names)


def test_the_cells_that_define_a_variable_and_those_that_changed_it() -> None:
    assert needed("df") == [3, 1, 0]


def test_what_a_definition_needs_in_turn() -> None:
    assert needed("small") == [5, 3, 1, 0]


def test_an_unknown_name_needs_no_cell() -> None:
    assert needed("nothing") == []


def test_a_redefinition_hides_what_was_before() -> None:
    cells = [cell_names(code) for code in ("df = 1", "df = 2", "df = df + 1")]
    assert needed_cells(cells, ["df"]) == [2, 1]


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("plot df by month", {"df"}),
        ("把df按月画图", {"df"}),
        ("按 销售 排序", {"销售"}),
        ("dfs and df2", set()),
        ("the mean of `df['a']`", {"df"}),
    ],
)
def test_the_names_that_a_request_mentions(text: str, mentioned: set[str]) -> None:
    assert names_in_text(text, {"df", "销售"}) == mentioned


def test_the_work_grows_with_the_names_not_with_their_square() -> None:
    """The square, of 2,000 cells that change 100 variables, would take an hour."""

    class Counted(list[CellNames]):
        reads = 0

        def __getitem__(self, index: Any) -> Any:
            self.reads += 1
            return super().__getitem__(index)

    names = frozenset(f"r{n}" for n in range(20))
    cells = Counted([CellNames(frozenset(), names, names)] * 100)
    assert needed_cells(cells, {"r0"}) == list(range(99, -1, -1))
    assert cells.reads <= 3 * len(cells) * len(names)


@given(st.lists(st.text(), max_size=5), st.lists(st.sampled_from(["df", "pd", "x"])))
def test_any_text_has_an_answer(codes: list[str], names: list[str]) -> None:
    indexes = needed_cells([cell_names(code) for code in codes], names)
    assert len(set(indexes)) == len(indexes)
    assert all(0 <= index < len(codes) for index in indexes)
