"""Join the modules that check a suggestion into one text for the kernel."""

from __future__ import annotations

import re
from pathlib import Path

# From bottom to top; each imports from earlier ones only.
MODULES = (
    "problems",
    "source",
    "inspection/objects",
    "inspection/signatures",
    "inspection/modules",
    "inspection/files",
    "scopes/bindings",
    "scopes/scope",
    "scopes/names",
    "frames/values",
    "frames/labels",
    "frames/grouping",
    "frames/pandas_methods",
    "frames/polars_methods",
    "frames/functions",
    "frames/lifting",
    "frames/expressions",
    "frames/calls",
    "frames/flow",
    "check",
)
_RELATIVE_IMPORT = re.compile(r"^from \.[\w.]+ import (?:\([^)]*\)|[^(\n]*)\n", re.MULTILINE)
_FUTURE = "from __future__ import annotations\n"


def bundle() -> str:
    """The text of all modules, which defines ``check``. Their top-level names are distinct."""
    texts = [_FUTURE]
    for name in MODULES:
        text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        texts.append(_RELATIVE_IMPORT.sub("", text.replace(_FUTURE, "")))
    return "\n".join(texts)
