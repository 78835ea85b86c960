"""P18, P15: the code that inspects a kernel's DataFrames, run in a real kernel.

It is sent as ``src/kernel/request.ts`` sends it, whose expression is read from there.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from aiserver.kernel.bundle import VARIABLES_MODULES, bundle

ROOT = Path(__file__).parents[2]


def expression(
    examples: int = 0, has_values: bool = False, *, call: str = "", module: str = ""
) -> str:
    """Return the expression that the browser sends. (Its parts are also valid in Python.)"""
    text = (ROOT / "src" / "kernel" / "request.ts").read_text("utf-8")
    pieces = re.search(r"const expression =\s*(.*?);\n", text, re.S)
    assert pieces
    call = call or f"describe(variables, {examples}, {has_values})"
    code = pieces[1].replace("JSON.stringify(module)", "MODULE").replace("\n", " ")
    code = code.replace("`", "'").replace("${JSON.stringify(call)}", "' + CALL + '")
    module = module or bundle(VARIABLES_MODULES)
    result = eval(code, {"MODULE": json.dumps(module), "CALL": json.dumps(call)})
    assert isinstance(result, str)
    return result


class Kernel:
    """A real kernel that is inspected."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client

    def run(self, code: str) -> None:
        """Run the user's code."""
        reply = self.client.execute_interactive(code, timeout=30, output_hook=lambda _: None)
        assert reply["content"]["status"] == "ok", reply["content"]

    def value(self, code: str) -> str:
        """Return an expression's value as text."""
        return self.ask({"x": code})["x"]["data"]["text/plain"]

    def ask(self, expressions: dict[str, str]) -> dict[str, Any]:
        """Run the code that the browser sends, and return the result."""
        reply = self.client.execute(
            "",
            silent=True,
            store_history=False,
            user_expressions=expressions,
            allow_stdin=False,
            stop_on_error=False,
            reply=True,
            timeout=30,
        )
        return reply["content"]["user_expressions"]

    def describe(self, examples: int = 0, has_values: bool = False) -> dict[str, Any]:
        """Return the variables like the browser reads them."""
        answer = self.ask({"result": expression(examples, has_values)})["result"]
        assert answer["status"] == "ok", answer
        return json.loads(base64.b64decode(answer["data"]["text/plain"][1:-1]))

    def first_rows(self, name: str) -> dict[str, Any]:
        """Return the first rows of a DataFrame like the browser reads them."""
        call = f"first_rows(variables, {json.dumps(name)}, 5)"
        sent = expression(call=call, module=bundle(VARIABLES_MODULES))
        answer = self.ask({"result": sent})["result"]
        assert answer["status"] == "ok", answer
        rows: dict[str, Any] = json.loads(base64.b64decode(answer["data"]["text/plain"][1:-1]))
        return rows

    def frames(self) -> list[dict[str, Any]]:
        """Return the DataFrames like the browser reads them."""
        frames: list[dict[str, Any]] = self.describe()["frames"]
        return frames


@pytest.fixture(scope="module")
def process() -> Iterator[Kernel]:
    """Run one kernel for all tests; each test starts with an empty namespace."""
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(process: Kernel) -> Kernel:
    process.run("%reset -f")
    process.run("import pandas as pd")
    return process


def test_the_profile_has_names_shapes_and_dtypes(kernel: Kernel) -> None:
    kernel.run(
        "销售 = pd.DataFrame({'价格': [1.5], 'n': [1], ('a', 2): ['x']}); s = pd.Series([1])"
    )
    assert kernel.frames() == [
        {
            "name": "销售",
            "kind": "pandas.DataFrame",
            "rowCount": 1,
            "columnCount": 3,
            "columns": [
                {"name": "价格", "dtype": "float64"},
                {"name": "n", "dtype": "int64"},
                {"name": "('a', 2)", "dtype": kernel.frames()[0]["columns"][2]["dtype"]},
            ],
        }
    ]


