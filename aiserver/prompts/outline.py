"""Shortens a cell to what later cells need of it: the names it makes.

What must hold: the outline of Python code is Python code. (A small model copies what it is shown:
half a statement would come back as a syntax error.)
"""

from __future__ import annotations

import ast
import re

from .fence import fence_name

_MAGIC = re.compile(r"^\s*[%!]|\?\s*$")
_NAMING = re.compile(r"(import |from \S+ import |(async )?def |class |[A-Za-z_][\w.]* *(=|<-) )")
_LONGEST = 100  # characters of a value that is shown as it is
_KEPT = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign)
_BODIES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def outline(code: str, language: str = "python") -> str:
    """Imports, assignments and the heads of definitions; long values as ``...``. May be empty."""
    lines = [line.rstrip() for line in code.splitlines() if not _MAGIC.search(line)]
    if fence_name(language) != "python":
        return "\n".join(line for line in lines if _NAMING.match(line))
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    shown = []
    for node in tree.body:
        if isinstance(node, _BODIES):
            node.body = [ast.Expr(ast.Constant(...))]
            node.decorator_list = []
            shown.append(ast.unparse(node))
        elif isinstance(node, _KEPT):
            text = ast.get_source_segment("\n".join(lines), node) or ""
            if len(text) > _LONGEST or "\n" in text:
                text = ast.unparse(_Shorter().visit(node))
            shown.append(text if len(text) <= 4 * _LONGEST else f"# {text[:_LONGEST]} ...")
    return "\n".join(shown)


class _Shorter(ast.NodeTransformer):
    """Puts ``...`` in the place of what is long inside a value."""

    def visit_List(self, node: ast.List) -> ast.AST:
        return ast.List([ast.Constant(...)], node.ctx) if len(node.elts) > 3 else node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and len(node.elts) > 3:
            return ast.Tuple([ast.Constant(...)], node.ctx)
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return ast.Set([ast.Constant(...)]) if len(node.elts) > 3 else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, (str, bytes)) and len(node.value) > _LONGEST:
            return ast.Constant(...)
        return node
