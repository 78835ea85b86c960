"""The text that runs in the kernel: one file, standard library only, CPython 3.8 and newer."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aiserver import kernel
from aiserver.kernel.bundle import (
    CHECK_MODULES,
    PROFILE_MODULES,
    R_MODULES,
    SIGNALS_MODULES,
    VARIABLES_MODULES,
    bundle,
    bundle_r,
)

from ..effort import at_most
from .problems_of import check

OLDEST = (3, 8)
CASES = {
    "print(missing)": "undefined_name",
    "import nosuchmodule": "missing_module",
    "import sys\nsys.exut(2)": "missing_attribute",
    "def f(a): return a\nx = 1 +": "syntax",
    "%time y = [x for x in range(3)]\ny": None,
    "import json\nf'{json.dumps(1)!r:>{10}}'": None,
}


def interpreters() -> list[str]:
    """This interpreter and the others on the ``PATH`` that work."""
    paths = {sys.executable}
    for minor in range(8, 15):
        path = shutil.which(f"python3.{minor}")
        if path and not subprocess.run([path, "-c", ""], capture_output=True).returncode:
            paths.add(path)
    return sorted(paths)


def test_every_module_is_in_the_bundle():
    root = Path(kernel.__file__).parent
    files = {str(path.relative_to(root))[:-3] for path in root.rglob("*.py")}
    own = {name for name in files if not name.endswith("__init__") and name != "bundle"}
    assert own == {*CHECK_MODULES, *PROFILE_MODULES, *SIGNALS_MODULES, *VARIABLES_MODULES}


def test_every_file_of_r_is_in_its_text():
    files = {path.stem for path in (Path(kernel.__file__).parent / "r").glob("*.R")}
    assert files == set(R_MODULES)
    names = re.findall(r"^(\w+) <- ", bundle_r(), re.MULTILINE)
    assert len(names) == len(set(names))


ALL_MODULES = [CHECK_MODULES, PROFILE_MODULES, SIGNALS_MODULES, VARIABLES_MODULES]


@pytest.mark.parametrize("modules", ALL_MODULES)
def test_the_bundle_is_self_contained(modules):
    tree = ast.parse(bundle(modules), feature_version=OLDEST)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module.split(".")[0] in sys.stdlib_module_names
        elif isinstance(node, ast.Import):
            assert all(item.name.split(".")[0] in sys.stdlib_module_names for item in node.names)


@pytest.mark.parametrize("modules", ALL_MODULES)
def test_top_level_names_are_distinct(modules):
    names: list[str] = []
    for node in ast.parse(bundle(modules)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [target.id for target in targets if isinstance(target, ast.Name)]
    assert len(names) > 30
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("python", interpreters())
def test_the_bundle_works_in_other_interpreters(python, tmp_path):
    script = "\n".join(
        [
            "import json, sys",
            "space = {'__name__': 'aiserver_kernel'}",
            "exec(compile(sys.stdin.read(), '<kernel>', 'exec'), space)",
            f"cases = json.loads({json.dumps(json.dumps(list(CASES)))})",
            "print(json.dumps([space['check_suggestion'](case, {}) for case in cases]))",
            "code = \"if 1:\\n    open('old.csv', 'w')\"",
            "print(json.dumps(space['check_suggestion'](code, {}, folder=sys.argv[1])))",
        ]
    )
    (tmp_path / "old.csv").write_text("a")
    run = subprocess.run(
        [python, "-I", "-W", "error", "-c", script, str(tmp_path)],
        input=bundle(),
        capture_output=True,
        text=True,
        timeout=60,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    cases, file = map(json.loads, run.stdout.splitlines())
    kinds = [
        [item["kind"] for item in problems] for problems in (case["problems"] for case in cases)
    ]
    assert kinds == [[] if kind is None else [kind] for kind in CASES.values()]
    assert [item["name"] for item in file["warnings"]] == ["old.csv"]


@pytest.mark.parametrize("python", interpreters())
def test_variables_are_listed_in_other_interpreters(python):
    script = "\n".join(
        [
            "import base64, datetime, json, sys",
            "space = {'__name__': 'aiserver_kernel'}",
            "exec(compile(sys.stdin.read(), '<kernel>', 'exec'), space)",
            "own = {'limit': {'a': [0.5]}, 'day': datetime.date(2024, 1, 2)}",
            "print(base64.b64decode(space['describe'](own, 0, True)).decode())",
        ]
    )
    run = subprocess.run(
        [python, "-I", "-W", "error", "-c", script],
        input=bundle(VARIABLES_MODULES),
        capture_output=True,
        text=True,
        timeout=60,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    assert [item["value"] for item in json.loads(run.stdout)["variables"]] == [
        "datetime.date(2024, 1, 2)",
        "{'a': [0.5]}",
    ]


def test_a_check_is_bounded():
    """200 variables, a frame of 5,000 columns and 500 lines, 20 of which have a misspelt column."""
    frame = pd.DataFrame(np.zeros((2, 5000)), columns=[f"column_{n}" for n in range(5000)])
    variables = {"df": frame, **{f"value_{n}": n for n in range(199)}}
    lines = [f"df['column_{n}'].mean()" for n in range(480)]
    lines += [f"df['colunm_{n}'].mean()" for n in range(20)]
    with at_most(40_000_000):
        problems = check("\n".join(lines), variables, seconds=60)
    assert len(problems) == 20
    assert re.fullmatch(r"column_\d+", problems[0]["candidates"][0])