def test_reading_rows_leaves_nothing_in_the_kernel(kernel: Kernel) -> None:
    """P18"""
    kernel.run("销售 = pd.DataFrame({'价格': range(9)})")
    names = kernel.value("sorted(globals())")
    assert kernel.first_rows("销售")["rows"] == [[str(n)] for n in range(5)]
    assert kernel.first_rows("missing") == {"problem": "missing"}
    assert kernel.value("sorted(globals())") == names


def test_the_other_variables_have_a_kind_and_a_size(kernel: Kernel) -> None:
    kernel.run("import numpy as np\nxs = [1, 2]; s = pd.Series([1.5]); a = np.zeros((2, 3)); n = 3")
    assert kernel.describe()["variables"] == [
        {"name": "n", "kind": "int"},
        {"name": "a", "kind": "numpy.ndarray (2, 3) float64"},
        {"name": "s", "kind": "pandas.Series of 1 float64"},
        {"name": "xs", "kind": "list of 2 int"},
        {"name": "np", "kind": "module"},
        {"name": "pd", "kind": "module"},
    ]


def test_kinds_contain_classes_sizes_and_dtypes_but_no_values(kernel: Kernel) -> None:
    """P15: of containers, only the classes of their elements."""
    kernel.run(
        "import numpy as np\nimport polars as pl\n"
        "class Model:\n    pass\n"
        "fitted = Model(); grid = np.zeros((100, 3), 'float32'); prices = pl.Series([1.5])\n"
        "days = pd.date_range('2024-01-01', periods=3); rows = pd.RangeIndex(4)\n"
        "pairs = pd.MultiIndex.from_tuples([('secret', 1)]); labels = pd.Index(['secret'])\n"
        "frames = {'secret': pd.DataFrame()}; mixed = [1, 'secret']; nothing = {}\n"
        "tags = {'secret'}; text = 'secret'; nested = ({'secret': 1},)\n"
        "big = dict.fromkeys(range(1000), 0); flags = [True, False]"
    )
    kinds = {item["name"]: item["kind"] for item in kernel.describe(2)["variables"]}
    assert "secret" not in json.dumps(kinds)
    assert re.fullmatch(r"pandas.DatetimeIndex of 3 datetime64\[\w+\]", kinds.pop("days"))
    assert kinds.pop("labels") in ("pandas.Index of 1 object", "pandas.Index of 1 str")
    assert kinds == {
        **{"np": "module", "pd": "module", "pl": "module"},
        "Model": "type",
        "fitted": "Model",
        "grid": "numpy.ndarray (100, 3) float32",
        "prices": "polars.Series of 1 Float64",
        "rows": "pandas.RangeIndex of 4 int64",
        "pairs": "pandas.MultiIndex of 1",
        "frames": "dict of 1 str to DataFrame",
        "mixed": "list of 2",
        "nothing": "dict of 0",
        "tags": "set of 1 str",
        "text": "str of 6",
        "nested": "tuple of 1 dict",
        "big": "dict of 1000 int to int",
        "flags": "list of 2 bool",
    }


def test_variables_have_their_values_if_the_browser_asks_for_them(kernel: Kernel) -> None:
    """P15: otherwise, there is no value, and never one of a DataFrame."""
    kernel.run("c = ['canary-19']; limit = 0.3; config = {'城市': c}; df = pd.DataFrame({'a': c})")
    assert kernel.describe(has_values=True)["variables"] == [
        {"name": "config", "kind": "dict of 1 str to list", "value": "{'城市': ['canary-19']}"},
        {"name": "limit", "kind": "float", "value": "0.3"},
        {"name": "c", "kind": "list of 1 str", "value": "['canary-19']"},
        {"name": "pd", "kind": "module"},
    ]
    assert "canary-19" not in json.dumps(kernel.describe(has_values=True)["frames"])
    assert "canary-19" not in json.dumps(kernel.describe())


def test_examples_are_values_of_text_columns(kernel: Kernel) -> None:
    kernel.run(
        "df = pd.DataFrame({'城市': ['北京', '上海', '北京', ''], 'n': [1, 2, 3, 4]})\n"
        "df['long'] = 'x' * 100\ndf['mixed'] = [object(), 'text', 2, None]\n"
        "df['kind'] = pd.Categorical(['a', 'b', 'a', 'c'])"
    )
    [frame] = kernel.describe(examples=2)["frames"]
    assert {column["name"]: column.get("examples") for column in frame["columns"]} == {
        "城市": ["北京", "上海"],
        "n": None,
        "long": None,  # a value is cut between words, because a word may be a key
        "mixed": ["text"],
        "kind": ["a", "b"],
    }
    assert "examples" not in json.dumps(kernel.frames())


