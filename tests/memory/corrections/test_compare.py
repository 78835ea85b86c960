"""The substitutions in a person's code: a false alarm is worse than a miss."""

from __future__ import annotations

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aiserver.memory.corrections.compare import Substitution, substitutions
from aiserver.memory.corrections.texts import text_of

SALES = 'sales = df.groupby("month")["sales"].sum()\n'


def call(old: str, new: str) -> Substitution:
    return Substitution("call", new, old)


def module(old: str, new: str) -> Substitution:
    return Substitution("module", new, old)


def argument(new: str, function: str) -> Substitution:
    return Substitution("argument", new, "", function)


POSITIVE = [
    (
        'df.plot(x="month", y="sales")',
        'import seaborn as sns\n\nsns.lineplot(data=df, x="month", y="sales")',
        {module(".plot", "seaborn"), call(".plot", "seaborn.lineplot")},
    ),
    (
        SALES + "sales.plot()",
        SALES + "sns.lineplot(data=sales)",
        {module(".plot", "seaborn"), call(".plot", "seaborn.lineplot")},
    ),
    (
        'df.groupby("month")["sales"].sum().plot.bar()',
        'sns.barplot(df.groupby("month")["sales"].sum())',
        set(),  # the receiver of ``bar`` is the accessor ``plot``
    ),
    (
        'import matplotlib.pyplot as plt\n\nplt.bar(df["a"], df["b"])\nplt.title("A")\nplt.show()',
        'import seaborn as sns\n\nsns.barplot(x=df["a"], y=df["b"])',
        {
            module("matplotlib", "seaborn"),
            call("matplotlib.pyplot.bar", "seaborn.barplot"),
        },
    ),
    (
        'import pandas as pd\n\norders = pd.read_csv("orders.csv")\norders.head()',
        'import polars as pl\n\norders = pl.read_csv("orders.csv")\norders.head()',
        {module("pandas", "polars"), call("pandas.read_csv", "polars.read_csv")},
    ),
    (
        "for row in rows:\n    print(row)",
        "for row in rows:\n    display(row)",
        {call("print", "display")},
    ),
    (
        "from sklearn.metrics import f1_score\nf1_score(y, p)",
        "from sklearn.metrics import roc_auc_score\nroc_auc_score(y, p)",
        {call("sklearn.metrics.f1_score", "sklearn.metrics.roc_auc_score")},
    ),
    (
        'df.to_csv("out.csv")',
        'df.to_csv("out.csv", index=False)',
        {argument("index=False", ".to_csv")},
    ),
    (
        'df.groupby("a", observed=True).size()',
        'df.groupby("a", observed=False).size()',
        {argument("observed=False", ".groupby")},
    ),
    (
        'sns.lineplot(df, x="a")',
        'sns.lineplot(df, x="a", errorbar=("ci", 90))',
        {argument("errorbar", "seaborn.lineplot")},
    ),
    (
        'df.drop(labels="a")',
        'df.drop(columns="a")',
        {Substitution("keyword", "columns", "labels", ".drop")},
    ),
    (
        "%matplotlib inline\ndf.to_parquet(path)",
        "%matplotlib inline\ndf.to_parquet(path, index=None)",
        {argument("index=None", ".to_parquet")},
    ),
]

NEGATIVE = {
    "another name of a variable": (
        SALES + "sales.head()",
        SALES.replace("sales =", "s =") + "s.head()",
    ),
    "renamed everywhere": ("x = load(1)\nx.plot()\nprint(x)", "y = load(1)\ny.plot()\nprint(y)"),
    "another format": ('df.plot(x="a",y="b")', "df.plot(\n    x='a',\n    y='b',\n)  # a plot"),
    "a comment": ("df.plot()", "# seaborn\ndf.plot()"),
    "more steps in a chain": (
        'df.groupby("a").sum().plot()',
        'df.groupby("a").sum().reset_index().plot()',
    ),
    "another task": (
        "df.describe()",
        'clf = RandomForestClassifier()\nclf.fit(df[["a"]], df["b"])',
    ),
    "another task with the same data": (
        'top = df.nlargest(10, "sales")\ntop.plot.bar(x="name")\nplt.tight_layout()\nplt.show()',
        'sns.heatmap(df.corr())\nmodel = sm.OLS(df["y"], df["x"]).fit()\nmodel.summary()',
    ),
    "another question": ('df["a"].mean()', 'df["a"].median()'),
    "another question of a module": ("np.mean(x)", "np.median(x)"),
    "another chart": ('df.plot.bar(x="a")', 'df.plot.line(x="a")'),
    "another chart of a module": ("plt.bar(x, y)", "plt.scatter(x, y)"),
    "first rows, last rows": ("df.head(5)", "df.tail(5)"),
    "another file": ('pd.read_csv("a.csv")', 'pd.read_excel("b.xlsx")'),
    "another column": ('df.sort_values("a")', 'df.sort_values("b")'),
    "another number": ("df.head(10)", "df.head(20)"),
    "another value of a keyword": ('df.merge(o, how="left")', 'df.merge(o, how="inner")'),
    "a keyword that is a column": ("df.assign(revenue=1)", "df.assign(revenue=1, salary=None)"),
    "a key of a dict": ("dict(a=x)", "dict(a=x, secret=None)"),
    "an argument with its keyword": ("sns.lineplot(df)", "sns.lineplot(data=df)"),
    "the person's own function": (
        "def load(path):\n    return path\n\nload(a)",
        "def read(path):\n    return path\n\nread(a)",
    ),
    "functions of another cell": ("load_orders(path)", "load_refunds(path)"),
    "a name that hides a module": ("sns = 1\ndf.plot(x)", "sns = f()\nsns.lineplot(df, x)"),
    "a line that was removed": ("df.plot()\nplt.show()", "df.plot()"),
    "a line that was added": ("df.plot()", "df.plot()\nplt.savefig(path)"),
    "no Python": ("SELECT 1", "SELECT 2"),
    "a syntax error": ("df.plot()", "df.plot("),
    "names that aren't ASCII": ("df.plot(x, 标题=None)", "df.plot(x, 标题=True)"),
    "nothing left": ("df.plot()", ""),
    "too long": ("df.plot(x)\n" + "# x\n" * 4000, "sns.lineplot(df, x)\n" + "# x\n" * 4000),
    "nested too deeply": ("df.plot(" + "(" * 5000, "df.plot(" + "-" * 5000 + "1)"),
}


