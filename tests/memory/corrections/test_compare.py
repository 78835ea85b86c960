"""The substitutions in a person's code: a false alarm is worse than a miss."""

from __future__ import annotations

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aiserver.memory.corrections.calls import Code
from aiserver.memory.corrections.compare import Substitution, substitutions
from aiserver.memory.corrections.shapes import Shapes
from aiserver.memory.corrections.texts import text_of

from ...effort import at_most
from ...examples import examples

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

# What the person has made up is in no substitution: modules, methods, functions and keywords.
OWN_NAMES = {
    "a method of the person's class": ("repo.load_all(x)", "repo.load_acme_patients(x)"),
    "the person's module": (
        "import utils\n\nutils.clean(df)",
        "import utils\n\nutils.acme_clean(df)",
    ),
    "a function of the person's module": (
        "from utils import clean\n\nclean(df)",
        "from utils import acme_clean\n\nacme_clean(df)",
    ),
    "a relative import": (
        "from . import np\n\nnp.mean(df)",
        "from . import np\n\nnp.acme_sort(df)",
    ),
    "a module of the person and a library": (
        "import pandas as pd\nimport utils\n\npd.read_csv(path)",
        "import pandas as pd\nimport utils\n\nutils.read_acme(path)",
    ),
    "a variable that is called like a module": ("sm.load(x)", "sm.load_acme_patients(x)"),
    "a part of it": ("np.acme.mean(x)", "np.acme.sort(x)"),
    "a keyword of a method": ("ax.set(title=t)", "ax.set(title=t, patient_name=True)"),
    "a keyword of the person's method": ("repo.load(x)", "repo.load(x, index=False)"),
    "a keyword of a module's function": ("np.savez(path)", "np.savez(path, x=None)"),
    "a renamed keyword": ("df.plot(patient=x)", "df.plot(x=x)"),
}

NEGATIVE = OWN_NAMES | {
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
    assert substitutions(suggestion, code) == ()


SLOW = {
    "nested operators": (
        "x = " + " + ".join(f"f(v{number})" for number in range(700)),
        lambda code: code.replace("f(v0)", "f(v0, k=True)"),
    ),
    "nested calls": ("g(" * 80 + "x" + ")" * 80, lambda code: code.replace("x", "df.plot(x)")),
    "a chain": ("x" + ".sum()" * 160, lambda code: code.replace("x.", "y.") + ".max(1)"),
    "keywords": (
        "f(" + ", ".join(f"k{number}=1" for number in range(900)) + ")",
        lambda code: code.replace("=1", "=True").replace("k0=", "k_0="),
    ),
    "statements": (
        "\n".join(f"f(v{number}, {number})" for number in range(199)),
        lambda code: code.replace("f(", "print("),
    ),
}


@pytest.mark.parametrize("name", SLOW)
def test_the_work_is_bounded(name: str):
    """Each edit compares up to 20 turns. The first of these cases took 6.6 s a turn before."""
    suggestion, change = SLOW[name]
    with at_most(75_000_000):
        for number in range(5):  # they aren't in the cache
            substitutions(f"{suggestion}\n{number}", f"{change(suggestion)}\n{number}")


def test_unchanged_turns_are_not_compared_again(monkeypatch):
    suggestion, code = "old = df.plot(x)", "old = sns.lineplot(df, x)"
    expected = substitutions(suggestion, code)
    assert expected
    monkeypatch.setattr(Code, "parse", None)
    assert substitutions(suggestion, code) == expected


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
FUNCTIONS += ["df.own_load", "own_utils.plot_own", "np.own"]
KEYWORDS = ["index", "ax", "data", "hue", "own_key"]


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


@settings(max_examples=examples(120), deadline=None)
@given(SOURCES, SOURCES)
def test_no_literal_and_no_variable_is_in_a_text(suggestion: str, code: str):
    ast.parse(suggestion)
    for substitution in substitutions(suggestion, code):
        text = text_of(substitution, "")
        for part in ("ller", "4711", "a b", "40962", "25", "1x", "9y", "secret", "anna", "sales"):
            assert part not in text
        assert "own" not in text and "df" not in text


@settings(max_examples=examples(60), deadline=None)
@given(SOURCES, SOURCES)
@example("f(1, True, 1.0, 0.0, b'a')", "f(True, 1, 1.0, -0.0, 'a')")
@example("x = 1\ny = x", "x = [x, 1]\ny = (x, 1)")
def test_nodes_have_the_same_number_if_they_are_equal(suggestion: str, code: str):
    trees = [ast.parse(suggestion), ast.parse(code)]
    shapes = Shapes()
    nodes = [list(ast.walk(tree)) for tree in trees]
    for tree_nodes in nodes:
        shapes.add(tree_nodes)
    number_by_dump: dict[str, int] = {}
    for node in [*nodes[0], *nodes[1]]:
        assert number_by_dump.setdefault(ast.dump(node), shapes.number(node)) == shapes.number(node)
    assert len(set(number_by_dump.values())) == len(number_by_dump)


@settings(max_examples=examples(80), deadline=None)
@given(st.text(max_size=200) | SOURCES, st.text(max_size=200) | SOURCES)
@example("\ud800", "\0")
@example("x = 1" + " + 1" * 3000, "x = 2" + " + 1" * 3000)
def test_no_source_raises_and_equal_code_has_none(suggestion: str, code: str):
    substitutions(suggestion, code)
    assert substitutions(code, code) == ()
