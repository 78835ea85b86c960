"""Check that a suggestion keeps the cell's code, if the request only asks for additions.

A request of the mode ``document`` asks for comments and docstrings, and one of the mode ``test``
for tests below the code. All other requests may change any code.
"""

from __future__ import annotations

import ast

from .problems import Problems
from .source import Source

_MESSAGES = {
    "document": "This code is changed. Add only comments and docstrings.",
    "test": "This code is changed. Keep it, and add only tests below it.",
}


def check_unchanged(tree: ast.Module, original: str, mode: str, problems: Problems) -> None:
    """Report the first statement that differs from the ``original`` code, and missing tests."""
    old_tree = Source(original).tree if mode in _MESSAGES and tree.body else None
    if old_tree is None:
        return
    old, new = _without_docstring(old_tree), _without_docstring(tree)
    added = new[len(old) :]
    if mode == "test":
        new = new[: len(old)]
    changed = _first_change(old, new, problems)
    if changed is not None:
        problems.add(changed, "changed_code", "", _MESSAGES[mode])
    elif len(new) < len(old):
        problems.add(tree.body[-1], "changed_code", "", _MESSAGES[mode])
    elif mode == "test" and not any(map(_has_assertion, added)):
        message = "There are no tests. Add assert statements below the code."
        problems.add(tree.body[-1], "no_tests", "", message)


def _first_change(old: list[ast.stmt], new: list[ast.stmt], problems: Problems) -> ast.stmt | None:
    """Return the first statement of ``new`` that isn't in the same place of ``old``."""
    for before, after in zip(old, new):
        problems.check_time()
        if _text(before) != _text(after):
            inner = None
            if _text(before, with_body=False) == _text(after, with_body=False):
                # Only the body differs, so look for the change in it.
                inner = _first_change(
                    _without_docstring(before), _without_docstring(after), problems
                )
            return inner or after
    return new[len(old)] if len(new) > len(old) else None


def _text(node: ast.stmt, with_body: bool = True) -> str:
    """Return a text that doesn't depend on the format, the comments and the docstrings."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return ast.dump(node)
    copy = type(node)(**dict(ast.iter_fields(node)))
    copy.body = []
    head = ast.dump(copy)
    if not with_body:
        return head
    return head + "".join(_text(child) for child in _without_docstring(node))


def _without_docstring(node: ast.AST) -> list[ast.stmt]:
    """Return the statements of a body, without its docstring."""
    body: list[ast.stmt] = getattr(node, "body", [])
    first = body[0] if body else None
    is_docstring = (
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module))
        and isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return body[1:] if is_docstring else body


def _has_assertion(node: ast.stmt) -> bool:
    """Return whether a statement contains an ``assert``, or a call such as ``assert_equal(…)``."""
    for child in ast.walk(node):
        if isinstance(child, ast.Assert):
            return True
        if isinstance(child, ast.Call):
            function = child.func
            name = getattr(function, "attr", "") or getattr(function, "id", "")
            if name.lower().startswith("assert"):
                return True
    return False
