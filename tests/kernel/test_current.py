"""Code for older libraries, or that has no effect, is reported with the code in its place (P41)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from .problems_of import check

IS_3 = int(pd.__version__.split(".")[0]) > 2
SINCE_3 = True
"""An older pandas accepts the code, so there is no problem."""


def variables() -> dict[str, Any]:
    days = pd.date_range("2026-01-01", periods=3)
    df = pd.DataFrame(
        {
            "name": ["a", "b", "c"],
            "price": [1.0, 2.0, 3.0],
            "city": ["x", "y", "x"],
            "amount": ["$1,200", "$3", "$5"],
            "weight": ["3 kg", "4.5 kg", "5 kg"],
            "qty": [1, 2, 3],
            "day": days,
        }
    )
    return {
        "pd": pd,
        "np": np,
        "df": df,
        "ts": df.set_index("day")[["qty"]],
        "named": df.groupby("city")[["price"]].sum(),
    }


# Code that fails with this pandas and numpy, and its correction.
FAILS: list[tuple[str, str, bool]] = [
    ("ts.resample('2M').sum()", "ts.resample('2ME').sum()", SINCE_3),
    ("ts.resample(rule='Q-MAR').sum()", "ts.resample(rule='QE-MAR').sum()", SINCE_3),
    (
        "df.groupby(pd.Grouper(key='day', freq='A'))['qty'].sum()",
        "df.groupby(pd.Grouper(key='day', freq='YE'))['qty'].sum()",
        SINCE_3,
    ),
    (
        "pd.date_range('2026', periods=3, freq='H')",
        "pd.date_range('2026', periods=3, freq='h')",
        SINCE_3,
    ),
    ("df['day'].dt.floor('H')", "df['day'].dt.floor('h')", SINCE_3),
    ("df.applymap(str)", "df.map(str)", SINCE_3),
    ("df.fillna(method='ffill')", "df.ffill()", SINCE_3),
    ("df['price'].astype(np.float)", "df['price'].astype(float)", False),
    ("np.float(3)", "float(3)", False),
    ("df['price'].fillna(np.NaN)", "df['price'].fillna(np.nan)", False),
    (
        "df.groupby('city')['price'].agg('average')",
        "df.groupby('city')['price'].agg('mean')",
        False,
    ),
    (
        "df.groupby('city').agg({'price': ['avg', 'max']})",
        "df.groupby('city').agg({'price': ['mean', 'max']})",
        False,
    ),
    (
        "df.pivot_table(index='city', values='price', aggfunc='total')",
        "df.pivot_table(index='city', values='price', aggfunc='sum')",
        False,
    ),
    ("df['qty'].astype(int64)", "df['qty'].astype('int64')", False),
    ("df['qty'].astype('integer')", "df['qty'].astype('int')", False),
    (
        "df['amount'].astype(float)",
        'df[\'amount\'].str.replace(r"[^\\d.-]", "", regex=True).astype(float)',
        False,
    ),
    (
        "pd.to_numeric(df['weight'])",
        'pd.to_numeric(df[\'weight\'].str.replace(r"[^\\d.-]", "", regex=True))',
        False,
    ),
    ("df.iloc[0:2, 'price']", "df['price'].iloc[0:2]", False),
    ("df.iloc[:, ['price', 'qty']]", "df[['price', 'qty']].iloc[:]", False),
    ("df.iloc[df['qty'] > 1, 'price']", "df.loc[df['qty'] > 1, 'price']", False),
    ("named.iloc['x', 'price']", "named.loc['x', 'price']", False),
    ("named.iloc['x':'y', ['price']]", "named.loc['x':'y', ['price']]", False),
    ("df[['name', 'price']].mean('price')", "df[['name', 'price']]['price'].mean()", False),
    ("df.drop('price')", "df.drop(columns='price')", False),
    ("df.drop(['price', 'qty'])", "df.drop(columns=['price', 'qty'])", False),
    ("df['price'].sort_values('price')", "df['price'].sort_values()", False),
    (
        "df.groupby('city')['price'].mean().sort_values(by='price', ascending=False)",
        "df.groupby('city')['price'].mean().sort_values(ascending=False)",
        False,
    ),
    ("df.mean('price')", "df['price'].mean()", False),
    ("df.groupby('city').mean('price')", "df.groupby('city')['price'].mean()", SINCE_3),
    ("df['price'].median('price')", "df['price'].median()", False),
    (
        "df.groupby('city').agg(mean=('price', 'average'))",
        "df.groupby('city').agg(mean=('price', 'mean'))",
        False,
    ),
    (
        "df[df['price'] > 1 and df['qty'] < 3]",
        "df[(df['price'] > 1) & (df['qty'] < 3)]",
        False,
    ),
    (
        "df[(df['price'] > 1) or (df['qty'] < 3)]",
        "df[(df['price'] > 1) | (df['qty'] < 3)]",
        False,
    ),
    ("df[not df['price'] > 1]", "df[~(df['price'] > 1)]", False),
    ("df.shape()", "df.shape", False),
    (
        "df.append(df.head(1), ignore_index=True)",
        "pd.concat([df, df.head(1)], ignore_index=True)",
        False,
    ),
    (
        "df.append({'name': 'd', 'qty': 4}, ignore_index=True)",
        "pd.concat([df, pd.DataFrame([{'name': 'd', 'qty': 4}])], ignore_index=True)",
        False,
    ),
    ("df.loc['price'].sum()", "df['price'].sum()", False),
    ("df.loc[['price', 'qty']]", "df[['price', 'qty']]", False),
    ("df.dropna().drop('price')", "df.dropna().drop(columns='price')", False),
    (
        "df.groupby('city')['price'].sum.sort_values()",
        "df.groupby('city')['price'].sum().sort_values()",
        False,
    ),
    (
        "for city in df['city'].unique:\n    pass",
        "for city in df['city'].unique():\n    pass",
        False,
    ),
    (
        "mean = df['price'].mean\ndf['price'] - mean",
        "mean = df['price'].mean()\ndf['price'] - mean",
        False,
    ),
    ("df['day'].dt.year.sort_values('day')", "df['day'].dt.year.sort_values()", False),
    (
        "ts['qty'].resample('D').agg(['average'])",
        "ts['qty'].resample('D').agg(['mean'])",
        False,
    ),
    ("df['day'].year", "df['day'].dt.year", False),
    ("df['day'].dt.weekofyear", "df['day'].dt.isocalendar().week", False),
    ("df[df['price'] > df['price'].mean]", "df[df['price'] > df['price'].mean()]", False),
]
# Code that runs and doesn't do what it says, and its correction.
NO_EFFECT: list[tuple[str, str, bool]] = [
    (
        "df[['price', 'qty']][df['qty'] > 1] = 0",
        "df.loc[df['qty'] > 1, ['price', 'qty']] = 0",
        SINCE_3,
    ),
    ("df['price'][0] = 5", "df.loc[0, 'price'] = 5", SINCE_3),
    ("df[df['price'] > 1]['city'] = 'z'", "df.loc[df['price'] > 1, 'city'] = 'z'", SINCE_3),
    ("df.loc[df['price'] > 1]['city'] = 'z'", "df.loc[df['price'] > 1, 'city'] = 'z'", SINCE_3),
    ("df['price'].clip(2, inplace=True)", "df['price'] = df['price'].clip(2)", SINCE_3),
    ("df = df.rename({'price': 'cost'})", "df = df.rename(columns={'price': 'cost'})", False),
]
# Code whose value isn't the one that it means, and its correction.
WRONG_VALUE: list[tuple[str, str, bool]] = [
    ("df2 = df.sort_values('price', inplace=True)", "df2 = df.sort_values('price')", False),
    ("df2 = df['qty'].tolist().sort()", "df2 = sorted(df['qty'].tolist())", False),
    ("df['price'].mean", "df['price'].mean()", False),
    ("print(df.head)", "print(df.head())", False),
    ("df['name'].dtype == 'object'", "df['name'].dtype == \"str\"", SINCE_3),
    (
        "[c for c in df if df[c].dtype == object]",
        '[c for c in df if df[c].dtype == "str"]',
        SINCE_3,
    ),
    (
        "pd.to_numeric(df['weight'], errors='coerce')",
        "pd.to_numeric(df['weight'].str.replace(r\"[^\\d.-]\", \"\", regex=True), errors='coerce')",
        False,
    ),
]


def corrected(code: str) -> str:
    """Apply the corrections, the last one first, as the page does."""
    for problem in reversed(check(code, variables())):
        if problem["correction"]:
            start, end = problem["column"], problem["end_column"]
            code = code[:start] + problem["correction"] + code[end:]
    return code


def run(code: str) -> dict[str, Any]:
    space = variables()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, space)
    return space


@pytest.mark.parametrize(("wrong", "right", "since_3"), FAILS)
def test_code_that_fails_is_corrected(wrong: str, right: str, since_3: bool) -> None:
    if since_3 and not IS_3:
        assert check(wrong, variables()) == []
        return
    assert corrected(wrong) == right
    with pytest.raises(
        (ValueError, TypeError, LookupError, AttributeError, RuntimeError, NameError)
    ):
        run(wrong)
    run(right)


@pytest.mark.parametrize(("wrong", "right", "since_3"), NO_EFFECT)
def test_code_that_changes_nothing_is_corrected(wrong: str, right: str, since_3: bool) -> None:
    if since_3 and not IS_3:
        assert check(wrong, variables()) == []
        return
    assert corrected(wrong) == right
    before = variables()["df"]
    assert run(wrong)["df"].equals(before)
    assert not run(right)["df"].equals(before)


@pytest.mark.parametrize(("wrong", "right", "since_3"), WRONG_VALUE)
def test_code_with_another_value_is_corrected(wrong: str, right: str, since_3: bool) -> None:
    if since_3 and not IS_3:
        assert check(wrong, variables()) == []
        return
    assert corrected(wrong) == right
    run(wrong)
    run(right)


@pytest.mark.parametrize(
    "code",
    [
        "if df['price'] > 1:\n    print(1)",
        "def f(a, b):\n    return a + b\nf(1)",
        "def f(a, b=1, *, c):\n    return a\nf(1)",
        "def f(a):\n    return a\nf(1, 2)",
        "def f(a, b=1):\n    return a\nf(1, 2, b=3)",
        "def f(frame):\n    return frame['prise'].max()\nf(df), f(df[['price', 'qty']])",
        "def f(frame):\n    frame = frame.copy()\n    frame.loc[frame['qtyy'] > 1, 'x'] = 1\nf(df)",
        "def f(frame, n):\n    return frame['prise'] + n\nf(df, 1)\nf(df, 2)",
        "df.groupby('city').apply(lambda group: group['prise'].max())",
        "df[lambda frame: frame['prise'] > 1]",
        "df.loc[lambda frame: frame['prise'] > 1]",
        "df.pipe(lambda frame: frame['prise'])",
        "df.loc['x', 'price']",
        "named.loc['z', 'price']",
        "named.loc[['x', 'z']]",
        "sums = df.groupby('city').agg({'price': 'sum'})\na, b = sums['city'], 1",
        "df.groupby('city')['price'].sum()['price']",
        "df.groupby('city')['price'].sum()['city']",
        "df.loc['x']",
        "df.iloc[['x']]",
        "def f(row):\n    return row['prise']\ndf.apply(f, axis=1)",
        "def f(frame):\n    return frame['prise'].mean()\nf(df)",
        "df.groupby('city').sum(numeric_only=True)['city']",
        "df.groupby('city')['price'].agg('men')",
    ],
)
def test_code_that_fails_is_reported(code: str) -> None:
    assert check(code, variables())
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError)):
        run(code)


@pytest.mark.parametrize(
    "code",
    [
        "df['day'].dt.to_period('M')",
        "named.loc['x', 'price'], named.loc[['y']], named.head(1).loc['x']",
        "if 'z' in named.index:\n    named.loc['z']",
        "named.loc['z', 'price'] = 1\nnamed.loc['z']",
        "df.loc['z'] = df.loc[0]\ndf.loc['z']",
        "df.T.loc['price']",
        "df.describe().loc['mean']",
        "df.set_index('name').loc['a']",
        "df.groupby('city').agg({'price': 'sum'}).loc['x']",
        "df.rename(index={0: 'first'}).loc['first']",
        "ts.loc['2026-01-01']",
        "items = []\nitems.append(df)",
        "def f(frame, name):\n    return frame[name]\nf(df, 'price')\nf(df, 'qty')",
        "def f(frame):\n    return frame['new']\nf(df.assign(new=1))\nf(df.assign(new=2))",
        "def f(a, **more):\n    return a\nf(1, b=2)",
        "df.groupby('city').apply(lambda group: group['price'].max())",
        "df.loc[lambda frame: frame['price'] > 1]",
        "mean = df['price'].mean\nprint(mean())",
        "functions = {'mean': df['price'].mean}\nfor f in functions.values():\n    f()",
        "mean = df['price'].mean\nlist(map(mean, []))",
        "def f(frame, name='price'):\n    return frame[name]\nf(df), f(df, 'qty')",
        "def f(frame):\n    return frame['price'].max()\nf(df), f(df[['price', 'qty']])",
        "for name in ['new']:\n    df['new'] = 1\n    df.loc[df['new'] > 0, 'x'] = df['new']",
        "ts.resample(rule='D').sum()",
        "np.prod([1, 2])",
        "df['price'].mean.__name__",
        "df['name'].str[0].str.upper()",
        "df['day'].dt.year.max(), df['day'].dt.date[0]",
        "frames = [df, df]\nfor frame in frames:\n    frame['z'] = 1\ndf['z']",
        "ts['qty'].resample('D').agg(['mean', 'max'])",
        "df.groupby(['city', 'name']).agg({'name': 'count'}).loc[:, 'name']",
        "df.groupby('city', as_index=False).sum(numeric_only=True)['city']",
        "ts.resample('ME').sum()",
        "ts.resample('D').sum()",
        "df.rename({0: 'first'})",
        "df.rename(columns=str.upper)",
        "df.drop(0)",
        "ts.drop('2026-01-01')",
        "df.set_index('city').drop('x')",
        "df['price'].agg('average')",
        "df.groupby('city')['price'].agg(lambda s: s.mean())",
        "df.groupby('city')['price'].sum()['x']",
        "df.groupby('city')['price'].sum().iloc[0]",
        "if df['price'].any() and len(df) > 1:\n    pass",
        "if df is not None and not df.empty:\n    pass",
        "problems = df['price'].max() > 1 or df['qty'].min() < 3",
        "df.fillna({'price': 0}, inplace=True)",
        "df.loc[0, 'price'] = 5",
        "copy = df[df['price'] > 1].copy()\ncopy['city'] = 'z'",
        "values = df['price'].copy()\nvalues[0] = 5",
        "lists = {'a': [1]}\nlists['a'][0] = 2",
        "mean = df['price'].mean\nmean()",
        "functions = [df.mean, df.sum]",
        "df['price'].apply(np.sqrt)",
        "df.mean(axis='columns', numeric_only=True)",
        "df.groupby('city').mean(True)",
        "df.mean('columns', numeric_only=True)",
        "def f(a, *more, b=1):\n    return a\nf(1, 2, 3)",
        "def f(a):\n    return a\nf(*[1])",
        "def f(frame):\n    frame['new'] = 1\n    return frame['new']\nf(df)",
        "def f(row):\n    return row['price']\ndf.apply(f, axis=1)",
        "def f(frame):\n    return frame['price']\nf(df)\nf(df.rename(columns={'price': 'price'}))",
        "def f(frame, name):\n    return frame[name]\nf(df, 'price')",
        "df['weight'].str.replace(' kg', '').astype(float)",
        "mixed = pd.DataFrame({'w': ['3 kg', '500 g']})",
        "df['name'].dtype == 'str'",
        "df.dtypes",
        "df.columns[0]",
        "df.plot",
        "df.size",
        "print(df['price'].size, df.shape)",
        "df.groupby('city').nunique('x')",
        "ts.to_period('D').resample('M').sum()",
        "np.float64(3), np.bool_(1), np.nan",
        "try:\n    np.float(3)\nexcept AttributeError:\n    pass",
    ],
)
def test_other_code_has_no_problems(code: str) -> None:
    assert check(code, variables()) == []
    run(code)


def test_code_after_a_mistake_is_corrected_too() -> None:
    code = "big = df[df['price'] > 1 and df['qty'] < 3]\nbig.shape()"
    assert [item["correction"] for item in check(code, variables())] == [
        "(df['price'] > 1) & (df['qty'] < 3)",
        "big.shape",
    ]


@pytest.mark.parametrize(
    "texts", [["3 kg", "500 g"], ["50k", "60k"], ["(5)", "(6)"], ["5 %", "6 %"], ["1,5", "2,5"]]
)
def test_uncertain_amounts_have_no_correction(texts: list[str]) -> None:
    (problem,) = check("df['w'].astype(float)", {"df": pd.DataFrame({"w": texts})})
    assert problem["candidates"] == []


def test_frequencies_of_periods_have_their_old_names() -> None:
    frame = variables()["ts"].to_period("D")
    assert check("p.resample('M').sum()", {"p": frame}) == []
    frame.resample("M").sum()


def test_a_slice_of_rows_has_no_correction() -> None:
    """Only ``loc`` includes the last row."""
    problems = check("df['price'][0:2] = 5", variables())
    assert [item["candidates"] for item in problems] == ([[]] if IS_3 else [])


def test_an_offset_in_a_parameter_has_no_correction() -> None:
    code = "def f(frame, freq='M'):\n    return frame.resample(freq).sum()\nf(ts)"
    problems = check(code, variables())
    assert [(item["name"], item["candidates"]) for item in problems] == [("freq", [])] * IS_3


def test_names_of_numpy_before_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aiserver.kernel.frames.flow.loaded_module", lambda path: None)
    problems = check("import numpy as np\nnp.NaN, np.nan, np.trapz", {})
    is_2 = int(np.__version__.split(".")[0]) > 1
    assert [item["correction"] for item in problems] == ["np.nan"] * is_2
