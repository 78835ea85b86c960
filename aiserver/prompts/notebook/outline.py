"""Shorten a cell to the definitions that later cells may use.

Invariant: the outline of Python code is valid Python: a small model would imitate an incomplete
statement.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...unicode import parse_python
from ..language import fence_name

_MAGIC = re.compile(r"^\s*[%!]|\?\s*$")
_DEFINITION = re.compile(
    r"(import |from \S+ import |(async )?def |class |[A-Za-z_][\w.]* *(=|<-) )"
)
_MAX_VALUE = 100  # characters
_IMPORTS_AND_ASSIGNMENTS = (
    *(ast.Import, ast.ImportFrom),
    *(ast.Assign, ast.AnnAssign, ast.AugAssign),
)
_FUNCTIONS_AND_CLASSES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def outline(code: str, language: str = "python") -> str:
    """Return the imports, the assignments, and the first lines of functions and classes.

    ``...`` replaces long values. In other languages than Python, these are lines that look like
    definitions. The outline of invalid or too deeply nested code is empty.
    """
    lines = [line.rstrip() for line in code.splitlines() if not _MAGIC.search(line)]
    if fence_name(language) != "python":
        return "\n".join(line for line in lines if _DEFINITION.match(line))
    tree = parse_python("\n".join(lines))
    try:
        return "\n".join(_shortened_statements(tree, lines)) if tree else ""
    except RecursionError:
        return ""


def _shortened_statements(tree: ast.Module, lines: list[str]) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, _FUNCTIONS_AND_CLASSES):
            node.body = [ast.Expr(ast.Constant(...))]
            node.decorator_list = []
            yield ast.unparse(node)
        elif isinstance(node, _IMPORTS_AND_ASSIGNMENTS):
            text = ""
            if node.end_lineno == node.lineno:
                # `ast.get_source_segment` would split all code for each statement.
                line = lines[node.lineno - 1].encode()
                text = line[node.col_offset : node.end_col_offset].decode()
            if not 0 < len(text) <= _MAX_VALUE:
                text = ast.unparse(_ValueShortener().visit(node))
            # If it is still too long, it becomes a comment, which is valid code.
            is_short = len(text) <= 4 * _MAX_VALUE
            yield text if is_short else f"# {text[:_MAX_VALUE]} ..."


class _ValueShortener(ast.NodeTransformer):
    def visit_List(self, node: ast.List) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and len(node.elts) > 3:
            return ast.List([ast.Constant(...)], node.ctx)
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and len(node.elts) > 3:
            return ast.Tuple([ast.Constant(...)], node.ctx)
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return ast.Set([ast.Constant(...)]) if len(node.elts) > 3 else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        texts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
        return ast.Constant(...) if len("".join(texts)) > _MAX_VALUE else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, (str, bytes)) and len(node.value) > _MAX_VALUE:
            return ast.Constant(...)
        return node
