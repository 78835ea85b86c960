"""Missing modules, missing attributes of modules and unknown arguments."""

from __future__ import annotations

import math
import sys
import types

import numpy as np
import pandas as pd
import pytest

from aiserver.kernel.frames import flow
from aiserver.kernel.inspection.modules import package_of

from .problems_of import check, problems


def test_an_unknown_finder_may_provide_a_module(monkeypatch):
    class Finder:
        def find_spec(self, *arguments):
            raise AssertionError("called")

    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    assert problems("import nosuchmodule") == []


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import nosuchmodule", ("missing_module", "nosuchmodule")),
        ("from nosuchmodule.part import x", ("missing_module", "nosuchmodule")),
        ("import pandas.nosuchpart", ("missing_module", "pandas.nosuchpart")),
        ("from pandas import DatFrame", ("missing_attribute", "DatFrame")),
        ("import math\nmath.squareroot(2)", ("missing_attribute", "squareroot")),
        ("np.meen([1])", ("missing_attribute", "meen")),
        ("np.linalg.nrm([1])", ("missing_attribute", "nrm")),
        ("pd.raed_csv('x')", ("missing_attribute", "raed_csv")),
        ("pd.DataFrame.from_dct({})", ("missing_attribute", "from_dct")),
        ("np.mean([1], axs=0)", ("unknown_argument", "axs")),
        ("np.sin(1, wher=True)", ("unknown_argument", "wher")),
        ("sorted([1], keyy=len)", ("unknown_argument", "keyy")),
        ("pd.DataFrame({}, colums=['a'])", ("unknown_argument", "colums")),
        ("add(1, c=2)", ("unknown_argument", "c")),
        ("from json import dumps\ndumps(1, indnt=2)", None),  # has **kw
        ("import statistics\nstatistics.mean(dat=[1])", ("unknown_argument", "dat")),
    ],
)
def test_problems_of_modules_are_found(code, problem):
    def add(a, b=1):
        return a + b

    import statistics  # noqa: F401

    expected = [] if problem is None else [problem]
    assert problems(code, np=np, pd=pd, add=add) == expected


@pytest.mark.parametrize(
    "code",
    [
        "import os, os.path, xml.etree.ElementTree",
        "import concurrent.futures as futures\nfutures.ThreadPoolExecutor",
        "try:\n    import nosuchmodule\nexcept ImportError:\n    pass",
        "%pip install nosuchmodule\nimport nosuchmodule",
        "!pip install nosuchmodule\nimport nosuchmodule",
        "np.float_power(1, 2)\nnp.random.default_rng(1).normal(size=3)",
        "if hasattr(np, 'nosuch'):\n    np.nosuch",
        "np.__version__\nnp.__file__",
        "import email\nemail.mime",
        "from . import anything",
        "pd.DataFrame(data={}, columns=['a'], dtype=float)",
        "np.array([1], dtype=float, copy=True)",
        "print(1, end='', flush=True)",
        "dict(a=1, b=2)\nmax([1], key=len, default=0)\nint('1', base=2)",
        "add(1, **{'c': 2})",
        "import importlib.metadata",
    ],
)
def test_what_exists_is_no_problem(code):
    def add(a, b=1):
        return a + b

    assert problems(code, np=np, pd=pd, add=add) == []


def test_nothing_is_imported():
    before = set(sys.modules)
    check("import wave\nimport nosuchmodule\nimport xmlrpc.client\nfrom turtle import forward", {})
    assert set(sys.modules) == before


def test_a_missing_module_names_its_package():
    assert package_of("cv2") == "opencv-python"
    assert package_of("polars") == "polars"
    [problem] = check("import ultralytics", {})
    assert problem["package"] == "ultralytics"
    # A model may have invented the module: no package is guessed from its name.
    assert check("import nosuch_module", {})[0]["package"] == ""
    assert check("import nmpy", {})[0]["candidates"][0] == "numpy"


