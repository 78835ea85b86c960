"""The puzzles of 100-pandas-puzzles, without those about plots."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator

from ..items import Item
from ..sources import sources

NAME = "pandas_puzzles"
NOTEBOOK = "100-pandas-puzzles-with-solutions.ipynb"
_NUMBER = re.compile(r"\*\*(\d+)\.?\*\*\.?\s*")
_SETUP_BLOCK = re.compile(r"```\s*python\s*\n(?:(?!```).)*pd\.DataFrame\(.*?```\s*", re.DOTALL)
_LAST = 55  # the puzzles after it are about plots
_IMPORTS = "import numpy as np\nimport pandas as pd"


def items(failing: Collection[str]) -> Iterator[Item]:
    """Yield the puzzles from 4 on. Before that, pandas is imported.

    Puzzles of the same section continue from each other, unless a puzzle has data of its own.
    """
    path = sources()[NAME].path(NOTEBOOK)
    if not path.exists():
        return
    cells = [_IMPORTS]
    for number, text, code, is_new_section in _puzzles(path.read_text("utf-8")):
        if is_new_section:
            cells = [_IMPORTS]
        item_id = f"{NAME}/{number}"
        setup, solution = split_setup(code)
        if 4 <= number <= _LAST:
            above = [_IMPORTS, setup] if setup else cells
            request = _SETUP_BLOCK.sub("", text) if setup else text
            yield Item(item_id, request.strip(), tuple(above), solution=solution)
        if number >= 4 and item_id not in failing:
            cells.append(code)


def _puzzles(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """Yield the number, text and code of each puzzle, and whether it begins a section."""
    number, request, is_new_section = 0, "", False
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            is_new_section = is_new_section or source.startswith("## ")
            matches = list(_NUMBER.finditer(source))
            if matches:
                number, request = int(matches[0][1]), _without_heading(source, matches[0])
            else:
                request = ""  # another solution of the same puzzle
        elif number and request:
            yield number, request, source, is_new_section
            request, is_new_section = "", False


def _without_heading(source: str, number: re.Match[str]) -> str:
    """Return the text of a puzzle with the data that a section's introduction gives."""
    blocks = re.findall(r"```.*?```", source[: number.start()], re.DOTALL)
    data = [block for block in blocks if "import" not in block]
    return "\n".join([source[number.end() :], *data])


def split_setup(code: str) -> tuple[str, str]:
    """Split code after its first ``df = pd.DataFrame(…)``, if it does more than create ``df``."""
    try:
        statements = ast.parse(code).body
    except SyntaxError:  # a cell with magics
        return "", code
    for index, statement in enumerate(statements[:-1]):
        if _creates_frame(statement):
            following = statements[index + 1 :]
            if all(_is_name(statement) for statement in following):
                break
            lines = code.split("\n")
            end = following[0].lineno - 1
            return "\n".join(lines[:end]).strip(), "\n".join(lines[end:]).strip()
    return "", code


def _creates_frame(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and ast.unparse(statement.targets[0]) == "df"
        and ast.unparse(statement.value).startswith("pd.DataFrame(")
    )


def _is_name(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name)
