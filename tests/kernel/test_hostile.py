"""P18, P41: a check runs no code of the person's and leaves no trace."""

from __future__ import annotations

import ast
import re
import sys
import types
import warnings
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.kernel.frames.expressions import Expressions
from aiserver.kernel.scopes.names import NameChecker

from ..examples import examples
from .problems_of import check, sales

touched: list[str] = []


def trap(name):
    def method(*arguments, **keywords):
        touched.append(name)
        raise AssertionError(name)

    return method


SPECIAL = re.findall(
    r"\w+",
    "__getattribute__ __getattr__ __setattr__ __eq__ __ne__ __hash__ __repr__ __str__ __bool__ "
    "__len__ __iter__ __next__ __contains__ __call__ __getitem__ __dir__ __format__ __index__ "
    "__lt__ __add__ __instancecheck__ __subclasscheck__ __get__ __reduce_ex__ __array__",
)
TRAPS = {name: trap(name) for name in SPECIAL}


class LyingClass:
    """Says that it is a DataFrame."""

    for _name in SPECIAL:
        locals()[_name] = TRAPS[_name]

    @property  # type: ignore[misc]
    def __class__(self):
        touched.append("__class__")
        return pd.DataFrame

    columns = property(trap("columns"))


Meta = type("Meta", (type,), dict(TRAPS))
Imitated = type.__call__(Meta, "DataFrame", (), {**TRAPS, "__module__": "pandas"})


class Text(str):
    """A text with the hash of an ordinary one."""

    __slots__ = ()
    __eq__ = trap("text ==")
    __ne__ = trap("text !=")
    __repr__ = trap("text repr")
    __str__ = trap("text str")

    def __hash__(self):
        return str.__hash__(self)


class Mapping(dict):
    """A dict whose methods are trapped."""

    __getitem__ = __iter__ = __len__ = __contains__ = __eq__ = trap("dict")
    keys = items = values = get = trap("dict method")
    __hash__ = None


class Frame(pd.DataFrame):  # type: ignore[misc]
    """A subclass with its own columns."""

    columns = property(trap("subclass columns"))
    __getitem__ = trap("subclass item")


class LazyModule(types.ModuleType):
    """A module that loads on the first access."""

    __getattribute__ = trap("lazy module")


def hostile_variables():
    plain = types.ModuleType("lazy_by_function")
    setattr(plain, "__getattr__", trap("module __getattr__"))  # noqa: B010

    def function(a):
        return a

    vars(function).update(__signature__=LyingClass(), __wrapped__=LyingClass())
    labelled = pd.DataFrame([[1, 2]])
    labelled.columns = pd.Index([Text("price"), "qty"], dtype=object)
    return {
        "one": LyingClass(),
        "kind": LyingClass,
        "two": object.__new__(Imitated),
        "imitated": Imitated,
        "text": Text("price"),
        "texts": [Text("price")],
        "mapping": Mapping(a=1),
        "frame": Frame({"a": [1]}),
        "labelled": labelled,
        "lazy": LazyModule("lazy"),
        "plain": plain,
        "function": function,
        "df": sales(),
        "pd": pd,
        Text("df2"): 1,
    }


