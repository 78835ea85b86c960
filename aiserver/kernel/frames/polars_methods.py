"""Determine which columns polars' DataFrame methods need, and which columns their results have."""

from __future__ import annotations

import ast

from .labels import Arguments, Labels, labels, report_missing
from .values import UNKNOWN, Context, Expression, Frame, Groups, Value

# Methods whose result has the same columns as the DataFrame.
_POLARS_SAME = set(
    "clone head tail limit slice sample reverse filter sort drop_nulls unique fill_null "
    "fill_nan top_k bottom_k rechunk gather_every shift drop_nans cast remove".split()
)
# Methods whose arguments name columns.
_POLARS_CHECKED = {
    "sort",
    "select",
    "drop",
    "drop_nulls",
    "unique",
    "group_by",
    "filter",
    "with_columns",
}


def column_expression(context: Context, node: ast.Call) -> Value:
    """Return the expression that ``pl.col(…)`` creates."""
    items: list[tuple[str, ast.AST]] = []
    for argument in node.args:
        part = labels(context, argument)
        if not part.is_exact:
            return Expression([], None)
        items += part.items
    plain = [item for item in items if item[0] != "*" and not item[0].startswith("^")]
    is_single = len(items) == 1 and len(plain) == 1
    return Expression(plain, plain[0][0] if is_single else None)


def call_expression(context: Context, owner: Expression, name: str, node: ast.Call) -> Value:
    """Return the result of a method of an expression."""
    reads = list(owner.reads)
    for argument in [*node.args, *[keyword.value for keyword in node.keywords]]:
        reads += _reads(context, argument, name in ("over", "sort_by"))
    output = owner.output
    if name == "alias":
        given = labels(context, node.args[0]) if node.args else Labels([], False)
        output = given.names[0] if given.is_single else None
    if name in ("name", "suffix", "prefix", "map", "to_lowercase", "to_uppercase", "exclude"):
        output = None
    return Expression(reads, output)


def _reads(context: Context, node: ast.AST, with_text: bool) -> list[tuple[str, ast.AST]]:
    """Return the columns that an argument reads.

    If ``with_text`` is true, strings in the argument are names of columns.
    """
    if isinstance(node, ast.Starred):
        node = node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [item for element in node.elts for item in _reads(context, element, with_text)]
    value = context.value(node)
    if isinstance(value, Expression):
        return value.reads
    return labels(context, node).items if with_text else []


def output_names(context: Context, node: ast.AST) -> list[str] | None:
    """Return the names of the columns that an argument of ``select`` creates; None if unknown."""
    if isinstance(node, (ast.List, ast.Tuple)):
        parts = [output_names(context, element) for element in node.elts]
        if any(part is None for part in parts):
            return None
        return [name for part in parts for name in part or ()]
    value = context.value(node)
    if isinstance(value, Expression):
        return [value.output] if value.output is not None else None
    named = labels(context, node)
    return named.names if named.is_exact and named.items else None


def call_polars(context: Context, frame: Frame, name: str, node: ast.Call) -> Value:
    """Return the result of a method of a polars DataFrame. Reports missing columns."""
    arguments = Arguments(node, "other on")
    if name == "join":
        return _polars_join(context, frame, arguments)
    if name == "rename" and node.args and isinstance(node.args[0], ast.Dict):
        return _polars_rename(context, frame, node.args[0])
    if name in ("agg", "lazy", "collect") or not arguments.is_exact:
        return UNKNOWN
    keywords = [keyword for keyword in node.keywords if keyword.arg is not None]
    if name in _POLARS_CHECKED and arguments.constant("strict", True) is True:
        read = [item for argument in node.args for item in _reads(context, argument, True)]
        if name in ("select", "with_columns", "group_by"):
            read += [item for part in keywords for item in _reads(context, part.value, False)]
        read += labels(context, arguments.get("subset", "by")).items
        plain = [item for item in read if item[0] != "*" and not item[0].startswith("^")]
        report_missing(context, frame, Labels(plain, True))
    if name in _POLARS_SAME or name == "drop":
        result = frame.derive()
        if name == "drop":
            dropped = {text for argument in node.args for text in labels(context, argument).names}
            result = frame.derive(text for text in frame.columns if text not in dropped)
        return result
    if name in ("select", "with_columns"):
        outputs = [output_names(context, argument) for argument in node.args]
        outputs += [[keyword.arg] for keyword in keywords if keyword.arg]
        result = frame.derive([] if name == "select" else None)
        result.add([text for part in outputs for text in part or ()])
        result.has_unknown_columns = (
            frame.has_unknown_columns and name != "select"
        ) or None in outputs
        return result
    if name in ("group_by", "groupby"):
        keys = [output_names(context, argument) for argument in node.args]
        exact = [text for part in keys for text in part or ()]
        exact_keys = exact if None not in keys and not keywords else None
        return Groups(frame, exact_keys, False)
    if name == "with_row_index":
        result = frame.derive()
        result.add([*labels(context, arguments.get("other", "name")).names, "index"])
        return result
    return UNKNOWN


def call_polars_groups(context: Context, groups: Groups, name: str, node: ast.Call) -> Value:
    """Return the result of a method of polars' groups."""
    if name != "agg":
        return UNKNOWN
    values = [*node.args, *[keyword.value for keyword in node.keywords]]
    read = [item for argument in values for item in _reads(context, argument, True)]
    plain = [item for item in read if item[0] != "*" and not item[0].startswith("^")]
    report_missing(context, groups.frame, Labels(plain, True))
    outputs = [output_names(context, argument) for argument in node.args]
    outputs += [[keyword.arg] for keyword in node.keywords if keyword.arg]
    result = Frame(
        "polars", [*(groups.keys or ()), *(text for part in outputs for text in part or ())]
    )
    result.has_unknown_columns = groups.keys is None or None in outputs
    return result


def _polars_join(context: Context, frame: Frame, arguments: Arguments) -> Value:
    given = arguments.get("other")
    other = context.value(given) if given is not None else UNKNOWN
    report_missing(context, frame, labels(context, arguments.get("on")))
    report_missing(context, frame, labels(context, arguments.get("left_on")))
    if not isinstance(other, Frame):
        return UNKNOWN
    report_missing(context, other, labels(context, arguments.get("on")))
    report_missing(context, other, labels(context, arguments.get("right_on")))
    suffix = labels(context, arguments.get("suffix")).names or ["_right"]
    result = frame.derive()
    result.add(other.columns)
    result.add([text + suffix[0] for text in other.columns])
    result.has_unknown_columns = frame.has_unknown_columns or other.has_unknown_columns
    return result


def _polars_rename(context: Context, frame: Frame, mapping: ast.Dict) -> Value:
    old, new = labels(context, mapping), [labels(context, value) for value in mapping.values]
    report_missing(context, frame, old)
    if not old.is_exact or not all(part.is_single for part in new):
        return UNKNOWN
    renamed = dict(zip(old.names, (part.names[0] for part in new)))
    return frame.derive(renamed.get(text, text) for text in frame.columns)