def test_an_index_is_described_unless_it_only_numbers_the_rows(kernel: Kernel) -> None:
    kernel.run(
        "numbered = pd.DataFrame({'n': [1, 2]})\n"
        "named = numbered.set_index(pd.Index(['北京', '上海'], name='城市'))\n"
        "dated = numbered.set_index(pd.to_datetime(['2026-01-01', '2026-01-02']).as_unit('s'))\n"
        "nested = named.set_index('n', append=True)\n"
        "class Own(pd.Index):\n    name = property(lambda self: 1 / 0)\n"
        "own = numbered.set_index(pd.Index([1, 2])); own._mgr.axes[1].__class__ = Own\n"
    )
    frames = {frame["name"]: frame for frame in kernel.describe(examples=1)["frames"]}
    assert "index" not in frames["numbered"]
    city = {"name": "城市", "examples": ["北京"]}
    assert [level | {"dtype": ""} for level in frames["named"]["index"]] == [city | {"dtype": ""}]
    assert frames["dated"]["index"] == [{"name": "", "dtype": "datetime64[s]"}]
    assert [level["name"] for level in frames["nested"]["index"]] == ["城市", "n"]
    assert "index" not in frames.get("own", {})


def test_the_inspection_leaves_no_trace(kernel: Kernel) -> None:
    """P18: the namespace, the execution count, In, Out, _ and the history don't change."""
    kernel.run("df = pd.DataFrame({'a': [1]})")
    kernel.run("41 + 1")
    state = (
        "(sorted(globals()), get_ipython().execution_count, list(In), repr(Out), _, __, _i, "
        "sorted(__import__('sys').modules), "
        "list(get_ipython().history_manager.get_range(output=True)))"
    )
    kernel.value(state)  # loads what the inspection imports
    before = kernel.value(state)
    for has_values in (False, True, True):
        assert len(kernel.describe(has_values=has_values)["frames"]) == 1
    assert kernel.value(state) == before


HOSTILE = """
import numpy as np
ran, armed = [], []
def boom(what, otherwise=None):
    if armed:
        ran.append(what)
        raise SystemExit
    return otherwise
class Evil:
    def __repr__(self): return boom('repr', 'x')
    def __str__(self): return boom('str', 'x')
    def __hash__(self): return boom('hash', 1)
    def __eq__(self, other): return boom('eq', self is other)
    def __len__(self): return boom('len', 0)
    def __bool__(self): return boom('bool', True)
    def __getattribute__(self, name): return boom(name, object.__getattribute__(self, name))
class Meta(type):
    def __getattribute__(cls, name): return boom('meta ' + name, type.__getattribute__(cls, name))
    def __instancecheck__(cls, other): return boom('isinstance', True)
    def __subclasscheck__(cls, other): return boom('issubclass', True)
class Twin(metaclass=Meta):
    pass
class Posing:
    @property
    def __class__(self): return boom('class', pd.DataFrame)
    @property
    def shape(self): return boom('shape', (1, 1))
class Sub(pd.DataFrame):
    @property
    def columns(self): return boom('columns')
    @property
    def dtypes(self): return boom('dtypes')
    @property
    def shape(self): return boom('shape')
    def __getattr__(self, name): return boom('getattr ' + name)
    _mgr = property(lambda self: boom('_mgr'))
    _info_axis = property(lambda self: boom('_info_axis'))
    __dict__ = property(lambda self: boom('dict'))
class Named(metaclass=Meta):
    def __str__(self): return boom('str', 'x')
class Dtype(pd.api.extensions.ExtensionDtype):
    name, type, __module__ = 'mine', object, 'pandas.core.dtypes.dtypes'
    def __str__(self): return boom('dtype', 'mine')
    @classmethod
    def construct_array_type(cls): return Array
class Array(pd.arrays.IntegerArray):
    dtype = property(lambda self: Dtype())
one, two, three = Evil(), Twin(), Posing()
evils = [Evil()]; posed = {1: Posing()}
four = pd.DataFrame({'plain': [1]}); object.__setattr__(four, '__class__', Sub)
five = pd.DataFrame([[1, 2]], columns=pd.Index([Evil(), 'ok'], dtype=object))
six = pd.DataFrame({'own': Array(np.array([1, 2]), np.array([False, False]))})
six.columns = pd.Index([Named()], dtype=object)
globals()['df);x'] = pd.DataFrame({'a': [1]})
globals()["x'] = 1; import os #"] = pd.DataFrame({'a': [1]})
globals()['a\\nb'] = pd.DataFrame({'a': [1]})
globals()[7] = pd.DataFrame({'a': [1]})
good = pd.DataFrame({"'); import os; (": [1], '</data>': [2]})
def shadow(*a, **k): return boom('shadowed')
exec = print = str = len = list = json = base64 = shadow
armed.append(1)
"""


