"""Code for older libraries, or that never worked, in place of code that runs.

Each function yields ``kind``, the part of the code to replace, and the text in its place. Whether
the result is a mistake is shown by running it: a mutant counts if it fails with an exception of its
kind, or, if it is one of ``SILENT``, has another result.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

_NOT_VALID = {"not_valid"}
# The problems that a check may report, and the exceptions that show that the mistake matters.
CURRENT_KINDS: dict[str, tuple[set[str], set[str] | None]] = {
    "offset of pandas 2": (_NOT_VALID, {"ValueError"}),
    "chained assignment": ({"no_effect"}, None),
    "in place on a column": ({"no_effect"}, None),
    "dtype object of texts": ({"no_effect"}, None),
    "applymap": ({"missing_attribute"}, {"AttributeError"}),
    "append": (_NOT_VALID, {"AttributeError"}),
    "fillna with a method": ({"not_valid", "unknown_argument"}, {"TypeError"}),
    "name removed from numpy": (_NOT_VALID, {"AttributeError"}),
    "function of groups misnamed": (_NOT_VALID, {"AttributeError", "ValueError", "KeyError"}),
    "dtype without quotes": ({"undefined_name"}, {"NameError"}),
    "dtype misnamed": (_NOT_VALID, {"TypeError"}),
    "text with a unit": ({"not_numbers"}, {"ValueError", "TypeError"}),
    "name in iloc": (_NOT_VALID, {"ValueError", "IndexError"}),
    "axis left out of drop": (_NOT_VALID, {"KeyError"}),
    "columns= left out of rename": ({"no_effect", "missing_column"}, None),
    "key of groups as a column": (
        {"not_valid", "missing_column", "missing_attribute"},
        {"KeyError", "AttributeError"},
    ),
    "column to sort a Series by": ({"not_valid", "unknown_argument"}, {"TypeError"}),
    "and, or, not for &, |, ~": (_NOT_VALID, {"ValueError", "TypeError"}),
    "if of a Series": (_NOT_VALID, {"ValueError"}),
    "None as a result": (_NOT_VALID, None),
    "number of arguments": (_NOT_VALID, {"TypeError"}),
    "column as a label of rows": (_NOT_VALID, {"KeyError"}),
    "label of a row misspelt": (_NOT_VALID, {"KeyError"}),
    "column renamed in a function": ({"missing_column", "missing_attribute"}, None),
    "column as axis": (_NOT_VALID, {"ValueError", "TypeError"}),
    "property called": (_NOT_VALID, {"TypeError"}),
    "part of a date without dt": (_NOT_VALID, {"AttributeError"}),
    "method not called": ({"not_called"}, None),
}
# These may run without an error, and have another result.
SILENT = {
    "chained assignment",
    "in place on a column",
    "dtype object of texts",
    "columns= left out of rename",
    "None as a result",
    "method not called",
}
_OLD_OFFSETS = {
    **{"ME": "M", "QE": "Q", "YE": "Y", "YS": "AS", "BME": "BM", "BQE": "BQ", "BYE": "BA"},
    **{"SME": "SM", "h": "H", "min": "T", "s": "S", "ms": "L", "bh": "BH"},
}
_OFFSET = re.compile(r"(\d*)([A-Za-z]+)(-[A-Z]{3})?")
_OLD_NAMES = {
    **{"nan": "NaN", "inf": "Inf", "prod": "product", "isin": "in1d", "vstack": "row_stack"},
    **{"float64": "float_", "bool_": "bool8", "cumprod": "cumproduct", "round": "round_"},
}
_MISNAMED = {
    **{"mean": "average", "sum": "total", "max": "maximum", "min": "minimum", "std": "stdev"},
    **{"var": "variance", "nunique": "distinct", "size": "len", "median": "med", "count": "cnt"},
}
_WRONG_DTYPES = {"int": "integer", "float": "number", "str": "text", "datetime64[ns]": "datetime"}
_BARE = {"int64", "int32", "float64", "float32", "category", "string", "Int64", "boolean"}
_REDUCTIONS = {"mean", "sum", "max", "min", "median", "std"}
_PROPERTIES = {"shape", "columns", "dtypes", "index", "values", "size"}
_PARTS_OF_DATES = {"year", "month", "day", "hour", "weekday", "dayofweek", "quarter", "date"}
_IN_PLACE = {
    *("fillna", "replace", "clip", "ffill", "bfill", "mask", "where", "interpolate", "dropna"),
    *("sort_values", "drop_duplicates", "reset_index", "set_index", "rename", "drop"),
    *("sort_index", "query"),
}
_RETURNING = {"fillna", "replace", "ffill", "bfill", "clip", "interpolate", "mask", "where"}
_NOT_CALLED = _REDUCTIONS | {"head", "count", "nunique", "unique", "describe", "value_counts"}

Text = Callable[[ast.AST], str]
Replacement = tuple[str, ast.AST, str]


def current_mutants(tree: ast.Module, code: str, columns: set[str]) -> Iterator[tuple[str, str]]:
    """Return mutants of a cell, each with its kind. ``columns`` are those after it ran."""
    for kind, part, new in _replacements(tree, code, columns):
        if hasattr(part, "end_lineno"):
            changed = replaced(code, part, new)
            if changed != code:
                yield kind, changed


def replaced(code: str, part: Any, new: str) -> str:
    lines = code.encode().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    start = starts[part.lineno - 1] + part.col_offset
    end = starts[part.end_lineno - 1] + part.end_col_offset
    data = code.encode()
    return (data[:start] + new.encode() + data[end:]).decode()


def _replacements(tree: ast.Module, code: str, columns: set[str]) -> Iterator[Replacement]:
    def text(part: ast.AST) -> str:
        return ast.get_source_segment(code, part) or ""

    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _of_text(node, node.value)
        elif isinstance(node, ast.Attribute) and node not in called:
            yield from _of_attribute(node, text)
        elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.If)):
            yield from _of_condition(node, text)
        elif isinstance(node, ast.Compare):
            yield from _of_comparison(node, text)
        elif isinstance(node, ast.Subscript):
            yield from _of_subscript(node, text, columns)
        elif isinstance(node, ast.Call):
            yield from _of_call(node, text, own)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield from _of_assignment(node, text)
        if isinstance(node, (ast.Lambda, ast.FunctionDef)):
            yield from _in_function(node, columns)


def _of_text(node: ast.Constant, value: str) -> Iterator[Replacement]:
    match = _OFFSET.fullmatch(value)
    if match and match[2] in _OLD_OFFSETS:
        old = f"{match[1]}{_OLD_OFFSETS[match[2]]}{match[3] or ''}"
        yield "offset of pandas 2", node, repr(old)


def _of_attribute(node: ast.Attribute, text: Text) -> Iterator[Replacement]:
    owner = text(node.value)
    if owner == "np" and node.attr in _OLD_NAMES:
        yield "name removed from numpy", node, f"np.{_OLD_NAMES[node.attr]}"
    elif node.attr in _PROPERTIES and isinstance(node.ctx, ast.Load):
        yield "property called", node, f"{text(node)}()"
    elif node.attr in _PARTS_OF_DATES and owner.endswith(".dt"):
        yield "part of a date without dt", node, f"{owner[:-3]}.{node.attr}"


def _of_condition(node: Any, text: Text) -> Iterator[Replacement]:
    kind = "and, or, not for &, |, ~"
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        word = "and" if isinstance(node.op, ast.BitAnd) else "or"
        yield kind, node, f"({text(node.left)}) {word} ({text(node.right)})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield kind, node, f"(not {text(node.operand)})"
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Call):
        function = node.test.func
        if isinstance(function, ast.Attribute) and function.attr in ("any", "all"):
            yield "if of a Series", node.test, text(function.value)


def _of_comparison(node: ast.Compare, text: Text) -> Iterator[Replacement]:
    [right, *_] = node.comparators
    is_text = isinstance(right, ast.Constant) and right.value in ("str", "string")
    if is_text and text(node.left).endswith((".dtype", ".dtypes")):
        yield "dtype object of texts", right, "'object'"
        yield "dtype object of texts", right, "object"
        yield "dtype object of texts", right, "'O'"


def _of_subscript(node: ast.Subscript, text: Text, columns: set[str]) -> Iterator[Replacement]:
    owner, key = node.value, node.slice
    parts: list[ast.expr] = getattr(key, "elts", [])
    if not isinstance(owner, ast.Attribute) or owner.attr not in ("loc", "iloc", "at"):
        return
    inner = owner.value
    if owner.attr == "loc" and len(parts) == 2:
        rows, column = map(text, parts)
        if isinstance(parts[1], (ast.Constant, ast.List)) and isinstance(node.ctx, ast.Load):
            yield "name in iloc", owner, f"{text(inner)}.iloc"
        if isinstance(node.ctx, ast.Store) and isinstance(parts[1], (ast.Constant, ast.List)):
            yield "chained assignment", node, f"{text(inner)}[{rows}][{column}]"
            yield "chained assignment", node, f"{text(inner)}[{column}][{rows}]"
            yield "chained assignment", node, f"{text(inner)}.loc[{rows}][{column}]"
    columns_of = inner.slice if isinstance(inner, ast.Subscript) and not parts else None
    is_read = isinstance(columns_of, (ast.Constant, ast.List)) and isinstance(node.ctx, ast.Load)
    if owner.attr == "iloc" and isinstance(inner, ast.Subscript) and is_read:
        new = f"{text(inner.value)}.iloc[{text(key)}, {text(inner.slice)}]"
        yield "name in iloc", node, new
    yield from _of_labels(node, owner.attr, text, columns)


def _of_labels(
    node: ast.Subscript, indexer: str, text: Text, columns: set[str]
) -> Iterator[Replacement]:
    parts: list[ast.expr] = getattr(node.slice, "elts", [])
    label = parts[0] if parts else node.slice
    value = label.value if isinstance(label, ast.Constant) else None
    if indexer != "iloc" and isinstance(value, str) and value not in columns:
        wrong = value[:-1] if len(value) > 4 else value + "s"
        yield "label of a row misspelt", label, repr(wrong)
    is_all_rows = indexer == "loc" and len(parts) == 2 and isinstance(parts[0], ast.Slice)
    if is_all_rows and isinstance(parts[1], (ast.Constant, ast.List)):
        yield "column as a label of rows", node.slice, text(parts[1])


def _of_call(node: ast.Call, text: Text, own: set[str]) -> Iterator[Replacement]:
    function = node.func
    if isinstance(function, ast.Name) and function.id in own and node.args:
        rest = [f"{item.arg}={text(item.value)}" for item in node.keywords]
        given = list(map(text, node.args))
        yield "number of arguments", node, f"{function.id}({', '.join(given[:-1] + rest)})"
        yield "number of arguments", node, f"{function.id}({', '.join([*given, given[0], *rest])})"
    if not isinstance(function, ast.Attribute):
        return
    for part in (_of_values, _of_frames, _of_groups):
        yield from part(node, function, text)


def _of_values(node: ast.Call, function: ast.Attribute, text: Text) -> Iterator[Replacement]:
    owner, name = function.value, function.attr
    words = {item.arg for item in node.keywords}
    if name == "astype" and len(node.args) == 1:
        [given] = node.args
        value = getattr(given, "value", None) if isinstance(given, ast.Constant) else None
        if value in _BARE:
            yield "dtype without quotes", given, str(value)
        if value in _WRONG_DTYPES or text(given) in _WRONG_DTYPES:
            wrong = _WRONG_DTYPES[str(value) if value in _WRONG_DTYPES else text(given)]
            yield "dtype misnamed", given, repr(wrong)
        if text(given) in ("float", "int"):
            yield "name removed from numpy", given, f"np.{text(given)}"
        yield "text with a unit", owner, text(_without_text_methods(owner))
    if name == "to_numeric" and node.args:
        yield "text with a unit", node.args[0], text(_without_text_methods(node.args[0]))
    if name in ("ffill", "bfill") and not node.args and not words:
        yield "fillna with a method", node, f"{text(owner)}.fillna(method={name!r})"
    if name == "map" and node.args:
        yield "applymap", node, f"{text(owner)}.applymap({_given(node, text)})"
    if name == "sort_values" and not node.args and "by" not in words:
        column = _last_name(owner)
        rest = _given(node, text)
        yield "column to sort a Series by", node, _with_first(node, text, repr(column), rest)
        yield "column to sort a Series by", node, _with_first(node, text, f"by={column!r}", rest)
    if name in _REDUCTIONS and isinstance(owner, ast.Subscript) and not (node.args or words):
        is_column = isinstance(getattr(owner.slice, "value", None), str)
        new = f"{text(owner.value)}.{name}({text(owner.slice)})"
        yield from [("column as axis", node, new)] if is_column else []
    if name in _NOT_CALLED and not node.args and not words:
        yield "method not called", node, text(function)


def _of_frames(node: ast.Call, function: ast.Attribute, text: Text) -> Iterator[Replacement]:
    owner, name = function.value, function.attr
    words = {item.arg: item.value for item in node.keywords}
    if name == "concat" and node.args and isinstance(node.args[0], ast.List):
        parts = list(map(text, node.args[0].elts))
        keywords = ", ".join(text(item) for item in node.keywords)
        if len(parts) == 2:
            new = f"{parts[0]}.append({', '.join(filter(None, [parts[1], keywords]))})"
            yield "append", node, new
    if name == "drop" and ("columns" in words or "axis" in words):
        labels = words.get("columns") or (node.args[0] if node.args else None)
        if labels is not None:
            yield "axis left out of drop", node, f"{text(owner)}.drop({text(labels)})"
    if name == "rename" and "columns" in words and not node.args:
        rest = [f"{key}={text(value)}" for key, value in words.items() if key != "columns"]
        new = f"{text(owner)}.rename({', '.join([text(words['columns']), *rest])})"
        yield "columns= left out of rename", node, new


def _of_groups(node: ast.Call, function: ast.Attribute, text: Text) -> Iterator[Replacement]:
    owner, name = function.value, function.attr
    if name in ("agg", "aggregate", "pivot_table", "transform"):
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and part.value in _MISNAMED:
                yield "function of groups misnamed", part, repr(_MISNAMED[str(part.value)])
    if name == "reset_index" and "groupby(" in text(owner):
        yield "key of groups as a column", node, text(owner)
    if name == "groupby":
        for item in node.keywords:
            if item.arg == "as_index":
                yield "key of groups as a column", item, "as_index=True"


def _of_assignment(node: ast.Assign, text: Text) -> Iterator[Replacement]:
    [target], value = node.targets, node.value
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        if isinstance(value, ast.Call) and text(value.func) == "sorted" and len(value.args) == 1:
            yield "None as a result", value, f"{text(value.args[0])}.sort()"
        return
    owner, name = value.func.value, value.func.attr
    if name not in _IN_PLACE or "inplace" in {item.arg for item in value.keywords}:
        return
    rest = ", ".join(filter(None, [_given(value, text), "inplace=True"]))
    call = f"{text(owner)}.{name}({rest})"
    if isinstance(target, (ast.Subscript, ast.Attribute)) and text(target) == text(owner):
        yield "in place on a column", node, call
    elif name not in _RETURNING:
        yield "None as a result", value, call


def _in_function(node: Any, columns: set[str]) -> Iterator[Replacement]:
    """Misspell columns in a function or lambda."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and part.value in columns:
            name = str(part.value)
            wrong = name[:-2] + name[-1] * 2 if len(name) > 3 else name + name[-1]
            if wrong not in columns:
                yield "column renamed in a function", part, repr(wrong)


def _given(node: ast.Call, text: Text) -> str:
    return ", ".join([*map(text, node.args), *map(text, node.keywords)])


def _with_first(node: ast.Call, text: Text, first: str, rest: str) -> str:
    return f"{text(node.func)}({', '.join(filter(None, [first, rest]))})"


def _last_name(node: ast.AST) -> str:
    """Return the column that an expression is about, as far as its text shows."""
    texts = [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return texts[0] if texts else "count"


def _without_text_methods(node: Any) -> ast.AST:
    """Remove ``.str.…(…)`` at the end of an expression, as often as there are any."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        accessor = node.func.value
        if not isinstance(accessor, ast.Attribute) or accessor.attr != "str":
            break
        node = accessor.value
    result: ast.AST = node
    return result
