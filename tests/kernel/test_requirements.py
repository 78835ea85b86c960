"""Packages that a library needs only for some of its functions are missed before the code runs."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

from aiserver.kernel.frames import value_checks

from .problems_of import check, sales

VARIABLES = {"pd": pd, "pl": pl, "df": sales(), "units": pl.DataFrame({"unit": [1]})}


@pytest.fixture
def installed(monkeypatch) -> set[str]:
    """Only these optional modules are installed."""
    names: set[str] = set()
    monkeypatch.setattr(value_checks, "absent_part", lambda name: None if name in names else name)
    return names


def missing(code: str) -> list[tuple[str, str]]:
    problems = check(code, VARIABLES)
    return [
        (item["name"], item["package"]) for item in problems if item["kind"] == "missing_module"
    ]


@pytest.mark.parametrize(
    ("code", "module", "package", "other"),
    [
        ("df.to_excel('a.xlsx')", "openpyxl", "openpyxl", "xlsxwriter"),
        ("df.groupby('qty').sum().to_excel('a.xlsx')", "openpyxl", "openpyxl", "xlsxwriter"),
        ("with pd.ExcelWriter('a.xlsx') as w: pass", "openpyxl", "openpyxl", "openpyxl"),
        ("pd.read_excel('a.xlsx')", "openpyxl", "openpyxl", "python_calamine"),
        ("pd.read_excel(io='a.xls')", "xlrd", "xlrd", "xlrd"),
        ("pd.ExcelFile('a.ods')", "odf", "odfpy", "odf"),
        ("from pandas import read_excel\nread_excel('a.XLSX')", "openpyxl", "openpyxl", "openpyxl"),
        ("pd.read_parquet(x)", "pyarrow", "pyarrow", "fastparquet"),
        ("df.to_feather('a')", "pyarrow", "pyarrow", "pyarrow"),
        ("pd.read_html(x)", "lxml", "lxml", "html5lib"),
        ("print(df.to_markdown())", "tabulate", "tabulate", "tabulate"),
        ("df.plot()", "matplotlib", "matplotlib", "plotly"),
        ("df.plot.bar()", "matplotlib", "matplotlib", "matplotlib"),
        ("df['qty'].plot(kind='bar')", "matplotlib", "matplotlib", "hvplot"),
        ("df['qty'].hist()", "matplotlib", "matplotlib", "matplotlib"),
        ("pl.read_excel('a.xlsx')", "fastexcel", "fastexcel", "fastexcel"),
        ("units.write_excel('a.xlsx')", "xlsxwriter", "xlsxwriter", "xlsxwriter"),
    ],
)  # fmt: skip
def test_a_package_that_is_needed_at_run_time(installed, code, module, package, other):
    assert missing(code) == [(module, package)]
    installed.add(other)
    assert missing(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "df.to_csv('a.csv')",
        "pd.read_excel(x)",
        "pd.read_excel('a.xlsx', **x)",
        "pd.read_excel('a.xlsx', engine=x)",
        "pd.read_parquet(x, engine='mine')",
        "pd.read_xml(x, parser='etree')",
        "%pip install openpyxl\ndf.to_excel('a.xlsx')",
        "try:\n    df.to_excel('a.xlsx')\nexcept ImportError:\n    pass",
        "x.to_excel('a.xlsx')",
    ],
)
def test_nothing_is_reported_where_it_is_not_certain(installed, code):
    assert missing(code) == []
