"""Join modules into one text for the kernel.

The text for R kernels has all functions that the page calls there.
"""

from __future__ import annotations

import re
from pathlib import Path

# Each module imports only from the modules before it.
CHECK_MODULES = (
    "problems",
    "source",
    "inspection/objects",
    "inspection/modules",
    "inspection/dtypes",
    "inspection/scalars",
    "scopes/bindings",
    "scopes/names",
    "frames/values",
    "frames/context",
    "frames/merges",
    "frames/current",
    "frames/value_checks",
    "frames/pandas_methods",
    "frames/polars_methods",
    "frames/functions",
    "frames/meant",
    "frames/requested",
    "frames/shown_copies",
    "frames/expressions",
    "frames/flow",
    "overwrites",
    "check",
)
PROFILE_MODULES = (
    "inspection/objects",
    "inspection/scalars",
    "profiling/columns",
    "profiling/containers",
    "profiling/profile",
    "profiling/joins",
)
SIGNALS_MODULES = (
    "inspection/objects",
    "inspection/scalars",
    "profiling/columns",
    "profiling/containers",
    "source",
    "scopes/bindings",
    "signals",
)
VARIABLES_MODULES = ("inspection/objects", "inspection/scalars", "variables")
R_MODULES = ("variables", "containers", "columns", "data", "values", "describe", "sample", "call")
# The page recognises its request by the first line. The code sees only R's base package, so it uses
# no function that the person has redefined, and assigns no variable.
_R_TEXT = """# AI Server reads variables
base::eval(base::quote({{
{modules}
answer(__CALL__)
}}), base::new.env(parent = base::baseenv()))
"""
_RELATIVE_IMPORT = re.compile(r"^from \.[\w.]+ import (?:\([^)]*\)|[^(\n]*)\n", re.MULTILINE)
_FUTURE = "from __future__ import annotations\n"


def bundle(modules: tuple[str, ...] = CHECK_MODULES) -> str:
    """Join modules, which must not define the same top-level name twice."""
    texts = [_FUTURE]
    for name in modules:
        text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        texts.append(_RELATIVE_IMPORT.sub("", text.replace(_FUTURE, "")))
    return "\n".join(texts)


def bundle_r() -> str:
    """Return R code that sends the result of ``__CALL__``, which the page replaces with a call."""
    folder = Path(__file__).parent / "r"
    modules = [(folder / f"{name}.R").read_text(encoding="utf-8") for name in R_MODULES]
    return _R_TEXT.format(modules="\n".join(modules))
