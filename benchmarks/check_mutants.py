"""Mistakes put into code that runs, one at a time: the mutants for ``checks.py``."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .current_mutants import CURRENT_KINDS, current_mutants


@dataclass(frozen=True)
class Mutant:
    """A cell with one mistake. ``removed`` is a variable that is removed before it runs."""

    kind: str
    code: str
    name: str
    removed: str = ""
    expected: frozenset[str] = field(default=frozenset())


# The problems that a check may report, and the exceptions that show that the mistake matters.
KINDS = {
    "column renamed": ({"missing_column", "missing_attribute"}, None),
    "column exchanged": (
        {"not_numbers", "not_dates", "not_text"},
        {"TypeError", "ValueError", "AttributeError"},
    ),
    "import removed": ({"undefined_name"}, {"NameError"}),
    "name misspelt": ({"undefined_name"}, {"NameError"}),
    "module attribute misspelt": ({"missing_attribute"}, {"AttributeError", "ImportError"}),
    "module misspelt": ({"missing_module"}, {"ModuleNotFoundError"}),
    "keyword misspelt": ({"unknown_argument"}, {"TypeError"}),
    "file renamed": ({"missing_file"}, {"FileNotFoundError", "OSError"}),
    "syntax broken": ({"syntax"}, {"SyntaxError", "IndentationError", "TabError"}),
    **CURRENT_KINDS,
}


def misspell(name: str, chance: random.Random) -> str:
    """The name with one letter dropped, doubled or exchanged."""
    at = chance.randrange(max(1, len(name) - 1))
    kind = chance.randrange(3)
    if kind == 0 and len(name) > 3:
        return name[:at] + name[at + 1 :]
    if kind == 1 and len(name) > 3 and name[at : at + 1] != name[at + 1 : at + 2]:
        return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    return name[: at + 1] + name[at : at + 1] + name[at + 1 :]


def mutants(
    code: str,
    columns: set[str],
    modules: set[str],
    files: set[str],
    chance: random.Random,
    most: int,
) -> Iterator[Mutant]:
    """At most ``most`` mutants of each kind."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return
    by_kind: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    lines = code.split("\n")

    def add(
        kind: str, line: int, start: int, end: int, old: str, is_text: bool = False, new: str = ""
    ) -> None:
        row = lines[line - 1].encode()
        if row[start:end].decode() != old:
            return
        new = new or misspell(old, chance)
        if new == old or (not is_text and not new.isidentifier()):
            return
        changed = (row[:start] + new.encode() + row[end:]).decode()
        text = "\n".join([*lines[: line - 1], changed, *lines[line:]])
        by_kind[kind].append(Mutant(kind, text, new))

    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        end = getattr(node, "end_col_offset", 0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in modules:
                by_kind["import removed"].append(Mutant("import removed", code, node.id, node.id))
            if len(node.id) > 2:
                add("name misspelt", line, node.col_offset, end, node.id)
        elif isinstance(node, ast.Attribute):
            start = end - len(node.attr.encode())
            if node.attr in columns:
                add("column renamed", node.end_lineno or 0, start, end, node.attr)
            root = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in modules:
                add("module attribute misspelt", node.end_lineno or 0, start, end, node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            size = len(node.arg.encode())
            add("keyword misspelt", line, node.col_offset, node.col_offset + size, node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            value = node.value
            if value in columns or value in files:
                kind = "column renamed" if value in columns else "file renamed"
                add(kind, line, node.col_offset + 1, end - 1, value, is_text=True)
            if value in columns:
                other = chance.choice(sorted(columns))
                kind = "column exchanged"
                add(kind, line, node.col_offset + 1, end - 1, value, True, other)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                start, size = alias.col_offset, len(alias.name.encode())
                add("module misspelt", alias.lineno, start, start + size, alias.name, True)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                size = len(alias.name.encode())
                start = alias.col_offset
                kind = "module attribute misspelt"
                add(kind, alias.lineno, start, start + size, alias.name)
    for kind, changed in current_mutants(tree, code, columns):
        by_kind[kind].append(Mutant(kind, changed, ""))
    for match in re.finditer(r"[()\[\]:'\"]", code):
        text = code[: match.start()] + code[match.end() :]
        try:
            ast.parse(text)
        except SyntaxError:
            by_kind["syntax broken"].append(Mutant("syntax broken", text, ""))
    for several in by_kind.values():
        unique = list(dict.fromkeys(several))
        yield from chance.sample(unique, min(most, len(unique)))
