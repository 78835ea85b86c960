"""Parse the code of a Python cell, which may contain magics, shell commands and help requests."""

from __future__ import annotations

import ast
import re

_CONTROL_CODES = re.compile(r"\x1b\[[0-9;]*m|[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
# The lines and expressions that IPython adds to Python. Each becomes Python of the same shape.
_MAGIC_LINE = re.compile(r"^([ \t]*)(?:[%!]{1,2}[\w ./-]|\?{1,2}\w)[^\n]*$", re.MULTILINE)
_MAGIC_VALUE = re.compile(r"^([ \t]*[\w., ]+=)[ \t]*[%!]\w[^\n]*$", re.MULTILINE)
_HELP_LINE = re.compile(r"^([ \t]*)[%\w.]+\?{1,2}[ \t]*$", re.MULTILINE)


def parse(text: str) -> list[ast.stmt] | None:
    """Parse a cell, ignoring control characters. Return None if it isn't Python.

    A line with a magic or a shell command counts as ``pass``. So does a cell with a cell magic.
    """
    text = _CONTROL_CODES.sub("", text)
    if text.startswith("%%"):
        text = "pass"
    if "%" in text or "!" in text or "?" in text:
        text = _MAGIC_VALUE.sub(r"\1 None", text)
        text = _HELP_LINE.sub(r"\1pass", _MAGIC_LINE.sub(r"\1pass", text))
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_python(text: str) -> bool:
    """Return whether the text is the code of a Python cell."""
    return parse(text) is not None


def looks_like_code(text: str) -> bool:
    """Return whether the text is Python, and more than words that happen to be Python.

    Prose such as "Sorry" or "Yes, no" is valid Python, too.
    """
    prose_like = (ast.Name, ast.Tuple, ast.Constant, ast.Compare, ast.BoolOp)
    return any(
        not (isinstance(node, ast.Expr) and isinstance(node.value, prose_like))
        for node in parse(text) or []
    )


def has_statements(text: str) -> bool:
    """Return whether the text is Python, and contains a statement that no prose looks like."""
    values = (ast.Call, ast.Await, ast.Attribute, ast.Subscript)
    return any(
        not isinstance(node, ast.Expr) or isinstance(node.value, values)
        for node in parse(text) or []
    )


def only_prepares(text: str) -> bool:
    """Return whether the code only imports or installs."""
    nodes = parse(text)
    return bool(nodes) and all(
        isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)) for node in nodes or []
    )


def continues(first: str, second: str) -> bool:
    """Return whether the code ``second`` builds on ``first``, instead of being another way.

    That is the case if it uses a name that ``first`` defines, and defines none of them again.
    """
    defined, used = _names(first, ast.Store), _names(second, ast.Load)
    return bool(defined & used) and not (
        _names(first, ast.Store, imports=False) & _names(second, ast.Store)
    )


def _names(code: str, context: type[ast.expr_context], *, imports: bool = True) -> set[str]:
    """Return the names that the code defines, for ``ast.Store``, or uses, for ``ast.Load``."""
    names: set[str] = set()
    for node in (node for statement in parse(code) or [] for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            names.add(node.id)
        elif context is ast.Store and isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            names.add(node.name)
        elif context is ast.Store and imports and isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
    return names
