"""Code that runs although a column contains text: the check must not report it (P41)."""

from __future__ import annotations

import datetime
import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from aiserver.kernel.check import check_suggestion
from aiserver.kernel.inspection.dtypes import Dtype

from .problems_of import check

CITIES = ["A", "A", "B", "B"]


def table(text: bool = True) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "city": CITIES,
            "price": ["1", "2", "n/a", "4"] if text else [1.0, 2.0, 3.0, 4.0],
            "day": ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"],
            "qty": [1, 2, 3, 4],
        }
    )


class Cleaner:
    """A class of the notebook, which changes a frame in place."""

    def __init__(self, frame=None):
        if frame is not None:
            self.fix(frame)

    def fix(self, frame):
        frame["price"] = 1.0


class Holder:
    """An object of the notebook that has a frame."""

    def __init__(self, frame):
        self.df = frame


Cleaner.__module__ = Holder.__module__ = "__main__"


def fix(frame):
    frame["price"] = 1.0


def index_by_city(frame):
    frame.set_index("city", inplace=True)


def variables(folder) -> dict:
    frame = table()
    return {
        "df": frame,
        "good": table(text=False),
        "empty": pd.DataFrame(),
        "names": pd.DataFrame({"name": ["qty"]}),
        "dfs": [frame],
        "frames": {"a": frame},
        "holder": Holder(frame),
        "cleaner": Cleaner(),
        "Cleaner": Cleaner,
        "steps": [fix],
        "fix": fix,
        "index_by_city": index_by_city,
        "pd": pd,
        "np": np,
        "folder": str(folder),
    }


RIGHT = r"""
x = df["price"].mean() if df["price"].dtype == "float" else 0
df["price"].dtype == "float" and df["price"].mean() > 2
f = lambda: df["price"].mean(); df["price"] = [1, 2, 3, 4]; f()
[df["price"].mean() for i in range(3) if i > 5]
assert True, df["price"].mean()
df.drop(columns=df.select_dtypes("str").columns).mean()
df.drop(columns=[c for c in df if df[c].dtype == "str"]).mean()
df.drop(df.select_dtypes("str").columns, axis=1, inplace=True); df.corr()
for c in ["city", "price", "day"]: del df[c]\ndf.mean()
for c in ["city", "price", "day"]: df.pop(c)\ndf.mean()
df = df[["city", "qty"]]; k = df.columns[0]; df.set_index(k).mean()
numbers = list(df.select_dtypes("number")); df.groupby("city")[["qty"] + numbers].mean()
numbers = list(df.select_dtypes("number")); df.groupby("city")[["qty", *numbers]].mean()
empty["mean"] = df.groupby("city")["qty"].mean(); assert empty["mean"].notna().all()
for d in dfs: d["price"] = 1\ndf["price"].mean()
frames["a"]["price"] = 1; df["price"].mean()
holder.df["price"] = 1; df["price"].mean()
for i, d in enumerate([df]): d["price"] = 1\ndf["price"].mean()
d = df if True else None; d["price"] = 1; df["price"].mean()
cleaner.fix(df); df["price"].mean()
Cleaner(df); df["price"].mean()
steps[0](df); df["price"].mean()
(lambda d: fix(d))(df); df["price"].mean()
list(map(fix, [df])); df["price"].mean()
exec("df['price'] = 1"); df["price"].mean()
setattr(df, "price", 1); df["price"].mean()
df.isetitem(1, 1); df["price"].mean()
index_by_city(df); df["n"] = good.groupby("city")["qty"].sum(); assert df["n"].notna().all()
flag = True; df.set_index("city", inplace=flag); df["n"] = good.groupby("city")["qty"].sum()
s = df["price"].copy(); s.loc[s == "n/a"] = "0"; s.astype(float)
s = df["price"].copy(); s.iloc[2] = "0"; s.astype(float)
s = df["price"].copy(); s.update(pd.Series({2: "0"})); s.astype(float)
pd.to_numeric(pd.DataFrame({"s": ["1", ""]})["s"])
df.mean(0, True, True)
df[["qty", "price"]].corr("pearson", 1, True)
df.groupby("city").mean(True)
df.mean(*[0, True, True])
df[names["name"]].mean()
df[names.sort_values("name")["name"].head(1)].mean()
other = good.set_index("city"); df["price"].corr(other["qty"].iloc[:0])
df.query("qty > 9")["price"] > 2
df.head(0)["city"] - 1
df[df.qty > 9]["price"].abs()
good["text"] = df["city"].iloc[:0]; good["text"] - 1
columns = ["city", "qty"]; columns[0] = "qty"; df[columns].mean()
columns = ["city", "qty"]; del columns[0]; df[columns].mean()
while len(df) > 100: df["price"].mean()
for f in []: df["price"].mean()
if False: df["m"] = df.groupby("city")["qty"].mean()
try: df["none"]; df["price"].mean()\nexcept KeyError: pass
old = folder + "/old.csv"; good.to_csv(old); pd.read_csv(old)["price"].mean()
""".strip().split("\n")


