"""Determine how much the result of a DataFrame's method has of the DataFrame's data."""

from __future__ import annotations

import ast

from .constants import Constants
from .stored_frames import StoredFrame

# How much a value has of a DataFrame's data:
COMPLETE = "complete"  # all of it, and perhaps more columns
LOST = "lost"  # not all of it
READ = "read"  # it was read from a file or another source
OTHER = "other"  # it is another object of the kernel, and its parts may be anything
UNSURE = "unsure"


def effect_of_method(constants: Constants, frame: StoredFrame, name: str, node: ast.Call) -> str:
    """Return the effect of calling a DataFrame's method."""
    if any(keyword.arg is None for keyword in node.keywords):
        return UNSURE
    if name in _KEEPING:
        return COMPLETE
    if name in _ADDING:
        return _effect_of_columns(frame, output_names(constants, name, node))
    if name in _ROW_LIMITS:
        return _effect_of_row_limit(frame, name, node)
    if name in ("drop", "rename"):
        return _effect_of_labels(constants, frame, name, node)
    if name == "set_index":
        return UNSURE if argument(node, "drop") is not None else LOST
    return LOST if name in _LOSING else UNSURE


def _effect_of_columns(frame: StoredFrame, names: list[str] | None) -> str:
    """Return the effect of setting these columns."""
    if names is None:
        return UNSURE
    return LOST if frame.columns & set(names) else COMPLETE


def output_names(constants: Constants, method: str, node: ast.Call) -> list[str] | None:
    """Return the columns that ``assign`` or ``with_columns`` sets; None if not known."""
    names = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
    if method == "assign":
        return names
    for given in node.args:
        is_list = isinstance(given, (ast.List, ast.Tuple))
        for item in given.elts if is_list else [given]:  # type: ignore[attr-defined]
            output = _output_name(constants, item)
            if output is None:
                return None
            names.append(output)
    return names


def _output_name(constants: Constants, node: ast.AST) -> str | None:
    """Return the column that a polars expression makes; None if it isn't known."""
    while isinstance(node, ast.Call):
        if constants.path(node.func) == "polars.col":
            return constants.text(node.args[0]) if len(node.args) == 1 else None
        method = node.func
        if not isinstance(method, ast.Attribute) or method.attr in _RENAMING_EXPRESSIONS:
            return None
        if method.attr == "alias":
            return constants.text(node.args[0]) if node.args else None
        node = method.value
        if isinstance(node, ast.Attribute):  # a namespace, such as ``str``
            if node.attr == "name":
                return None
            node = node.value
    return _output_name(constants, node.left) if isinstance(node, ast.BinOp) else None


def _effect_of_row_limit(frame: StoredFrame, name: str, node: ast.Call) -> str:
    """Return the effect of a method such as ``head``, which may return all rows, too."""
    if name == "sample" and argument(node, "frac", "fraction") is not None:
        return UNSURE
    given = argument(node, "n") or (node.args[0] if node.args else None)
    count = _ROW_LIMITS[name] if given is None else integer(given)
    if count is None or count < 0:
        return UNSURE
    return LOST if count < frame.rows else COMPLETE


def _effect_of_labels(constants: Constants, frame: StoredFrame, name: str, node: ast.Call) -> str:
    """Return the effect of ``drop`` or ``rename``, which may ignore labels."""
    given = argument(node, "columns")
    if frame.library == "polars" or (given is None and _is_about_columns(node)):
        given = argument(node, "labels", "mapper", "mapping") or next(iter(node.args), None)
    if given is None:
        return LOST if name == "drop" else UNSURE
    names = constants.texts(given)
    if names is None:
        return LOST if name == "rename" or argument(node, "errors") is None else UNSURE
    return LOST if frame.columns & set(names) else COMPLETE


def _is_about_columns(node: ast.Call) -> bool:
    axis = argument(node, "axis")
    return isinstance(axis, ast.Constant) and axis.value in (1, "columns")


def argument(node: ast.Call, *names: str) -> ast.expr | None:
    """Return a keyword argument of a call; None if it isn't given."""
    return next((word.value for word in node.keywords if word.arg in names), None)


def is_in_place(node: ast.Call) -> bool:
    given = argument(node, "inplace", "in_place")
    return isinstance(given, ast.Constant) and given.value is True


def integer(node: ast.AST | None) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


# Methods whose result has all rows and columns, perhaps in another order.
_KEEPING = set(
    "copy sort_values sort_index reset_index convert_dtypes infer_objects rename_axis clone sort "
    "rechunk shrink_to_fit with_row_index with_row_count set_sorted".split()
)
# Methods that set columns.
_ADDING = {"assign", "with_columns", "with_columns_seq"}
# Methods that return some rows, with the default number of rows.
_ROW_LIMITS = {"head": 5, "tail": 5, "limit": 5, "sample": 1, "nlargest": None, "nsmallest": None}
# Methods whose result lacks rows, columns or values, or has another shape.
_LOSING = set(
    "dropna drop_duplicates query filter groupby group_by pivot pivot_table melt unpivot stack "
    "unstack merge join agg aggregate apply applymap map transform transpose describe value_counts "
    "corr cov count sum mean median min max std var quantile mode nunique select select_dtypes "
    "isin isna isnull notna notnull duplicated to_numpy to_dict to_list to_pandas fillna ffill "
    "bfill replace clip round astype where mask interpolate explode drop_nulls drop_nans unique "
    "cast fill_null fill_nan slice get_column to_series resample rolling diff pct_change shift "
    "cumsum cumprod cummax cummin rank xs squeeze reindex truncate between_time at_time get pop "
    "insert concat to_records to_string info items iterrows itertuples rows row is_duplicated "
    "is_unique top_k bottom_k partition_by group_by_dynamic null_count sum_horizontal "
    "mean_horizontal".split()
)
_RENAMING_EXPRESSIONS = {"exclude", "map_alias", "suffix", "prefix", "keep_name", "to_struct"}
