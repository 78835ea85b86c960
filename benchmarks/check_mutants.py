"""Mistakes put into code that runs, one at a time: the mutants for ``checks.py``."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


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
    "offset of pandas 2": ({"not_valid"}, {"ValueError"}),
    "name removed from numpy": ({"not_valid"}, {"AttributeError"}),
    "and for &": ({"not_valid"}, {"ValueError"}),
    "function of groups misnamed": ({"not_valid"}, {"AttributeError", "ValueError"}),
    "column as axis": ({"not_valid"}, {"ValueError", "TypeError"}),
    "axis left out": ({"not_valid"}, {"KeyError"}),
    "property called": ({"not_valid"}, {"TypeError"}),
    "name in iloc": ({"not_valid"}, {"ValueError", "IndexError"}),
    "argument left out": ({"not_valid"}, {"TypeError"}),
}
_OLD_OFFSETS = {"ME": "M", "QE": "Q", "YE": "Y", "YS": "AS", "h": "H", "min": "T"}
_OLD_NAMES = {"nan": "NaN", "inf": "Inf", "prod": "product", "isin": "in1d", "vstack": "row_stack"}
_MISNAMED = {"mean": "average", "sum": "total", "max": "maximum", "min": "minimum"}
_REDUCTIONS = {"mean", "sum", "max", "min", "median", "std"}
_PROPERTIES = {"shape", "columns", "dtypes"}


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
    for kind, changed in _current_mutants(tree, code):
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


def _current_mutants(tree: ast.Module, code: str) -> Iterator[tuple[str, str]]:
    """Return code for older libraries, or that never worked, each with its kind."""
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        for kind, part, new in _replacements(node, code, own):
            old = ast.get_source_segment(code, part)
            if old is not None and part.lineno == part.end_lineno:
                lines = code.split("\n")
                row = lines[part.lineno - 1].encode()
                start, end = part.col_offset, part.end_col_offset or 0
                lines[part.lineno - 1] = (row[:start] + new.encode() + row[end:]).decode()
                yield kind, "\n".join(lines)


def _replacements(node: ast.AST, code: str, own: set[str]) -> Iterator[tuple[str, ast.expr, str]]:
    def text(part: ast.AST) -> str:
        return ast.get_source_segment(code, part) or ""

    if isinstance(node, ast.Constant) and node.value in _OLD_OFFSETS:
        yield "offset of pandas 2", node, repr(_OLD_OFFSETS[str(node.value)])
    if isinstance(node, ast.Attribute):
        if text(node.value) == "np" and node.attr in _OLD_NAMES:
            yield "name removed from numpy", node, f"np.{_OLD_NAMES[node.attr]}"
        elif node.attr in _PROPERTIES and isinstance(node.ctx, ast.Load):
            yield "property called", node, f"{text(node)}()"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        word = "and" if isinstance(node.op, ast.BitAnd) else "or"
        yield "and for &", node, f"({text(node.left)}) {word} ({text(node.right)})"
    if isinstance(node, ast.Subscript) and text(node.value).endswith(".loc"):
        parts = getattr(node.slice, "elts", ())
        if parts and isinstance(parts[-1], ast.Constant):
            yield "name in iloc", node.value, text(node.value).removesuffix("loc") + "iloc"
    if isinstance(node, ast.Call):
        yield from _call_replacements(node, text, own)


def _call_replacements(
    node: ast.Call, text: Callable[[ast.AST], str], own: set[str]
) -> Iterator[tuple[str, ast.expr, str]]:
    function = node.func
    if isinstance(function, ast.Name) and function.id in own and node.args and not node.keywords:
        given = ", ".join(map(text, node.args[:-1]))
        yield "argument left out", node, f"{function.id}({given})"
    if not isinstance(function, ast.Attribute):
        return
    owner, name, words = function.value, function.attr, {item.arg for item in node.keywords}
    if name in _REDUCTIONS and isinstance(owner, ast.Subscript) and not (node.args or words):
        is_column = isinstance(getattr(owner.slice, "value", None), str)
        if is_column:
            yield "column as axis", node, f"{text(owner.value)}.{name}({text(owner.slice)})"
    if name in ("agg", "aggregate", "pivot_table", "transform"):
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and part.value in _MISNAMED:
                yield "function of groups misnamed", part, repr(_MISNAMED[str(part.value)])
    if name == "drop" and words in ({"columns"}, {"axis"}):
        labels = node.args[0] if node.args else node.keywords[0].value
        yield "axis left out", node, f"{text(owner)}.drop({text(labels)})"