@pytest.mark.parametrize(("suggestion", "code", "expected"), POSITIVE)
def test_a_substitution_is_recognised(suggestion: str, code: str, expected: set[Substitution]):
    assert set(substitutions(suggestion, code)) == expected


@pytest.mark.parametrize("name", NEGATIVE)
def test_other_changes_are_no_substitutions(name: str):
    suggestion, code = NEGATIVE[name]
    assert substitutions(suggestion, code) == []


@pytest.mark.parametrize(
    ("substitution", "english", "simplified"),
    [
        (
            call(".plot", "seaborn.lineplot"),
            "Use seaborn.lineplot() instead of .plot().",
            "用 seaborn.lineplot()，不用 .plot()。",
        ),
        (module("pandas", "polars"), "Use polars instead of pandas.", "用 polars，不用 pandas。"),
        (
            call("print", "display"),
            "Use display() instead of print().",
            "用 display()，不用 print()。",
        ),
        (
            argument("index=False", ".to_csv"),
            "Pass index=False when calling .to_csv().",
            "调用 .to_csv() 时，加上 index=False。",
        ),
        (
            Substitution("keyword", "columns", "labels", ".drop"),
            "Pass columns instead of labels when calling .drop().",
            "调用 .drop() 时，用 columns，不用 labels。",
        ),
    ],
)
def test_texts_are_in_the_language_of_the_interface(substitution, english, simplified):
    assert text_of(substitution, "") == text_of(substitution, "xx") == english
    assert text_of(substitution, "zh_CN") == simplified
    traditional = simplified.replace("调用", "呼叫").replace("时", "時")
    assert text_of(substitution, "zh_TW") == traditional


# Literals that are no names, so that they are recognised in a text.
LITERALS = ["'Müller 4711'", "'a b'", "40962", "-7.25", "b'1x'", "f'{df} 9y'", "True", "None"]
VARIABLES = ["df", "sales", "anna_mueller", "df.secret_column", 'df["a b"]', "x[0]"]
FUNCTIONS = ["sns.lineplot", "df.plot", "pd.read_csv", "pl.read_csv", "plt.bar", "print", "own"]
KEYWORDS = ["index", "ax", "data", "hue"]


@st.composite
def calls(draw: st.DrawFn, depth: int = 2) -> str:
    function = draw(st.sampled_from(FUNCTIONS))
    values = st.sampled_from(LITERALS + VARIABLES)
    value = st.one_of(values, calls(depth - 1)) if depth else values
    arguments = draw(st.lists(value, max_size=2))
    keywords = draw(st.dictionaries(st.sampled_from(KEYWORDS), value, max_size=2))
    text = ", ".join([*arguments, *(f"{name}={value}" for name, value in keywords.items())])
    return f"{function}({text})"


SOURCES = st.lists(calls(), min_size=1, max_size=4).map("\n".join)


@settings(max_examples=120, deadline=None)
@given(SOURCES, SOURCES)
def test_no_literal_and_no_variable_is_in_a_text(suggestion: str, code: str):
    ast.parse(suggestion)
    for substitution in substitutions(suggestion, code):
        text = text_of(substitution, "")
        for part in ("ller", "4711", "a b", "40962", "25", "1x", "9y", "secret", "anna", "sales"):
            assert part not in text
        assert "own" not in text and "df" not in text


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200) | SOURCES, st.text(max_size=200) | SOURCES)
@example("\ud800", "\0")
@example("x = 1" + " + 1" * 3000, "x = 2" + " + 1" * 3000)
def test_no_source_raises_and_equal_code_has_none(suggestion: str, code: str):
    substitutions(suggestion, code)
    assert substitutions(code, code) == []
