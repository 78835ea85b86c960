"""Report a changed copy of a DataFrame that is only shown, although the request asks for a change.

Small models end each answer with ``print(…)``, as in ``print(df.drop(columns="a"))``.
"""

from __future__ import annotations

import ast
from typing import Any

from ..scopes.bindings import changed_names
from .context import Context
from .values import Arguments, Frame, Method, Series, Symbol

_OF_BOTH = set("fillna ffill bfill replace astype clip round dropna drop_duplicates".split())
_OF_FRAMES = _OF_BOTH | set("drop rename assign reset_index set_index convert_dtypes map".split())
_OF_SERIES = _OF_BOTH | set("map str.strip str.lower str.upper str.title str.replace".split())
_CONVERSIONS = {"pandas.to_datetime", "pandas.to_numeric"}


def check_shown_copy(context: Context, tree: ast.Module) -> None:
    """Report the last statement if it shows a changed copy of a variable that the cell keeps."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return
    shown: Any = last.value
    called = context.value(shown.func) if isinstance(shown, ast.Call) else None
    if isinstance(called, Symbol) and called.path in ("builtins.print", "IPython.display.display"):
        shown = shown.args[0] if len(shown.args) == 1 else None
    target = _changed_part(context, shown)
    root = _variable_of(target)
    if target is None or root is None or root in changed_names(tree):
        return
    text_of = context.problems.text_of
    message = f"This shows a changed copy, and {root!r} stays as it is."
    fixed = f"{text_of(target)} = {text_of(shown)}"
    context.report_code(last, "only_shown", message, [fixed])


def _changed_part(context: Context, node: Any) -> ast.expr | None:
    """Return the DataFrame or column of which an expression is a changed copy, or None."""
    if not isinstance(node, ast.Call):
        return None
    called = context.value(node.func)
    if isinstance(called, Symbol) and called.path in _CONVERSIONS and node.args:
        [first, *_] = node.args
        return first if _is_column(context, first) else None
    if not isinstance(called, Method) or not isinstance(node.func, ast.Attribute):
        return None
    owner, name = node.func.value, called.name
    if isinstance(called.owner, Method) and isinstance(owner, ast.Attribute):  # ``.str``
        owner, name = owner.value, f"{called.owner.name}.{name}"
    value = context.value(owner)
    names = _OF_FRAMES if isinstance(value, Frame) else _OF_SERIES
    is_data = isinstance(value, (Frame, Series)) and value.library == "pandas"
    if not is_data or name not in names or "inplace" in Arguments(node, "").given():
        return None
    if isinstance(owner, ast.Name) and isinstance(value, Frame):
        return owner
    return owner if _is_column(context, owner) else _changed_part(context, owner)


def _is_column(context: Context, node: ast.expr) -> bool:
    value = context.value(node)
    is_part = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
    return is_part and isinstance(value, Series) and value.frame is not None


def _variable_of(node: ast.expr | None) -> str | None:
    part = node.value if isinstance(node, ast.Subscript) else node
    return part.id if isinstance(part, ast.Name) else None
