"""Missing columns of pandas DataFrames: known ones, and those that a suggestion makes."""

from __future__ import annotations

import pandas as pd
import pytest

from .problems_of import check, names, problems, sales


def columns(code, **variables):
    given = {"df": sales(), "pd": pd, **variables}
    return [name for kind, name in problems(code, **given) if kind == "missing_column"]


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("df['prise']", ["prise"]),
        ("df[['price', 'quantity']]", ["quantity"]),
        ("df.prise", ["prise"]),
        ("df['城']", ["城"]),
        ("df.loc[df.price > 1, 'prise']", ["prise"]),
        ("df.loc[:, ['price', 'amount']]", ["amount"]),
        ("df.groupby('town')['price'].mean()", ["town"]),
        ("df.groupby('城市')['prise'].mean()", ["prise"]),
        ("df.groupby('城市').agg({'prise': 'mean'})", ["prise"]),
        ("df.groupby('城市').agg(total=('prise', 'sum'))", ["prise"]),
        ("df.sort_values('prise', ascending=False)", ["prise"]),
        ("df.sort_values(by=['price', 'amount'])", ["amount"]),
        ("df.drop(columns=['prise'])", ["prise"]),
        ("df.drop('prise', axis=1)", ["prise"]),
        ("df.dropna(subset=['prise'])", ["prise"]),
        ("df.drop_duplicates('prise')", ["prise"]),
        ("df.set_index('prise')", ["prise"]),
        ("df.pivot_table(values='prise', index='城市')", ["prise"]),
        ("df.merge(df, on='key')", ["key"]),
        ("pd.merge(df, df, left_on='a', right_on='price')", ["a"]),
        ("df.query('prise > 1 and qty < 3')", ["prise"]),
        ("df.assign(total=lambda d: d.prise * d.qty)", ["prise"]),
        ("df.apply(lambda row: row['prise'], axis=1)", ["prise"]),
        ("df.plot(x='城市', y='prise')", ["prise"]),
        ("df.plot.scatter(x='price', y='prise')", ["prise"]),
        ("df.nlargest(3, 'prise')", ["prise"]),
        ("df.melt(id_vars=['prise'])", ["prise"]),
        ("df.astype({'prise': int})", ["prise"]),
        ("del df['prise']", ["prise"]),
        ("df['prise'] += 1", ["prise"]),
        ("for _, row in df.iterrows():\n    print(row['prise'])", ["prise"]),
        ("for _, part in df.groupby('qty'):\n    print(part['prise'])", ["prise"]),
        ("wanted = ['price', 'amount']\ndf[wanted]", ["amount"]),
        ("df.copy().head()['prise']", ["prise"]),
        ("small = df[['price']]\nsmall['qty']", ["qty"]),
        ("df = df.rename(columns={'price': 'cost'})\ndf['price']", ["price"]),
        ("df.drop(columns='qty', inplace=True)\ndf['qty']", ["qty"]),
        ("df[df['price'] > 1]['prise']", ["prise"]),
        ("new = pd.DataFrame({'a': [1]})\nnew['b']", ["b"]),
        ("t = df.groupby('城市', as_index=False)['price'].sum()\nt['qty']", ["qty"]),
        ("t = df.groupby('城市').agg(total=('price', 'sum')).reset_index()\nt['prise']", ["prise"]),
        ("pd.concat([df, df])['prise']", ["prise"]),
        ("rest = 3 - len(df) % 2\ndf['prise']", ["prise"]),
        ("df.groupby('城市').price.mean().reset_index().sort_values('prise')", ["prise"]),
    ],
)
def test_missing_columns_are_found(code, missing):
    assert columns(code) == missing


