"""Missing columns of polars DataFrames."""

from __future__ import annotations

import polars as pl
import pytest

from .problems_of import names


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("df['prise']", ["prise"]),
        ("df.select('price', pl.col('quantity'))", ["quantity"]),
        ("df.filter(pl.col('prise') > 1)", ["prise"]),
        ("df.with_columns((pl.col('prise') * 2).alias('double'))", ["prise"]),
        ("df.group_by('town').agg(pl.col('price').sum())", ["town"]),
        ("df.group_by('city').agg(pl.col('prise').sum())", ["prise"]),
        ("df.sort('prise')", ["prise"]),
        ("df.select(pl.col('price').sum().over('town'))", ["town"]),
        ("df.with_columns(x=pl.col('price'))['y']", ["y"]),
        ("df.rename({'price': 'cost'})['price']", ["price"]),
        ("df.drop('price')['price']", ["price"]),
    ],
)
def test_missing_columns_are_found(code, missing):
    frame = pl.DataFrame({"price": [1, 2], "city": ["a", "b"]})
    assert names(code, df=frame, pl=pl) == missing


@pytest.mark.parametrize(
    "code",
    [
        "df.select('*', pl.all(), pl.col('^p.*$'))",
        "df.with_columns(pl.col('price').alias('x'))['x']",
        "df.group_by('city').agg(pl.col('price').sum().alias('total')).sort('total')",
        "df.group_by('city').agg(pl.len())['len']",
        "df.select(pl.lit(1).alias('one'))['one']",
        "df.with_columns(pl.when(pl.col('price') > 1).then(1).otherwise(0).alias('x'))['x']",
        "df.with_columns(pl.all().name.suffix('_x'))['price_x']",
        "df.join(df, on='city', suffix='_2')['price_2']",
        "df.pivot('city', values='price')['a']",
        "df.lazy().select('anything').collect()",
        "df.filter(pl.col('city').is_in(['a']))",
        "df.filter(pl.col('city') == 'a')",
        "df.with_columns(pl.lit('x').alias('kind'), pl.col('city').str.replace('a', 'b'))",
    ],
)
def test_columns_that_may_exist_are_no_problem(code):
    frame = pl.DataFrame({"price": [1, 2], "city": ["a", "b"]})
    assert names(code, df=frame, pl=pl) == []
