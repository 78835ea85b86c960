"""Undefined names."""

from __future__ import annotations

import sys
from unittest.mock import Mock

import pandas as pd
import pytest

from .problems_of import check, names, problems


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nprint(x)",
        "def f(a, *b, c=1, **d):\n    return a, b, c, d, later\nlater = f(1)",
        "class A:\n    size = 1\n    two = size * 2\n    def get(self):\n        return __class__",
        "[x for x in range(3) if x]\n{k: v for k, v in {}.items()}",
        "if (n := 3) > 2:\n    print(n)",
        "[y := 1, y]\nprint([z := i for i in range(3)], z)",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None\nprint(numpy)",
        "try:\n    missing\nexcept NameError:\n    pass",
        "try:\n    missing\nexcept Exception as error:\n    print(error)",
        "if False:\n    missing",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    missing",
        "globals()['x'] = 1\nprint(x)",
        "exec('x = 1')\nprint(x)",
        "from unknown_to_everyone_here import *",
        "print(__name__, In, Out, _, __, _12, _i3, get_ipython(), display)",
        "def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n",
        "def f():\n    global made\n    made = 1\nf()\nprint(made)",
        "for i in range(3):\n    if i:\n        print(last)\n    last = i",
        "with open('x', 'w') as file:\n    file.write('a')",
        "f'{(lambda q: q)(1)} {1:{2}}'",
        "def f(value: 'Later') -> 'Later': ...",
        "import os.path as path, sys\nprint(path, sys)",
        "a, (b, *c) = 1, (2, 3)\nprint(a, b, c)",
        "x = 1\ndel x\nx = 2\nprint(x)",
        "def helper():\n    return defined_in_a_later_cell()",
        "class A:\n    def show(self):\n        return defined_in_a_later_cell",
        "square = lambda value: value * later\nlater = 2\nsquare(1)",
        "import contextlib\nwith contextlib.suppress(NameError):\n    missing",
        "print('{a}'.format(**locals()), surely)",
    ],
)
def test_defined_names_are_no_problem(code):
    assert [kind for kind, _ in problems(code) if kind == "undefined_name"] == []


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("print(missing)", "missing"),
        ("print(x)\nx = 1", "x"),
        ("total += 1", "total"),
        ("x = 1\ndel x\nprint(x)", "x"),
        ("def f():\n    return missing\nf()", "missing"),
        ("def f():\n    return np.mean([1])", "np"),
        ("def f(value):\n    return valeu", "valeu"),
        ("[x for x in missing]", "missing"),
        ("[x for x in []]\nprint(x)", "x"),
        ("class A(Missing): ...", "Missing"),
        ("@missing\ndef f(): ...", "missing"),
        ("def f(a=missing): ...", "missing"),
        ("f'{missing}'", "missing"),
        ("for row in rows:\n    pass", "rows"),
        ("list(map(lambda v: v + missing, []))", "missing"),
        ("class A:\n    size = 1\n    def get(self):\n        return size\nA().get()", "size"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    pass\nprint(error)", "error"),
        ("try:\n    missing\nexcept ValueError:\n    pass", "missing"),
        ("print(__file__)", "__file__"),
    ],
)
def test_undefined_names_are_found(code, name):
    assert problems(code) == [("undefined_name", name)]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters")
def test_type_parameters_are_names():
    code = (
        "def f[T](value: T) -> T: return value\nclass A[K]:\n    key: K\ntype Pair[V] = tuple[V, V]"
    )
    assert problems(code) == []


def test_variables_are_defined():
    assert problems("print(x)", x=1) == []


def test_near_names_are_candidates():
    problem = check("print(user_name)", {"username": 1, "other": 2, "价格": 3})[0]
    assert problem["candidates"] == ["username"]
    assert check("print(价)", {"价格": 3})[0]["candidates"] == ["价格"]
    assert check("pritn(1)", {})[0]["candidates"][0] == "print"


def _correction(code, *columns):
    return check(code, {"df": pd.DataFrame(columns=list(columns))})[0]["correction"]


def test_a_clear_mistake_has_a_correction():
    assert _correction("df['avg wait']", "avg. wait ", "wait") == ""
    assert _correction("df['wait time']", "wait time ", "wait times") == "wait time "
    assert _correction("df['prise']", "price") == "price"
    assert _correction("df.volume", "Total Volume") == "Total Volume"
    assert _correction("df['waiting_time']", "avg. wait time ", "day") == "avg. wait time "
    assert _correction("df['start time']", "average starting times") == "average starting times"
    assert _correction("df['单价']", "单价（元）", "数量") == "单价（元）"
    assert check("pritn(1)", {"n": 1})[0]["correction"] == "print"


def test_a_doubtful_correction_is_left_to_the_person():
    assert _correction("df['is_male']", "is_female") == ""
    assert _correction("df['sales_2023']", "sales_2024") == ""
    assert _correction("df['mean_price']", "price") == ""
    assert _correction("df['cart time']", "average carton time") == ""
    assert _correction("df['prise']", "price", "prize") == ""
    assert check("import pandas as pd\npd.corrr", {})[0]["correction"] == ""


@pytest.mark.parametrize(
    ("code", "statement"),
    [
        ("np.mean([1])", "import numpy as np"),
        ("f'{math.pi}'", "import math"),
        ("x = Path('.')", "from pathlib import Path"),
        ("datetime.now()", "from datetime import datetime"),
        ("datetime.datetime.now()", "import datetime"),
        ("价 = datetime . timedelta(1)", "import datetime"),
        ("tf.zeros(1)", ""),  # not installed
        ("numpi", ""),
    ],
)
def test_a_common_name_comes_with_its_import(code, statement):
    [problem] = check(code, {})
    assert (problem["kind"], problem["import"]) == ("undefined_name", statement)


def test_each_offered_import_works():
    from aiserver.kernel.inspection import modules

    common = [*modules.ALIASES, *modules._MODULES, *modules._MODULE_OF_NAME, "datetime"]
    statements = {name: modules.import_of(name) for name in common}
    assert len([name for name in statements if statements[name]]) > 100
    for name, statement in statements.items():
        namespace: dict[str, object] = {}
        exec(statement, namespace)
        assert not statement or name in namespace


def test_a_star_import_of_a_loaded_module_defines_its_names():
    import math  # noqa: F401

    assert names("from math import *\nprint(sqrt(2), squareroot(3))") == ["squareroot"]


def test_names_are_checked_in_a_deleted_folder(monkeypatch):
    monkeypatch.setattr("os.getcwd", Mock(side_effect=FileNotFoundError))
    assert problems("missing.bar()") == [("undefined_name", "missing")]