@pytest.mark.parametrize(
    "code",
    [
        "df['new'] = 1\ndf['new']",
        "df = df.assign(new=1)\ndf.new",
        "df.loc[0, 'new'] = 1\ndf['new']",
        "df.insert(0, 'new', 1)\ndf['new']",
        "df2 = df\ndf2['new'] = 1\ndf['new']",
        "df = df.rename(columns={'price': 'cost'})\ndf['cost']",
        "df = df.rename(columns=str.upper)\ndf['PRICE']",
        "df.columns = ['a', 'b', 'c']\ndf['a']",
        "df.columns = [c.upper() for c in df.columns]\ndf['PRICE']",
        "t = df.set_index('城市')\nt.groupby('城市').sum()\nt.sort_values('城市')",
        "df.groupby('城市').sum().reset_index()['城市']",
        "df.groupby('城市').size().reset_index(name='n')['n']",
        "df['城市'].value_counts().reset_index()['count']",
        "df.reset_index()['index']",
        "if 'new' in df.columns:\n    print(df['new'])",
        "try:\n    df['new']\nexcept KeyError:\n    pass",
        "for name in ['a', 'b']:\n    df[name] = 1\ndf['a']",
        "for name in ['x']:\n    df[f'{name}_2'] = 1\ndf['x_2']",
        "def change(frame):\n    frame['new'] = 1\nchange(df)\ndf['new']",
        "frames = [df]\nfor frame in frames:\n    frame['new'] = 1\ndf['new']",
        "for frame in [df]:\n    frame['new'] = 1\ndf['new']",
        "df.merge(df, on='qty')['price_x']",
        "df.merge(other, on='qty')['anything']",
        "df.pivot_table(index='城市', columns='qty', values='price')['anything']",
        "pd.get_dummies(df)['anything']",
        "df.T['anything']",
        "df.describe().T['mean']",
        "df.groupby('城市').agg(['mean', 'sum'])['price']['mean']",
        "df.melt(id_vars=['城市'], var_name='v', value_name='w')[['城市', 'v', 'w']]",
        "df.query('price > @limit and `城市` == \"a\"')",
        "df.query('index > 0')",
        "df.eval('total = price * qty')['total']",
        "df.eval('total = price * qty', inplace=True)\ndf['total']",
        "df.join(df, lsuffix='_l', rsuffix='_r')['price_l']",
        "df.attrs['anything']",
        "df.loc['row']",
        "df.iloc[0]['price']",
        "df.mean(numeric_only=True)['price']",
        "df.values[0]\ndf.shape\ndf.dtypes['price']",
        "df.drop(columns=['nothing'], errors='ignore')",
        "df.sort_values('price').plot.bar()",
        "df[['price', *extra]]",
        "x = df['price'] if 'price' in df else df['other']",
        "df.style.format('{:.1f}')",
        "df = unknown_function(df)\ndf['anything']",
        "with pd.option_context('display.max_rows', 5):\n    print(df['price'])",
        "df.filter(like='pr')['price']",
        "df.xs(0)['price']",
        "df.stack()['anything']",
        "df.pipe(print)\ndf['anything']",
        "df.index.name = 'row'\ndf.reset_index()['row']",
        "df.groupby(df['城市'].str.len())['price'].mean()",
        "df.groupby(level=0)['price'].mean()",
        "def later():\n    return df['added_in_a_later_cell']",
        "df['城市'].str.split('-', expand=True)[0]",
        "df[['a', 'b']] = df['城市'].str.split('-', expand=True)\ndf['a']",
        "a, df['new'] = 1, 2\ndf['new']",
        "df.custom = 1\ndf.custom",
    ],
)
def test_columns_that_may_exist_are_no_problem(code):
    assert columns(code, limit=1, extra=["qty"]) == []


def test_the_index_can_be_named_where_pandas_allows_it():
    frame = sales().set_index("城市")
    assert columns("df.groupby('城市').sum()\ndf.sort_values('城市')", df=frame) == []
    assert columns("df['城市']", df=frame) == ["城市"]
    assert columns("df.reset_index()['城市']", df=frame) == []


def test_multi_level_columns_are_ignored():
    frame = sales().groupby("城市").agg(["mean", "sum"])
    assert columns("df['anything']", df=frame) == []


def test_rows_of_a_multi_level_index_are_ignored():
    frame = sales().set_index(["城市", "qty"])
    assert columns("df.loc['a', 'b']", df=frame) == []


def test_methods_and_their_arguments():
    given = {"df": sales(), "pd": pd}
    assert problems("df.sort_value('price')", **given) == [("missing_attribute", "sort_value")]
    assert check("df.sort_value('price')", given)[0]["candidates"][0] == "sort_values"
    assert problems("df.price.meen()", **given) == [("missing_attribute", "meen")]
    assert problems("df.sort_values('price', ascendin=True)", **given) == [
        ("unknown_argument", "ascendin")
    ]
    assert problems("df.price.fillna(valeu=1)", **given) == [("unknown_argument", "valeu")]


def test_candidates_are_the_nearest_columns():
    problem = check("df['Price_']", {"df": sales()})[0]
    assert problem["candidates"] == ["price"]
    assert (problem["column"], problem["end_column"]) == (3, 11)
    assert "Price_" in problem["message"]


def test_two_names_of_one_frame_are_one_frame():
    frame = sales()
    assert names("a['new'] = 1\nb['new']", a=frame, b=frame) == []


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("df.groupby('城市').prise.mean()", "prise"),
        ("df.groupby('城市').meen()", "meen"),
        ("df.groupby('城市').mean(numeric=True)", "numeric"),
        ("df['城市'].str.replce('a', 'b')", "replce"),
        ("df['城市'].str.replace('a', 'b', regx=True)", "regx"),
        ("df.loc[df.price.idxmax()]['prise']", "prise"),
        ("df.iloc[0]['prise']", "prise"),
    ],
)
def test_groups_texts_and_rows(code, name):
    assert names(code, df=sales()) == [name]


def test_rows_chosen_by_a_label():
    assert names("df.loc['price']", df=sales()) == ["df.loc['price']"], "the rows are numbered"
    frame = sales().set_index("城市", drop=False)
    assert names("q = df.loc['a']\nq.prise.max()\nq.price.max()", df=frame) == ["prise"]
    frame = sales()
    assert names("row = df.loc[0]\nrow.max()\nrow.name\nrow.price\nrow.index", df=frame) == []


def test_resampled_frames():
    frame = sales().set_index(pd.date_range("2020-01-01", periods=2))
    assert names("df.resample('D').agg({'prise': 'sum'})", df=frame) == ["prise"]
    assert names("df.resample('D').prise.mean()", df=frame) == ["prise"]
    code = "df.resample('D').price.ohlc()['open']\ndf.resample('W').mean()['price']\n"
    assert names(code + "df.resample('D').interpolate()['price']", df=frame) == []


def test_functions_that_are_methods_too():
    assert columns("pd.melt(df, id_vars='prise')") == ["prise"]
    assert columns("pd.melt(df, id_vars='qty')['value']") == []
    assert columns("pd.pivot_table(df, index='town', values='price')") == ["town"]
