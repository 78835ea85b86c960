"""The outline of a notebook: its wording, its limits, and what it never contains."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.memory.limits import MAX_NOTE
from aiserver.memory.notes.outline import clean_cells, outline_of
from aiserver.requests import NoteCell

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
    'spark.sql("select * from fact_sales f join t on t.id = f.id")',
    "md:## 建模",
)


def test_an_english_notebook_is_worded_in_english() -> None:
    assert outline_of(ENGLISH).text.splitlines() == [
        "Sales 2026: We compare the monthly revenue of all shops. It grows!",
        "Reads sales.csv and a.parquet with pandas and scikit-learn.",
        "The last section with code is “Clean”.",
    ]


def test_a_chinese_notebook_is_worded_in_its_script() -> None:
    assert outline_of(SIMPLIFIED).text.splitlines() == [
        "门店销售分析：分析各门店的月度收入，找出季节规律。然后预测。",
        "用 pandas 读取销售.csv。",
        "最后一个有代码的章节是“读取”。",
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
        ("# 读取成绩\npd.read_excel('成绩.xlsx')", "读取成绩.xlsx。"),
        ("# 读取\npd.read_excel('a.xlsx')\npd.read_csv('销售.csv')", "读取 a.xlsx、销售.csv。"),
        ("pd.read_csv(\n    'a/b.csv',\n    sep=';',\n)", "Reads b.csv."),
        ("pd.read_csv(filepath_or_buffer='a.csv')", "Reads a.csv."),
        ("x = [pl.scan_parquet('s3://bucket/a.parquet')]", "Reads a.parquet."),
        ("pd.read_csv('https://example.com/a/b.tsv')", "Reads b.tsv."),
        ("json.load(open('a.json'))\nnp.load('b.npy')", "Reads a.json and b.npy."),
        ("open('my notes.txt', 'r')\nopen('c.txt', mode='rb')", "Reads c.txt."),
        ("%matplotlib inline\n!pip install x\npd.read_csv('a.csv')", "Reads a.csv."),
        ("%%time\nif x:\n    !ls\nfiles = !ls\npd.read_csv('a.csv')", "Reads a.csv."),
        ("import pandas, os\nfrom . import own\npd.read_csv('a.csv')", "Reads a.csv with pandas."),
        ("library(dplyr)\ndf <- read.csv('a.csv')", "Reads a.csv with dplyr."),
        (
            'df <- readr::read_csv(file = "a.csv") %>% filter(x > 1)\nrequire(ggplot2)',
            "Reads a.csv with ggplot2.",
        ),
        ('using DataFrames, CSV\nload("a.jld2")', "Reads a.jld2 with DataFrames and CSV."),
    ],
)
def test_code_without_prose_names_its_data(code: str, text: str) -> None:
    assert outline_of(cells(code)).text == text


@pytest.mark.parametrize(
    "code",
    [
        "df.select(a)",
        "# pd.read_csv('old.csv')",
        "print('see results.csv')",
        "OUT = 'results.csv'\ndf.to_csv(OUT)",
        "df.to_csv(\n    'out.csv',\n    index=False,\n)",
        "open('log.txt', 'a')\nopen('b.txt', mode)\npd.ExcelWriter('report.xlsx')",
        "df.to_csv('a.csv')\npd.read_csv('a.csv')",
        "pd.read_csv(f'{folder}/{name}.csv')",
        "pd.read_csv('data/*.csv')",
        "pd.read_csv('https://example.com')",
        "pd.read_sql('select a from shop.orders', con)",
        "json.loads('a.json')\nload_dotenv('.env')\nsns.load_dataset('tips')",
        "%%sql\nSELECT * FROM orders JOIN customers",
        "%%writefile a.py\npd.read_csv('a.csv')",
        "def f():\n    '''Read\n    from the beginning\n    '''\nq = 'select a from b'",
        "'''\nimport pandas\nfrom the beginning\n'''",
        "pd.read_csv('a.csv') and then plot\nimport pandas",
        "write.csv(\n  df,\n  'b.csv')",
        "using the data we see\nx",
        "(" * 4000,
        "x" + ".a" * 1999,
    ],
)
def test_nothing_is_claimed_that_the_code_doesnt_do(code: str) -> None:
    assert outline_of(cells("md:# Sales", code)).text == "Sales."


ABOUT_THE_AUTHOR = [
    *("Name: Alice Smith, Matriculation 4711", "**Author(s):** Alice", "Author Alice Smith"),
    *("*by Alice Smith*", "Submitted by: Alice", "Student ID / Name: 4711, Alice"),
    *("Matriculation number: 4711", "E-Mail: alice", "Date: 2026-01-05", "First name: Alice"),
    *("<b>Name:</b> Alice", "Alice wrote this as 1234567", "Ask alice@example.com about it"),
    *("作者：张伟  日期：2026-01-05", "学号：２０２６１２３４", "学生姓名: 张伟", "姓名 张伟"),
    *("指導老師：王小明", "日期：五月", "更新时间：五月", "联系方式：微信"),
]


@pytest.mark.parametrize("line", ABOUT_THE_AUTHOR)
@pytest.mark.parametrize("kind", ["prose", "heading", "comment"])
def test_lines_about_the_author_are_left_out(line: str, kind: str) -> None:
    notebook = {
        "prose": cells(f"md:# Homework\n\n{line}\n\nWhich shops grow?", "x = 1"),
        "heading": cells(f"md:# {line}\n# Homework\n\nWhich shops grow?", "x = 1"),
        "comment": cells("md:# Homework\n\nWhich shops grow?", f"# {line}\nx = 1"),
    }[kind]
    assert outline_of(notebook).text == "Homework: Which shops grow?"
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


def test_headings_are_cut_after_their_markup_was_removed() -> None:
    link = "[address](https://example.com/" + "a" * 200 + ")"
    first = cells("md:# T", f"md:## Import from this {link}", "x", "md:## End:")
    assert outline_of(first).text == "T.\nThe last section with code is “Import from this address”."
    assert outline_of([*first, *cells("x")]).text == "T.\nThe last section with code is “End”."


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


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(CELL, max_size=8))
def test_any_cells_give_a_short_visible_text(notebook: list[NoteCell]) -> None:
    outline = outline_of(notebook)
    assert len(outline.text) <= MAX_NOTE
    assert "a1B2a1B2" not in outline.text and "\u202e" not in outline.text
    assert "\ud800" not in outline.text and "/home/" not in outline.text
    assert len(outline.cells) == len(notebook)
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
    assert outline.text == "" and len(outline.cells) == 101