@pytest.mark.parametrize("code", [line.replace("\\n", "\n") for line in RIGHT])
def test_code_that_runs_is_not_reported(code, tmp_path):
    reported = check(code, variables(tmp_path), folder=str(tmp_path))
    assert [p for p in reported if p["kind"].startswith("not_")] == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, variables(tmp_path))


@pytest.mark.parametrize(
    "arguments",
    [
        "index_col=[0]",
        "index_col=-2",
        "usecols=[1]",
        "usecols=lambda name: name != 'city'",
        "index_col=0, usecols=['city', 'qty']",
        "converters={'city': len}",
    ],
)
def test_columns_that_read_csv_leaves_out_or_converts_are_not_text(arguments, tmp_path):
    (tmp_path / "a.csv").write_text("city,qty\nA,1\nB,2\n")
    code = f"pd.read_csv('a.csv', {arguments}).mean()"
    assert check(code, {"pd": pd}, folder=str(tmp_path)) == []


def test_a_file_is_not_read_if_pandas_detects_the_separator(tmp_path):
    (tmp_path / "a.csv").write_text("city;qty\nA;1\n")
    code = "pd.read_csv('a.csv', sep=None, engine='python')['qty'].mean()"
    assert check(code, {"pd": pd}, folder=str(tmp_path)) == []


def test_another_frames_groups_have_no_correction():
    code = "other['total'] = df.groupby('city')['qty'].sum()"
    other = pd.DataFrame({"city": ["A", "B"]})
    [problem] = check(code, {"df": table(), "other": other})
    assert (problem["kind"], problem["candidates"]) == ("not_aligned", [])


class Evil(np.ndarray):
    """An array that reports each use of its items."""

    used: ClassVar[list[str]] = []

    def __getitem__(self, item):
        Evil.used.append("getitem")
        return super().__getitem__(item)


class Zone(datetime.tzinfo):
    def utcoffset(self, moment):
        Evil.used.append("utcoffset")
        return datetime.timedelta(0)

    def dst(self, moment):
        return None

    def tzname(self, moment):
        return None


def test_the_code_of_hostile_columns_and_labels_does_not_run():
    texts = np.array(["x", "y"], dtype=object).view(Evil)
    numbers = np.array([1, 2]).view(Evil)
    mask = np.array([False, False])
    labels = pd.Index(["a", datetime.datetime(2026, 1, 1, tzinfo=Zone())], dtype=object)
    frames = [
        pd.DataFrame({"a": pd.arrays.StringArray(texts), "b": [1, 2]}),
        pd.DataFrame({"a": pd.arrays.IntegerArray(numbers, mask), "b": [1, 2]}),
        pd.DataFrame([[1, 2]], columns=labels),
    ]
    for frame in frames:
        Evil.used.clear()
        check("df['a'].mean()\ndf.mean()\ndf['c'] = df.groupby('a')['b'].mean()", {"df": frame})
        assert Evil.used == []


def test_long_texts_are_not_examined():
    assert Dtype("object", ["x" * 100]).has_words
    assert not Dtype("object", ["x" * 101]).has_words


def test_no_problem_shows_a_value():
    """P55: agents get the problems, but no values of the data."""
    frame = table().assign(city=["canary-1", "canary-1", "canary-2", "canary-2"])
    variables = {"df": frame, "settings": {"canary-3": "canary-4"}, "canary": "canary-5"}
    code = """
df['city'].mean()
df['prise'].sum()
df['city'].dt.year
df['price'] - 1
df['mean'] = df.groupby('city')['qty'].mean()
df['qty'] > 'x'
settings['canaries']
df = df.dropna()
pd.read_csv('no.csv')
"""
    result = check_suggestion(code, variables)
    assert len(result["problems"]) >= 6 and result["warnings"]
    assert "canary-" not in str(result)
