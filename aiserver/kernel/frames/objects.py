"""Turn objects of the kernel into the values that the check works with."""

from __future__ import annotations

import builtins
import contextlib
import types
from typing import Any

from ..inspection.dtypes import frame_dtypes
from ..inspection.objects import (
    MISSING,
    class_of,
    index_names,
    instance_dict,
    is_array_function,
    is_compiled_function,
    is_plain_class,
    is_random_function,
    loaded_value,
    plain_texts,
    text_labels,
)
from .values import UNKNOWN, Frame, Instance, Series, Symbol, Text, Texts, Value

_LIBRARIES_OF_FUNCTIONS = ("pandas", "polars", "numpy", "seaborn", "plotly.express", "builtins")


def value_of_object(obj: Any, path: str, has_changed: bool) -> Value:
    """Return the value of an object, to which the suggestion refers by the dotted name ``path``.

    ``has_changed`` tells whether the values of a DataFrame may have changed.
    """
    kind = type(obj)
    if kind is types.ModuleType:
        name = obj.__dict__.get("__name__")
        return Symbol(name, obj) if type(name) is str else UNKNOWN
    if kind is str:
        return Text(obj) if len(obj) < 1000 else UNKNOWN
    texts = plain_texts(obj)
    if texts is not None:
        return Texts(texts)
    if kind is types.FunctionType or kind is types.BuiltinFunctionType or is_plain_class(obj):
        return _function_value(obj, kind, path)
    if kind is loaded_value("pandas", "DataFrame"):
        return _pandas_frame(obj, kind, has_changed)
    if kind is loaded_value("polars", "DataFrame"):
        names = obj.columns
        is_plain = all(type(name) is str for name in names)
        return Frame("polars", names, (None,)) if is_plain else UNKNOWN
    if kind is loaded_value("pandas", "Series"):
        name = obj.name if type(obj.name) is str else None
        return Series("pandas", name, index_names(obj))
    if _is_compiled(obj, kind, path):
        return Symbol(path, obj)
    if obj is loaded_value("polars", "col"):
        return Symbol("polars.col", MISSING)
    library_class = class_of(obj)
    return UNKNOWN if library_class is None else Instance(library_class)


def _function_value(obj: Any, kind: type, path: str) -> Value:
    """Return the value of a function or class, by its name in a library if it is from there."""
    if kind is types.FunctionType and obj.__dict__.get("__wrapped__") is builtins.open:
        return Symbol("builtins.open", builtins.open)  # IPython's wrapper of ``open``
    name = obj.__name__ if kind is types.FunctionType else path.rpartition(".")[2]
    for library in _LIBRARIES_OF_FUNCTIONS:
        if type(name) is str and loaded_value(library, name) is obj:
            return Symbol(library + "." + name, obj)
    return Symbol(path, obj)


def _is_compiled(obj: Any, kind: type, path: str) -> bool:
    """Return whether an object is one of numpy's compiled functions."""
    if kind is loaded_value("numpy", "ufunc") or is_array_function(obj) or is_random_function(obj):
        return True
    return path.startswith("numpy.random.") and is_compiled_function(obj)


def _pandas_frame(obj: Any, kind: Any, has_changed: bool) -> Value:
    columns = text_labels(obj.columns)
    if columns is None:
        return UNKNOWN
    frame = Frame("pandas", columns, index_names(obj))
    frame.attributes = {name for name in instance_dict(obj, kind) if type(name) is str}
    if not has_changed:
        is_range = type(obj.index) is loaded_value("pandas", "RangeIndex")
        frame.has_number_index = is_range and len(obj.index) > 0
        with contextlib.suppress(Exception):  # pandas may store its columns in another way
            frame.dtypes = frame_dtypes(obj)
    return frame
