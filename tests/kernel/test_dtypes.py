"""Operations that fail for the dtype of a column. Each snippet also runs, to compare."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pandas as pd
import pytest

from .problems_of import check

KINDS = {"not_numbers", "not_dates", "not_text", "not_aligned"}


def shop() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "城市": ["北京", "上海", "北京"],
            "day": ["2026-01-01", "2026-01-02", "2026-01-03"],
            "size": ["1", "2", "3"],
            "price": [1.5, 2.5, 3.5],
            "sold": [1, 2, 3],
            "volume": ["1,200", "-", "300"],
            "open": [True, False, True],
            "date": pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"]),
            "kind": pd.Series(["a", "b", "a"], dtype="category"),
            "mixed": pd.Series([1, "-", 2.5], dtype=object),
        }
    )


def problems(code: str) -> list[dict]:
    reported = check(code, {"df": shop(), "np": np, "pd": pd})
    return [problem for problem in reported if problem["kind"] in KINDS]


def fails(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, {"df": shop(), "np": np, "pd": pd})
    except (TypeError, ValueError, AttributeError):
        return True
    return False


WRONG = [
    "df['城市'].mean()",
    "df.城市.median()",
    "df['volume'].std()",
    "df['size'].mean()",
    "df['mixed'].mean()",
    "df['城市'].nlargest(2)",
    "df[df['price'] > 2]['城市'].mean()",
    "df.loc[df['sold'] > 1, '城市'].mean()",
    "df.sort_values('price')['volume'].abs()",
    "df['volume'].astype(float)",
    "df['volume'].astype('int')",
    "pd.to_numeric(df['volume'])",
    "np.abs(df['day'])",
    "np.sqrt(df['volume'])",
    "np.log1p(df['城市'])",
    "np.mean(df['城市'])",
    "np.isnan(df['城市'])",
    "df.corr()",
    "df.mean()",
    "df[['price', 'volume']].corr()",
    "df.drop(columns=['kind', 'mixed', '城市', 'volume', 'date']).median()",
    "df[['城市', 'volume', 'price']].groupby('城市').mean()",
    "df[['城市', 'size', 'price']].groupby('城市').mean()",
    "df.groupby('城市')['volume'].mean()",
    "df.groupby('城市')[['volume', 'price']].std()",
    "df.groupby('sold')['城市'].agg('mean')",
    "df.groupby('sold').agg({'price': 'mean', 'volume': ['sum', 'mean']})",
    "df.groupby('城市')[['price', 'volume']].agg(['min', 'std'])",
    "df.pivot_table(index='sold', values='volume', aggfunc='median')",
    "df['volume'].between(2, 4)",
    "df['volume'] - 1",
    "df['volume'] / df['price']",
    "df['price'] / df['volume']",
    "2 - df['volume']",
    "df[-1 < df['volume']]",
    "df['price'] > '1'",
    "df['day'].dt.year",
    "df['price'].dt.year",
    "df['mixed'].dt.year",
    "days = df['day']\ndays.dt.month",
    "df['year'] = df['day'].dt.year",
    "df['price'].str.upper()",
    "df['date'].str[:4]",
    "df['open'].str.len()",
    "df['date'] = pd.to_datetime(df['date'])\ndf['date'].str[:4]",
    "df = df.sort_values('day')\ndf['day'].dt.year",
    "df.dropna(inplace=True)\ndf['day'].dt.year",
    "def f():\n    pass\ndf['day'].dt.year",
]
RIGHT = [
    "df['price'].mean()",
    "df['volume'].max()",
    "df['volume'].nunique()",
    "df['size'].astype(float).mean()",
    "pd.to_numeric(df['size']).mean()",
    "np.sqrt(df['price'])",
    "np.sum(df['城市'])",
    "np.max(df['城市'])",
    "np.sqrt(pd.to_numeric(df['volume'], errors='coerce'))",
    "np.mean(df['sold'])",
    "pd.to_numeric(df['volume'], errors='coerce').mean()",
    "df['volume'].str.replace(',', '').replace('-', '0').astype(float).mean()",
    "df[df['mixed'] != '-']['mixed'].mean()",
    "df[df['volume'] != '-'].head()",
    "df.loc[df['mixed'] == '-', 'mixed'] = 0\ndf['mixed'].mean()",
    "df.mean(numeric_only=True)",
    "df.select_dtypes('number').corr()",
    "df[['price', 'sold']].corr()",
    "df.groupby('城市')['price'].mean()",
    "df.groupby('城市')[['price', 'sold']].mean()",
    "df.groupby('城市').mean(numeric_only=True)",
    "df.groupby('城市').agg({'price': 'mean'})",
    "df.groupby('城市').size()",
    "df.groupby('城市').agg({'price': 'mean', 'volume': 'first'})",
    "df.groupby('城市')['volume'].agg(['min', 'count'])",
    "df.pivot_table(index='城市', values='price')",
    "df['day'].between('2026-01-01', '2026-01-02')",
    "df['volume'] + '!'",
    "df['size'] * 2",
    "df['volume'] == 1",
    "df['volume'] > ''",
    "df['date'] > '2026-01-02'",
    "df['price'] - df['sold']",
    "df['date'].dt.year",
    "df['open'].mean()",
    "df['day'] = pd.to_datetime(df['day'])\ndf['day'].dt.year",
    "df.day = pd.to_datetime(df.day)\ndf.day.dt.year",
    "df = df.assign(day=lambda d: pd.to_datetime(d['day']))\ndf['day'].dt.year",
    "df['day'] = df['day'].astype('datetime64[ns]')\ndf['day'].dt.year",
    "df[['day']] = df[['day']].apply(pd.to_datetime)\ndf['day'].dt.year",
    "for name in ['day']:\n    df[name] = pd.to_datetime(df[name])\ndf['day'].dt.year",
    "if df['day'].dtype != 'M8[ns]':\n    df['day'] = pd.to_datetime(df['day'])\ndf['day'].dt.year",
    "def fix(frame):\n    frame['day'] = pd.to_datetime(frame['day'])\nfix(df)\ndf['day'].dt.year",
    "def fix():\n    df['day'] = pd.to_datetime(df['day'])\nfix()\ndf['day'].dt.year",
    "df = df.astype({'day': 'datetime64[ns]'})\ndf['day'].dt.year",
    "df.update(df[['price']])\ndf['price'].mean()",
    "df['kind'].str.upper()",
    "df['mixed'].str.upper()",
    "try:\n    df['day'].dt.year\nexcept AttributeError:\n    pass",
    "def later():\n    return df['day'].dt.year",
    "df.columns = list('abcdefghij')\ndf['d'].mean()",
    "df = df.rename(columns={'day': 'price', 'price': 'x'})\ndf['x'].mean()",
]


@pytest.mark.parametrize("code", WRONG)
def test_an_operation_that_fails_is_reported(code):
    assert fails(code)
    assert len(problems(code)) == 1


@pytest.mark.parametrize("code", RIGHT)
def test_an_operation_that_runs_is_not_reported(code):
    assert not fails(code)
    assert problems(code) == []


@pytest.mark.parametrize(
    ("code", "corrected"),
    [
        (
            "df[['day', 'price', 'sold']].corr()",
            "df[['day', 'price', 'sold']].corr(numeric_only=True)",
        ),
        (
            "df[['城市', 'day', 'price']].groupby('城市').mean()",
            "df[['城市', 'day', 'price']].groupby('城市').mean(numeric_only=True)",
        ),
        (
            "df[['城市', 'price', 'sold']].corr('spearman',)",
            "df[['城市', 'price', 'sold']].corr('spearman', numeric_only=True)",
        ),
        ("# 日期\ndf['day'].dt.year", "# 日期\npd.to_datetime(df['day']).dt.year"),
        ("print('一', df['price'].str[:1])", "print('一', df['price'].astype(str).str[:1])"),
    ],
)
def test_the_correction_runs(code, corrected):
    [problem] = problems(code)
    lines = code.split("\n")
    line = lines[problem["line"] - 1]
    start, end = problem["column"], problem["end_column"]
    assert line[start:end] == problem["name"]
    lines[problem["line"] - 1] = line[:start] + problem["correction"] + line[end:]
    assert "\n".join(lines) == corrected
    assert not fails(corrected)


def test_an_order_of_day_and_month_that_is_not_certain_is_left_to_the_person():
    frame = pd.DataFrame({"day": ["03/02/2026", "04/02/2026"], "month": ["Feb 3, 2026", "x"]})
    [problem] = check("df['day'].dt.month", {"df": frame, "pd": pd})
    assert problem["candidates"] == [
        "pd.to_datetime(df['day'])",
        "pd.to_datetime(df['day'], dayfirst=True)",
    ]
    assert problem["correction"] == ""
    [problem] = check("df['month'].dt.month", {"df": frame, "pd": pd})
    assert problem["candidates"] == []
    [problem] = check("df['month'].dt.month", {"df": frame[:1], "pd": pd})
    assert problem["correction"] == "pd.to_datetime(df['month'])"


@pytest.mark.parametrize(
    "code",
    [
        "df.mean()",  # ``volume`` contains figures, which should be converted instead
        "df[['城市', 'price', 'open']].quantile()",
        "df[['城市', 'price', 'date']].cov()",
        "df.groupby('城市')['volume'].mean()",
        f"df['new'] = df[df['price'] > 1{'0' * 200}]['城市'].value_counts()",
    ],
)
def test_there_is_no_correction_that_would_fail_or_hide_the_cause(code):
    assert [problem["candidates"] for problem in problems(code)] == [[]]


def test_an_alias_of_pandas_is_used():
    reported = check("import pandas as panda\ndf['day'].dt.year", {"df": shop()})
    assert reported[0]["candidates"] == ["panda.to_datetime(df['day'])"]


def test_there_is_no_correction_for_text_that_is_not_a_date_column_or_several_lines():
    assert problems("df['mixed'].dt.year")[0]["candidates"] == []
    assert problems("df['volume'].mean()")[0]["candidates"] == []
    [problem] = problems("df.corr(\n    method='pearson',\n)")
    assert (problem["name"], problem["candidates"]) == ("corr(", [])


@pytest.mark.parametrize(
    ("rows", "code", "is_reported"),
    [
        ("2026-01-01,1\n2026-01-02,2\n", "df['day'].dt.year", True),
        ("2026-01-01,1\n", "df['n'].dt.year", False),
        ("a,1\n,2\n", "df.corr()", True),
        ("1,1\nNA,2\n", "df.corr()", False),
        ("True,1\nFalse,2\n", "df['day'].mean()", False),
        ('"1,200",1\n', "df['day'].mean()", True),
        ("a,1,2\n", "df['day'].mean()", False),
    ],
)
def test_the_first_rows_of_a_csv_file_tell_its_columns_of_text(tmp_path, rows, code, is_reported):
    (tmp_path / "days.csv").write_text("day,n\n" + rows, encoding="utf-8")
    read = "import pandas as pd\ndf = pd.read_csv('days.csv')\n"
    reported = check(read + code, {}, folder=str(tmp_path))
    assert bool([problem for problem in reported if problem["kind"] in KINDS]) == is_reported
    converted = read.replace("csv')", "csv', converters={'day': float})")
    assert check(converted + code, {}, folder=str(tmp_path)) == []


def test_no_method_of_a_persons_array_is_called(tmp_path):
    class Hostile(pd.api.extensions.ExtensionArray):  # type: ignore[misc]
        dtype = pd.api.types.pandas_dtype("category")
        is_armed = False

        def __len__(self):
            self._touched()
            return 2

        def __getitem__(self, item):
            self._touched()
            return "x"

        def copy(self):
            return self

        def _touched(self):
            if Hostile.is_armed:
                os.write(2, b"touched\n")
                raise AssertionError("touched")

    array = Hostile()
    frame = pd.DataFrame({"a": ["x", "y"], "b": pd.Series(array)})
    Hostile.is_armed = True
    reported = check("df['a'].mean()", {"df": frame})
    Hostile.is_armed = False
    assert [problem["kind"] for problem in reported] == ["not_numbers"]


def test_a_sum_that_joins_figures_is_reported():
    [problem] = problems("df['size'].sum()")
    converted = """df['size'].str.replace(r"[^\\d.-]", "", regex=True).astype(float).sum()"""
    assert f"df['size'].{problem['correction']}" == converted
    assert eval(converted, {"df": shop()}) == 6
    for code in ("df['volume'].sum()", "df.groupby('sold')['size'].sum()"):
        assert [item["correction"] for item in problems(code)] == [""]
    for code in ("df['城市'].sum()", "df['day'].sum()", "df.groupby('sold')['price'].sum()"):
        assert not problems(code)


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-01-08", "2024年1月15日", "2024.1.29"],
        ["2024年1月15日", "2024年1月16日"],
        ["2024/1/8", None, "2024-01-09"],
        ["2024-01-08", "2024-01-09 10:30"],
        ["2024-01-08T10:30:00", "2024-01-08 10:30"],
    ],
)
@pytest.mark.parametrize("option", ["", ", errors='coerce'"])
def test_dates_in_several_formats(texts, option):
    names = {"df": pd.DataFrame({"日期": texts}), "pd": pd}
    code = f"df['日期'] = pd.to_datetime(df['日期']{option})"
    [problem] = check(code, names)
    assert problem["kind"] == "not_dates"
    corrected = code[: problem["column"]] + problem["correction"] + code[problem["end_column"] :]
    if not option:
        with pytest.raises((ValueError, UserWarning)):
            exec(code, {"df": names["df"].copy(), "pd": pd})
    exec(corrected, names)
    count = sum(text is not None for text in texts)
    assert (names["df"]["日期"].dt.year == 2024).sum() == count


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-01-08", "2024-1-9"],
        ["2024.1.29", "2024.1.30"],
        ["5 Jan 2024", "16 Jan 2024"],
        ["01/02/2024", "11/2/2024"],
    ],
)
def test_dates_in_one_format(texts):
    code = "pd.to_datetime(df['day'])"
    names = {"df": pd.DataFrame({"day": texts}), "pd": pd}
    assert check(code, names) == []
    exec(code, names)


def test_dates_with_a_given_format_are_not_examined():
    names = {"df": pd.DataFrame({"day": ["2024-01-08", "2024/1/9"]}), "pd": pd}
    assert check("pd.to_datetime(df['day'], format='mixed')", names) == []


def test_the_year_of_dates_in_several_formats():
    names = {"df": pd.DataFrame({"日期": ["2024/1/8", "2024年1月9日"]}), "pd": pd}
    code = "df['日期'].dt.year.tolist()"
    [problem] = check(code, names)
    corrected = code[: problem["column"]] + problem["correction"] + code[problem["end_column"] :]
    assert eval(corrected, names) == [2024, 2024]
