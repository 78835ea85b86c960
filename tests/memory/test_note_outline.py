"""The outline of a notebook: its wording, its limits, and what it never contains."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.memory.limits import MAX_NOTE
from aiserver.memory.notes.outline import outline_of
from aiserver.requests import NoteCell

SECRET = "sk-proj-" + "a1B2" * 12


def cells(*sources: str) -> list[NoteCell]:
    """Return cells; those that begin with ``md:`` are Markdown."""
    return [
        NoteCell(
            cell_type="markdown" if source.startswith("md:") else "code",
            source=source.removeprefix("md:"),
        )
        for source in sources
    ]


ENGLISH = cells(
    "md:# Sales 2026\n\nWe compare the *monthly* revenue of [all shops](x). It grows! Third.",
    "import os\nimport pandas as pd\nfrom sklearn.svm import SVC",
    "md:## Load",
    'df = pd.read_csv("~/data/sales.csv")\n'
    'shops = pd.read_parquet("C:\\\\Users\\\\ann\\\\a.parquet")',
    "md:## Clean\n\n```\n# no heading\n```",
    'df.to_csv("clean.csv")\ndf = pd.read_csv("clean.csv")',
    "md:## Plot",
)
SIMPLIFIED = cells(
    "md:# 门店销售分析\n\n分析各门店的月度收入，\n找出季节规律。然后预测。其他。",
    "import pandas as pd\ndf = pd.read_csv('销售.csv')",
    "md:## 读取\n",
    'spark.sql("with t as (select 1) select * from fact_sales f join t on t.id = f.id")',
    "md:## 建模",
)


def test_an_english_notebook_is_worded_in_english() -> None:
    assert outline_of(ENGLISH).text.splitlines() == [
        "Sales 2026: We compare the monthly revenue of all shops. It grows!",
        "Reads sales.csv and a.parquet with pandas and scikit-learn.",
        "The last section with code is “Clean”.",
        "Sections: Load, Clean and Plot.",
    ]


def test_a_chinese_notebook_is_worded_in_its_script() -> None:
    assert outline_of(SIMPLIFIED).text.splitlines() == [
        "门店销售分析：分析各门店的月度收入，找出季节规律。然后预测。",
        "用 pandas 读取 销售.csv 以及数据表 fact_sales。",
        "目前进行到“读取”一节。",
        "章节：读取、建模。",
    ]
    traditional = cells("md:# 門市銷售\n\n分析營收。", "import polars\npolars.read_csv('a.csv')")
    assert outline_of(traditional).text == "門市銷售：分析營收。\n以 polars 讀取 a.csv。"


@pytest.mark.parametrize(
    "sources",
    [[], [""], ["x = 1"], ["import pandas as pd"], ["md:"], ["md:\n- item\n| a | b |"]],
)
def test_a_notebook_without_prose_and_data_has_no_note(sources: list[str]) -> None:
    assert outline_of(cells(*sources)).text == ""


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("from sales import x\ndf.select(a)", ""),
        ("# pd.read_csv('old.csv')", ""),
        ("# 读取成绩\npd.read_excel('成绩.xlsx')", "读取 成绩.xlsx。"),
        ("%%sql\nSELECT * FROM orders JOIN customers", "Reads the tables orders and customers."),
        ("pd.read_csv(f'{folder}/{name}.csv')", ""),
        ("library(dplyr)\nread.csv('a.csv')", "Reads a.csv with dplyr."),
    ],
)
def test_code_without_prose_names_its_data(code: str, text: str) -> None:
    assert outline_of(cells(code)).text == text


def test_a_heading_below_code_is_no_title() -> None:
    assert outline_of(cells("x = 1", "md:## Part\n\nOne.")).text == ""
    assert outline_of(cells("md:## Part\n\nText.", "x = 1")).text == "Part: Text."


def test_paths_of_a_person_are_shortened_to_a_file_name() -> None:
    prose = "md:# T\n\nIn /home/ann.lee/w/in.csv and ~/x or /Users/bob: C:\\Users\\eve\\b.csv."
    text = outline_of(cells(prose)).text
    assert text.startswith("T: In in.csv and ")
    assert not [name for name in ("ann", "bob", "eve", "home", "Users") if name in text]


@pytest.mark.parametrize(
    "source",
    [
        f"md:# Title {SECRET}",
        f"md:# Title\n\nThe key is {SECRET}.",
        f'pd.read_csv("{SECRET}.csv")',
        f'password = "{SECRET}.csv"\npd.read_csv("a.csv")',
    ],
)
def test_no_secret_is_in_the_note(source: str) -> None:
    """P16."""
    assert "a1B2a1B2" not in outline_of(cells("md:# A\n\nText.", source)).text


PART = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            *("# ", "## ", "```\n", "\n\n", "select ", "from ", "import ", "[a](", "![", "<", "**"),
            *("'a.csv'", " to_csv(", f" {SECRET} ", "/home/ann/", "数据", "。", "- "),
            *("\u202e", "\ud800"),
        ]
    ),
)
CELL = st.builds(
    lambda kind, parts: NoteCell.model_construct(cell_type=kind, source="".join(parts)[:4000]),
    st.sampled_from(["code", "markdown", "raw"]),
    st.lists(PART, max_size=12),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(CELL, max_size=8))
def test_any_cells_give_a_short_visible_text(notebook: list[NoteCell]) -> None:
    outline = outline_of(notebook)
    assert len(outline.text) <= MAX_NOTE
    assert "a1B2a1B2" not in outline.text and "\u202e" not in outline.text
    assert "\ud800" not in outline.text and "/home/" not in outline.text
    assert len(outline.cells) == len(notebook)
    assert outline_of(notebook) == outline


@pytest.mark.parametrize(
    "text", ["[", "[a](", "# " + " " * 3998, "<", "**", "select ", "from a.", "a.csv.", "' ", "~/"]
)
@pytest.mark.parametrize("kind", ["markdown", "code"])
def test_hostile_cells_take_linear_time(text: str, kind: str) -> None:
    source = (text * 4000)[:4000]
    hostile = [NoteCell.model_validate({"cell_type": kind, "source": source})] * 50
    started_at = time.process_time()
    outline_of(hostile)
    assert time.process_time() - started_at < 5