NAMES = [name for name in hostile_variables() if type(name) is str]
TEMPLATES = [
    "{a}.price",
    "{a}['price']",
    "{a}.groupby('x')['y'].mean().reset_index()",
    "{a}({b}, key=1)",
    "{a}.method({b})",
    "df[{a}]",
    "df.loc[{a}, {b}]",
    "df.merge({a}, on={b})",
    "df.groupby({a}).agg({b})",
    "df['x'] = {a}",
    "pd.concat([{a}, {b}])",
    "pd.read_csv({a})",
    "for x in {a}:\n    x['price'] = {b}",
    "with {a} as {b}:\n    pass",
    "{a} = {b}\n{a}.price",
    "{a} == {b}",
    "[{a} for q in {b} if q]",
    "{a}.x.y.z()",
    "del {a}['x']",
    "{a} += {b}",
    "print(f'{{{a}}} {{{b}!r}}')",
    "import {a}\n{a}.thing",
    "from {a} import thing",
    "{a}.sort_values(by={b}, inplace={a})",
    "df.query({a})",
    "df.assign(x={a}).drop(columns={b})",
    "@{a}\ndef f(x={b}): return {a}",
    "{a} = {a}.head()\ndel {b}",
    "df = {a}\n{b} = df[{a}]",
    "{a}.columns = {b}\n{a}.price = 1",
    "df.loc[{a}] = {b}\ndf.iloc[{a}, {b}] = 1",
    "df.to_csv({a})\nopen({b}, 'w')",
    "{a}.drop(columns={b}, inplace=True)\n{a}.pop({b})",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_hostile_objects_are_not_touched(template):
    touched.clear()
    variables = hostile_variables()
    touched.clear()
    for a in NAMES:
        for b in ("df", "one", "text"):
            check(template.format(a=a, b=b), variables)
            assert touched == [], (template, a, b)


def test_hostile_modules_are_not_touched(monkeypatch):
    touched.clear()
    monkeypatch.setitem(sys.modules, "lazy", LazyModule("lazy"))
    monkeypatch.setitem(sys.modules, "two", object.__new__(Imitated))
    monkeypatch.setitem(sys.modules, "pandas", LyingClass())
    code = (
        "import lazy, two\nlazy.x\ntwo.y\nfrom lazy import z\nfrom two import w\nimport lazy.part\n"
    )
    check(code + "import pandas\npandas.read_csv('x')\ndf['c']", {"df": 1})
    assert touched == []


def test_a_column_that_may_equal_another_silences_the_frame():
    variables = hostile_variables()
    assert check("labelled['prise']", variables) == []


def test_a_check_leaves_no_trace():
    variables = {"df": sales(), "pd": pd, "values": [1, 2]}
    before = dict(variables)
    modules, filters = set(sys.modules), list(warnings.filters)
    frame = variables["df"].copy()
    check("df['new'] = 1\ndf.drop(columns='qty', inplace=True)\nvalues.append(3)\nx = 1", variables)
    check("import wave\nprint('\\d')\ndef f(:", variables)
    assert variables == before or list(variables) == list(before)
    assert variables["df"].equals(frame) and list(variables["df"].columns) == list(frame.columns)
    assert set(sys.modules) == modules
    assert warnings.filters == filters
    assert variables["values"] == [1, 2]


PIECES = st.sampled_from(
    [
        *(template.format(a="one", b="df") for template in TEMPLATES),
        *(template.format(a="df", b="x") for template in TEMPLATES),
        "%time x = df.y",
        "!ls",
        "x?",
        "class A[T]: pass",
        "match df:\n    case {'a': b, **c}: b",
        "lambda *a, **k: (yield)",
        "async def f():\n    await x",
        "global q",
        "nonlocal q",
        "return",
        "try:\n    x\nexcept* E as e:\n    e\nelse:\n    y\nfinally:\n    z",
        "x: int",
        "*a, b = c",
        "(y := 1)",
        "df.loc[:, 'a':'b']",
        "df.iloc[0:1, 2]",
        "é = '价格'; df[é]",
        "type X = int",
        "t'{x}'",
        "print(*a, **b)",
        *(f"df[{key}]" for key in ("...", "-1", "1:2", "()", "{}")),
        "df.rename(columns={**a})",
        "df.agg(**k)",
        "df.drop(*a)",
        "df.columns = df.columns.str.x",
        "pd.merge()",
        "pd.DataFrame({**a})",
        "pd.read_csv()",
        "sorted()",
        "df.groupby()",
        "df.assign(1)",
    ]
)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=5), st.booleans())
def test_check_never_raises_and_touches_nothing(pieces, joined):
    variables = hostile_variables()
    touched.clear()
    problems = check(("\n" if joined else "; ").join(pieces), variables)
    assert touched == []
    for problem in problems:
        assert 1 <= problem["line"] <= problem["end_line"] + 1
        assert problem["column"] >= 0
        assert len(problem["candidates"]) <= 3
        assert all(type(name) is str for name in problem["candidates"])


@settings(max_examples=examples(150), deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_answered(text):
    for problem in check(text, {}):
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert problem["line"] <= len(lines)
        assert problem["column"] <= len(lines[problem["line"] - 1])


@pytest.mark.parametrize(
    "code",
    [
        "def g(f): ...\n" + "@g\n" * 20_000 + "def f(): ...",
        "@g(1)\n" * 10_000 + "class A: ...",
        "f(" + ",".join(f"a{i}=b" for i in range(9_000)) + ")",
        "=".join(f"a{i}" for i in range(9_000)) + "=b",
        "<".join(["a"] * 20_000),
        "x = {" + "a: b," * 10_000 + "}",
        "f'" + "{a}" * 20_000 + "'",
        "x = " + "(" * 80 + "a," * 20_000 + ")" * 80,
        "x = [" + "lambda: a," * 9_000 + "]",
    ],
    ids=lambda code: code[:20],
)
@pytest.mark.parametrize("mode", ["", "document"])
def test_one_very_long_statement_ends_with_the_time(
    code: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P18: in all parts of the check."""
    visited: list[ast.AST] = []

    def counted(method: Any) -> Any:
        return lambda self, node: (visited.append(node), method(self, node))[1]

    for owner, name in ((NameChecker, "generic_visit"), (Expressions, "value")):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))
    times = iter(range(10_000_000))
    monkeypatch.setattr("aiserver.kernel.problems.time.monotonic", lambda: next(times))
    assert check(code, {"df": sales}, seconds=100, mode=mode, original=code, own_code=code) == []
    assert len(visited) < 400


def test_a_syntax_error_is_reported_however_long_parsing_takes() -> None:
    assert [item["kind"] for item in check("x = (", {}, seconds=-1)] == ["syntax"]
