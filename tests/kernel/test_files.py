"""Missing files, and the columns of files that a suggestion reads."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

from aiserver.kernel.check import check_suggestion

from .problems_of import check


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "销售.csv").write_text("城市,价格,qty\na,1,2\n", encoding="utf-8")
    (tmp_path / "data.tsv").write_text("a\tb\n1\t2\n")
    (tmp_path / "unnamed.csv").write_text("a,,\n1,2,3\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    return tmp_path


def problems(code, folder):
    problems = check(code, {"pd": pd, "pl": pl}, folder=str(folder))
    return [(item["kind"], item["name"], item["candidates"]) for item in problems]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("pd.read_csv('销.csv')", ("missing_file", "销.csv", ["销售.csv"])),
        ("open('data.tvs')", ("missing_file", "data.tvs", ["data.tsv"])),
        ("open('none', 'rb')", ("missing_file", "none", [])),
        ("df = pd.read_csv('销售.csv')\ndf['价']", ("missing_column", "价", ["价格"])),
        ("pd.read_csv('销售.csv', usecols=['价'])", ("missing_column", "价", ["价格"])),
        ("pd.read_csv('unnamed.csv')[['Unnamed: 2', 'b']]", ("missing_column", "b", [])),
        ("pd.read_csv('data.tsv', sep='\\t')['c']", ("missing_column", "c", [])),
        (
            "import pandas\npandas.read_csv('销售.csv').groupby('市')",
            ("missing_column", "市", ["城市"]),
        ),
        ("pl.read_csv('销售.csv').select('价')", ("missing_column", "价", ["价格"])),
    ],
)
def test_problems_of_files_are_found(code, problem, folder):
    assert problems(code, folder) == [problem]


@pytest.mark.parametrize(
    "code",
    [
        "pd.read_csv('https://example.org/x.csv')",
        "pd.read_csv('part-*.csv')",
        "open('new.txt', 'w')",
        "pd.read_csv('销售.csv', index_col='城市')['价格']",
        "pd.read_csv('销售.csv', index_col=0).groupby('城市')",
        "pd.read_csv('销售.csv', header=None)[0]",
        "pd.read_csv('销售.csv', names=['x', 'y', 'z'])['x']",
        "pd.read_csv('twice.csv')['a.1']",
        "pd.DataFrame({'a': [1]}).to_csv('new.csv')\npd.read_csv('new.csv')",
        "import urllib.request\nurllib.request.urlretrieve('u', 'new.csv')\npd.read_csv('new.csv')",
        "!wget x\npd.read_csv('new.csv')",
        "import os\nif os.path.exists('new.csv'):\n    pd.read_csv('new.csv')",
        "try:\n    open('none')\nexcept FileNotFoundError:\n    pass",
        "def load():\n    return pd.read_csv('made_later.csv')",
        "path = input()\npd.read_csv(path)",
    ],
)
def test_files_that_may_exist_are_no_problem(code, folder):
    assert problems(code, folder) == []


def test_the_open_of_ipython_is_open(folder):
    from IPython.core.interactiveshell import _modified_open

    variables = {"open": _modified_open}
    code = "open('none.txt')\nopen('data.tsv', ode='r')\nopen('new.txt', 'w', encoding='utf-8')"
    problems = check(code, variables, folder=str(folder))
    assert [item["name"] for item in problems] == ["none.txt", "ode"]


@pytest.mark.parametrize("code", ["open('none')", "df = pd.read_csv('销售.csv')\ndf['价']"])
def test_no_file_is_looked_at_for_an_agent(code, folder, monkeypatch):
    """P55: the agent would learn which files there are, and their first lines."""
    monkeypatch.chdir(folder)
    assert check_suggestion(code, {"pd": pd})["problems"]
    assert check_suggestion(code, {"pd": pd}, mode="agent")["problems"] == []
    code = "df.to_csv('销售.csv')"
    assert check_suggestion(code, {"df": pd.DataFrame()})["warnings"]
    assert check_suggestion(code, {"df": pd.DataFrame()}, mode="agent")["warnings"] == []