def test_a_module_that_can_be_installed_has_no_candidates(monkeypatch):
    monkeypatch.setattr(flow, "module_names", lambda: ["ultralytic"])
    assert check("import ultralytics", {})[0]["candidates"] == []
    assert check("import ultralyticss", {})[0]["candidates"] == ["ultralytic"]


def test_lazy_modules_are_ignored(monkeypatch):
    lazy = types.ModuleType("lazy")
    calls = []
    setattr(lazy, "__getattr__", lambda name: calls.append(name) or 1)  # noqa: B010
    monkeypatch.setitem(sys.modules, "lazy", lazy)
    assert (
        problems("lazy.anything\nimport lazy\nlazy.other\nfrom lazy import third", lazy=lazy) == []
    )
    assert calls == []


def test_a_module_in_a_local_variable_hides_the_module():
    assert problems("def f(math):\n    return math.anything", math=math) == []
    assert problems("math = object()\nmath.anything", math=math) == []


def test_the_names_of_a_module_that_is_not_loaded(tmp_path, monkeypatch):
    (tmp_path / "plainmodule.py").write_text("def load(): ...\n")
    (tmp_path / "dynamic.py").write_text("def __getattr__(name): ...\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from .part import load\n")
    (tmp_path / "package" / "part.py").write_text("raise AssertionError\n")
    monkeypatch.syspath_prepend(tmp_path)
    code = "import plainmodule as m, dynamic, package\nm.load()\ndynamic.x\npackage.load\n"
    assert problems(code + "from package import part\nfrom package.part import anything") == [
        ("missing_attribute", "anything")
    ]
    assert problems("import plainmodule as m\nm.laod()") == [("missing_attribute", "laod")]
    assert problems("from package import laod") == [("missing_attribute", "laod")]
    assert "package" not in sys.modules


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("pd.Series([1]).mean(axs=0)", "axs"),
        ("np.random.randint(1, hgih=3)", "hgih"),
        ("pd.date_range('2020', rfeq='D')", "rfeq"),
        ("pd.Grouper(ffreq='D')", "ffreq"),
    ],
)
def test_keywords_of_functions_with_further_ones(code, name):
    given = {"np": np, "pd": pd, "s": pd.Series([1])}
    assert problems(code.replace("pd.Series([1])", "s"), **given) == [("unknown_argument", name)]
    good = (
        "s.sum(axis=0, skipna=True, numeric_only=True, min_count=1)\ns.std(ddof=0)\n"
        "np.random.normal(loc=0, scale=1, size=3)\npd.date_range('2020', periods=3, freq='D')\n"
        "pd.Grouper(key='a', freq='D', label='left')\nnp.random.choice([1], size=1, replace=True)"
    )
    assert problems(good, **given) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("rng = np.random.default_rng(0)\nrng.normal(loc=0, sizes=3)", ["sizes"]),
        ("rng = np.random.default_rng(0)\nrng.integers(0, high=3, endpoint=True)", []),
        ("np.random.RandomState(1).randint(1, 3, sizze=2)", ["sizze"]),
        ("df.groupby('a').rolling(3, min_periosd=1)", ["min_periosd"]),
        ("df.groupby('a').rolling(3, min_periods=1, center=True)", []),
    ],
)
def test_compiled_and_forwarding_functions(code, expected):
    given = {"np": np, "df": pd.DataFrame({"a": [1]})}
    assert [name for _, name in problems(code, **given)] == expected


def test_methods_of_arrays():
    given = {"a": np.zeros(3), "np": np}
    assert problems("a.searchsorted(1, sied='left')", **given) == [("unknown_argument", "sied")]
    assert problems("np.memmap('x', dytpe='f8')", **given) == [("unknown_argument", "dytpe")]
    code = "a.sum(axis=0, keepdims=True)\na.astype(int, copy=False)\na.sort(kind='stable')\n"
    code += "a.reshape(3, 1, order='C')\na.std(ddof=1)\nnp.memmap('x', dtype='f8', mode='w+')"
    assert problems(code, **given) == []
