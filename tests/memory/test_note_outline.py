"""The outline of a notebook: its wording, its limits, and what it never contains."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.plugins.memory.bodies import NoteCell
from aiserver.plugins.memory.limits import MAX_NOTE
from aiserver.plugins.memory.notes.outline import clean_cells, outline_of

from ..effort import at_most
from ..examples import examples

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


NOTEBOOK = cells(
    "md:# Sales 2026\n\n![logo](x.png)\n\n- a list\n\n"
    "We compare the *monthly* revenue of [all shops](x). It grows! Third.",
    "import pandas as pd",
    "md:## Load",
    'df = pd.read_csv("~/data/sales.csv")\n'
    'shops = pd.read_parquet("C:\\\\Users\\\\ann\\\\a.parquet")',
)


def test_a_note_has_the_title_the_first_sentences_and_the_data_files() -> None:
    assert outline_of(NOTEBOOK).text.splitlines() == [
        "Sales 2026",
        "We compare the monthly revenue of all shops. It grows!",
        "sales.csv, a.parquet",
    ]
    chinese = cells("md:# 门店销售\n\n分析各门店的月度收入，\n找出季节规律。然后预测。其他。")
    assert outline_of(chinese).text == "门店销售\n分析各门店的月度收入，找出季节规律。然后预测。"


@pytest.mark.parametrize(
    "sources",
    [
        *([], [""], ["x = 1"], ["import pandas as pd"], ["md:"], ["md:\n- item\n| a | b |"]),
        ["x = 1", "md:## Part\n\nOne."],
    ],
)
def test_a_notebook_without_prose_and_data_has_no_note(sources: list[str]) -> None:
    assert outline_of(cells(*sources)).text == ""


@pytest.mark.parametrize(
    ("prose", "text"),
    [
        ("## Part\n\nText.", "Part\nText."),
        ("# Title\n\n## Part\n\nText.", "Title"),
        ("Only a text.", "Only a text."),
        ("# Import from [this address](https://example.com/" + "a" * 200 + ")", None),
    ],
)
def test_what_counts_as_title_and_introduction(prose: str, text: str | None) -> None:
    assert outline_of(cells(f"md:{prose}")).text == (text or "Import from this address")
    below = cells("x = 1", f"md:{prose}")
    assert (outline_of(below).text != "") == prose.startswith("# ")


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("pd.read_excel('成绩.xlsx')\npd.read_csv('销售.csv')", "成绩.xlsx, 销售.csv"),
        ("pd.read_csv(\n    'a/b.csv',\n    sep=';',\n)", "b.csv"),
        ("pd.read_csv(filepath_or_buffer='a.csv')", "a.csv"),
        ("x = [pl.scan_parquet('s3://bucket/a.parquet')]", "a.parquet"),
        ("pd.read_csv('https://example.com/a/b.tsv')", "b.tsv"),
        ("%%time\nif x:\n    !ls\npd.read_csv('a.csv')", "a.csv"),
        ("library(dplyr)\ndf <- readr::read_csv(file = 'a.csv')", "a.csv"),
    ],
)
def test_code_names_the_data_files_that_it_reads(code: str, files: str) -> None:
    assert outline_of(cells(code)).text == files


@pytest.mark.parametrize(
    "code",
    [
        "# pd.read_csv('old.csv')",
        "print('see results.csv')",
        "OUT = 'results.csv'\ndf.to_csv(OUT)\ndf.to_csv('out.csv')",
        "open('b.csv', mode)\npd.ExcelWriter('report.xlsx')",
        "pd.read_csv(f'{folder}/{name}.csv')",
        "pd.read_csv('data/*.csv')",
        "pd.read_csv('https://example.com')",
        "pd.read_sql('select a from shop.orders', con)",
        "json.loads('a.json')\nload_dotenv('.env')\nsns.load_dataset('tips')",
        "(" * 4000,
    ],
)
def test_nothing_is_claimed_that_the_code_doesnt_do(code: str) -> None:
    assert outline_of(cells("md:# Sales", code)).text == "Sales"


ABOUT_THE_AUTHOR = [
    *("Name: Alice Smith, Matriculation 4711", "**Author(s):** Alice", "Author Alice Smith"),
    *("*by Alice Smith*", "Submitted by: Alice", "Student ID / Name: 4711, Alice"),
    *("Matriculation number: 4711", "E-Mail: alice", "Date: 2026-01-05", "First name: Alice"),
    *("<b>Name:</b> Alice", "Alice wrote this as 1234567", "Ask alice@example.com about it"),
    *("作者：张伟  日期：2026-01-05", "学号：２０２６１２３４", "学生姓名: 张伟", "姓名 张伟"),
    *("指導老師：王小明", "日期：五月", "更新时间：五月", "联系方式：微信"),
    *("In /home/ann.lee/w/in.csv", "See ~/x.csv and C:\\Users\\eve\\b.csv."),
]


@pytest.mark.parametrize("line", ABOUT_THE_AUTHOR)
@pytest.mark.parametrize("kind", ["prose", "heading", "comment"])
def test_lines_about_the_author_are_left_out(line: str, kind: str) -> None:
    notebook = {
        "prose": cells(f"md:# Homework\n\n{line}\n\nWhich shops grow?", "x = 1"),
        "heading": cells(f"md:# {line}\n# Homework\n\nWhich shops grow?", "x = 1"),
        "comment": cells("md:# Homework\n\nWhich shops grow?", f"# {line}\nx = 1"),
    }[kind]
    assert outline_of(notebook).text == "Homework\nWhich shops grow?"
    assert line not in "".join(cell.source for cell in clean_cells(notebook))


@pytest.mark.parametrize(
    "line",
    [
        *("By comparing all shops, we find the best.", "Names matter.", "Data of 202611 only."),
        *("Student performance: an overview.", "Dates are parsed first.", "作者网络分析。"),
        *("1,250,000 rows are read.", "成员增长：按月比较。", "Date ranges: all."),
    ],
)
def test_lines_about_the_subject_stay(line: str) -> None:
    assert outline_of(cells(f"md:{line}", "x = 1")).text == line


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


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(CELL, max_size=8))
def test_any_cells_give_a_short_visible_text(notebook: list[NoteCell]) -> None:
    outline = outline_of(notebook)
    assert len(outline.text) <= MAX_NOTE
    assert "a1B2a1B2" not in outline.text and "\u202e" not in outline.text
    # Not a part of another path, as in `data/home/ann`.
    assert "\ud800" not in outline.text and not re.search(r"(?<![\w.-])/home/ann", outline.text)
    assert outline_of(notebook) == outline


@pytest.mark.parametrize(
    "text",
    [
        *("[", "[a](", "# " + " " * 3998, "<", "**", "a.csv.", "' ", "~/", "读取数据销售.csv并"),
        *("f(", "a.b().", "a = !", "using A, ", "x <- read", "load('a.b')\n", "a? ", "_name ", "-"),
    ],
)
@pytest.mark.parametrize("kind", ["markdown", "code"])
def test_hostile_cells_take_linear_time(text: str, kind: str) -> None:
    source = (text * 4000)[:4000]
    hostile = [NoteCell.model_validate({"cell_type": kind, "source": source})] * 50
    with at_most(125_000_000):
        outline_of(hostile)


def test_only_the_beginning_of_a_very_long_notebook_is_examined() -> None:
    long = [NoteCell(source="#" * 4000)] * 100
    assert len(clean_cells(long * 10)) == len(long)
    outline = outline_of([*long, *cells("pd.read_csv('a.csv')")])
    assert outline.text == ""