def test_the_inspection_runs_no_user_code(kernel: Kernel) -> None:
    """P18: no repr, property or shadowed name is used; a hostile object doesn't affect others."""
    kernel.run(HOSTILE)
    answer = kernel.ask({"result": expression(has_values=True)})["result"]
    assert answer["status"] == "ok", kernel.value("ran")
    frames = {frame["name"]: frame for frame in kernel.frames()}
    assert kernel.value("ran") == "[]" and kernel.value("armed") == "[1]"
    kernel.run("armed.clear(); del exec, print, str, len, list")
    assert set(frames) == {"four", "five", "six", "good"}
    assert frames["six"]["columns"] == [{"name": "<Named>", "dtype": "Dtype"}]
    assert [column["name"] for column in frames["good"]["columns"]] == [
        "'); import os; (",
        "</data>",
    ]
    assert frames["five"]["columns"][0]["name"] == "<Evil>"
    assert frames["four"]["columns"] == [{"name": "plain", "dtype": "int64"}]


def test_no_value_is_sent(kernel: Kernel) -> None:
    """P15: canaries are in cells, the index, categories, a fill value and attributes."""
    kernel.run(
        "c = 'canary-18'\n"
        "df = pd.DataFrame({'city': [c, c], 'n': [1, 2]}, index=[c, c + 'x'])\n"
        "df.index.name = 'place'; df.attrs[c] = c; df.columns.name = c\n"
        "df['kind'] = pd.Categorical([c, c])\n"
        "df['s'] = pd.arrays.SparseArray(['canary-18', 'b'], fill_value='canary-18')\n"
        "df['l'] = [[c], {c: c}]\n"
        "df['iv'] = pd.arrays.IntervalArray.from_tuples([(0, 18), (18, 19)])\n"
    )
    frames = kernel.frames()
    assert "canary-18" not in json.dumps(frames)
    assert [column["name"] for column in frames[0]["columns"]] == [
        *("city", "n", "kind", "s", "l", "iv")
    ]
    assert [level["name"] for level in frames[0]["index"]] == ["place"]


def test_the_profile_is_limited(kernel: Kernel) -> None:
    """P18: for ten thousand columns, millions of rows, long names and a thousand frames."""
    kernel.run(
        "import numpy as np\n"
        "wide = pd.DataFrame(np.zeros((1, 10_000)), columns=[f'c{n}' for n in range(10_000)])\n"
        "tall = pd.DataFrame({'a': np.zeros(20_000_000, dtype='int8')})\n"
        "long = pd.DataFrame({'x' * 100_000: [1]})\n"
    )
    frames = {frame["name"]: frame for frame in kernel.frames()}
    assert (frames["wide"]["columnCount"], len(frames["wide"]["columns"])) == (10_000, 200)
    assert frames["tall"]["rowCount"] == 20_000_000
    assert len(frames["long"]["columns"][0]["name"]) == 200
    kernel.run("globals().update({f'd{n}': long for n in range(1000)})")
    many = kernel.frames()
    assert len(many) == 50 and len(json.dumps(many)) < 100_000
