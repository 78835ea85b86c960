"""Determine which columns methods of polars' DataFrames need and return."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .context import Context, argument_nodes
from .values import UNKNOWN, Arguments, Expression, Frame, Groups, Labels, Value

# Methods whose result has the same columns.
_POLARS_SAME = set(
    "clone head tail limit slice sample reverse filter sort drop_nulls unique fill_null fill_nan "
    "top_k bottom_k rechunk gather_every shift drop_nans cast drop select with_columns".split()
)
# Methods whose arguments name columns.
_CHECKED = set("sort select drop drop_nulls unique group_by filter with_columns".split())
# Methods that change the column's name.
_RENAMING = {"name", "suffix", "prefix", "map", "to_lowercase", "to_uppercase", "exclude"}


def column_expression(context: Context, node: ast.Call) -> Value:
    """Return the expression of ``pl.col(…)``."""
    parts = [context.labels(argument) for argument in node.args]
    if not all(part.is_exact for part in parts):
        return Expression([], None)
    items = [item for part in parts for item in part.items]
    plain = _plain(items)
    return Expression(plain, plain[0][0] if len(items) == len(plain) == 1 else None)


def _plain(items: Iterable[tuple[str, ast.AST]]) -> list[tuple[str, ast.AST]]:
    return [item for item in items if item[0] != "*" and not item[0].startswith("^")]


def call_expression(context: Context, owner: Expression, name: str, node: ast.Call) -> Value:
    reads = list(owner.reads)
    for argument in argument_nodes(node):
        reads += _reads(context, argument, name in ("over", "sort_by"))
    output = None if name in _RENAMING else owner.output
    if name == "alias":
        given = context.labels(node.args[0] if node.args else None)
        output = given.names[0] if given.is_single else None
    return Expression(reads, output)


def _reads(context: Context, node: ast.AST, with_text: bool = True) -> list[tuple[str, ast.AST]]:
    """Return the columns that an argument reads; strings name columns if ``with_text``."""
    if isinstance(node, ast.Starred):
        node = node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [item for element in node.elts for item in _reads(context, element, with_text)]
    value = context.value(node)
    if isinstance(value, Expression):
        return value.reads
    return context.labels(node).items if with_text else []


def output_names(context: Context, node: ast.AST) -> list[str] | None:
    """Return the columns that an argument of ``select`` creates; None if unknown."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return _all_outputs(context, node.elts)
    value = context.value(node)
    if isinstance(value, Expression):
        return [value.output] if value.output is not None else None
    named = context.labels(node)
    return named.names if named.is_exact and named.items else None


def _all_outputs(context: Context, nodes: Iterable[ast.AST]) -> list[str] | None:
    parts = [output_names(context, node) for node in nodes]
    return None if None in parts else [name for part in parts for name in part or ()]


def call_polars(context: Context, frame: Frame, name: str, node: ast.Call) -> Value:
    arguments = Arguments(node, "other on")
    if not arguments.is_exact:
        return UNKNOWN
    if name in _CHECKED and arguments.constant("strict", True) is True:
        read = [item for argument in node.args for item in _reads(context, argument)]
        if name in ("select", "with_columns", "group_by"):
            for value in arguments.keywords.values():
                read += _reads(context, value, with_text=False)
        read += context.labels(arguments.get("subset", "by")).items
        context.report_missing(frame, Labels(_plain(read), True))
    outputs = _all_outputs(context, node.args) if name in _CHECKED else None
    if name in ("group_by", "groupby"):
        return Groups(frame, None if arguments.keywords else outputs, as_index=False)
    if name == "rename":
        return _polars_rename(context, frame, arguments.get("other", "mapping"))
    if name == "join":
        return _polars_join(context, frame, arguments)
    if name not in _POLARS_SAME:
        return UNKNOWN
    result = frame.derive([] if name == "select" else None)
    if name == "drop":
        result.remove(outputs or ())
    elif name in ("select", "with_columns"):
        result.add([*(outputs or ()), *arguments.keywords])
        is_open = frame.has_unknown_columns and name != "select"
        result.has_unknown_columns = is_open or outputs is None
    return result


def call_polars_groups(context: Context, groups: Groups, name: str, node: ast.Call) -> Value:
    if name != "agg":
        return UNKNOWN
    read = [item for argument in argument_nodes(node) for item in _reads(context, argument)]
    context.report_missing(groups.frame, Labels(_plain(read), True))
    outputs = _all_outputs(context, node.args)
    arguments = Arguments(node, "")
    if groups.keys is None or outputs is None or not arguments.is_exact:
        return UNKNOWN
    return Frame("polars", [*groups.keys, *outputs, *arguments.keywords])


def _polars_join(context: Context, frame: Frame, arguments: Arguments) -> Value:
    other = context.value_of(arguments.get("other"))
    for side, parameter in ((frame, "left_on"), (other, "right_on")):
        if isinstance(side, Frame):
            for given in (arguments.get("on"), arguments.get(parameter)):
                context.report_missing(side, context.labels(given))
    if not isinstance(other, Frame):
        return UNKNOWN
    suffix = context.labels(arguments.get("suffix")).names or ["_right"]
    result = frame.derive([*frame.columns, *other.columns])
    result.add(name + suffix[0] for name in other.columns)
    result.has_unknown_columns = frame.has_unknown_columns or other.has_unknown_columns
    return result


def _polars_rename(context: Context, frame: Frame, mapping: ast.AST | None) -> Value:
    if not isinstance(mapping, ast.Dict):
        return UNKNOWN
    old, new = context.labels(mapping), [context.labels(value) for value in mapping.values]
    context.report_missing(frame, old)
    if not old.is_exact or not all(part.is_single for part in new):
        return UNKNOWN
    renamed = dict(zip(old.names, (part.names[0] for part in new)))
    return frame.derive(renamed.get(name, name) for name in frame.columns)
