"""The exercises of numpy-100 with one possible result.

``numpy_exercises.json`` lists them with the number of statements at the beginning of the solution
that create the arrays of the exercise. These statements are the code of a cell above.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ..items import Item
from ..sources import sources

NAME = "numpy_exercises"
_LISTED = Path(__file__).with_suffix(".json")
_STARS = re.compile(r" *\([★☆]+\) *\??")


def items(failing: Collection[str]) -> Iterator[Item]:
    """Yield the listed exercises. They don't depend on each other."""
    path = sources()[NAME].path("source/exercises100.ktx")
    if not path.exists():
        return
    texts = dict(re.findall(r"^< ([qa]\d+)\n(.*?)(?=^< |\Z)", path.read_text("utf-8"), re.M | re.S))
    for number, count in json.loads(_LISTED.read_text("utf-8")).items():
        setup, solution = split(texts[f"a{number}"], count)
        names = [f"`{name}`" for name in _assigned(setup)]
        hint = f"\nUse {', '.join(names)} from above." if names else ""
        cells = ["import numpy as np", setup] if setup else ["import numpy as np"]
        request = _STARS.sub("", texts[f"q{number}"]).strip() + hint
        yield Item(f"{NAME}/{number}", request, tuple(cells), solution=solution)


def split(code: str, count: int) -> tuple[str, str]:
    """Split code after its first ``count`` statements."""
    statements = ast.parse(code).body
    if count == 0:
        return "", code.strip()
    lines = code.split("\n")
    end = statements[count - 1].end_lineno or 0
    return "\n".join(lines[:end]).strip(), "\n".join(lines[end:]).strip()


def _assigned(code: str) -> list[str]:
    """Return the names that the statements of some code assign, in order."""
    names = [
        node.id
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return list(dict.fromkeys(names))
