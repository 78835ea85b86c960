"""Join modules into one text for the kernel.

There are texts for the check, for profiles, for the list of variables, and for a sample.
"""

from __future__ import annotations

import re
from pathlib import Path

# Each module imports only from the modules before it.
CHECK_MODULES = (
    "problems",
    "source",
    "inspection/objects",
    "inspection/signatures",
    "inspection/modules",
    "inspection/imports",
    "inspection/files",
    "inspection/dtypes",
    "scopes/bindings",
    "scopes/scope",
    "scopes/names",
    "frames/values",
    "frames/labels",
    "frames/dtypes",
    "frames/alignment",
    "frames/grouping",
    "frames/pandas_methods",
    "frames/polars_methods",
    "frames/functions",
    "frames/lifting",
    "frames/meant",
    "frames/expressions",
    "frames/calls",
    "frames/assignments",
    "frames/flow",
    "unchanged",
    "check",
)
PROFILE_MODULES = (
    "inspection/objects",
    "profiling/sampling",
    "profiling/containers",
    "profiling/numbers",
    "profiling/values",
    "profiling/polars_columns",
    "profiling/columns",
    "profiling/profile",
    "profiling/joins",
)
VARIABLES_MODULES = ("inspection/objects", "values", "variables")
SAMPLE_MODULES = (*VARIABLES_MODULES, "sample")
_RELATIVE_IMPORT = re.compile(r"^from \.[\w.]+ import (?:\([^)]*\)|[^(\n]*)\n", re.MULTILINE)
_FUTURE = "from __future__ import annotations\n"


def bundle(modules: tuple[str, ...] = CHECK_MODULES) -> str:
    """Return the text of all modules, which defines the functions that the page calls.

    The modules can be joined, because no two of them define the same top-level name.
    """
    texts = [_FUTURE]
    for name in modules:
        text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        texts.append(_RELATIVE_IMPORT.sub("", text.replace(_FUTURE, "")))
    return "\n".join(texts)
