"""Join the modules that check a suggestion into one text for the kernel."""

from __future__ import annotations

import re
from pathlib import Path

# The modules of the check. Each imports only from the modules before it.
MODULES = (
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
_RELATIVE_IMPORT = re.compile(r"^from \.[\w.]+ import (?:\([^)]*\)|[^(\n]*)\n", re.MULTILINE)
_FUTURE = "from __future__ import annotations\n"


def bundle() -> str:
    """Return the text of all modules, which defines ``check``.

    The modules can be joined, because no two of them define the same top-level name.
    """
    texts = [_FUTURE]
    for name in MODULES:
        text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        texts.append(_RELATIVE_IMPORT.sub("", text.replace(_FUTURE, "")))
    return "\n".join(texts)
