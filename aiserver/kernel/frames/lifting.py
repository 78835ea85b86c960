"""Turn objects of the kernel into the values (see ``values.py``) that the check works with."""

from __future__ import annotations

import builtins
import types
from typing import Any

from ..inspection.objects import (
    MISSING,
    class_of,
    has_text_index,
    index_names,
    instance_attributes,
    is_array_function,
    is_compiled_function,
    is_plain_class,
    is_random_function,
    loaded_value,
    pandas_columns,
    plain_texts,
    polars_columns,
    series_name,
)
from .values import UNKNOWN, Context, Frame, Instance, Series, Symbol, Text, Texts, Value

_LIBRARIES_OF_FUNCTIONS = ("pandas", "polars", "numpy", "seaborn", "plotly.express", "builtins")


class Lifting(Context):
    """Turns objects of the kernel into values, each object once."""

    _lifted: dict[int, Value]

    def lift(self, value: Any, path: str) -> Value:
        """Return the ``Value`` that represents an object, always the same one for an object."""
        if id(value) not in self._lifted:
            try:
                self._lifted[id(value)] = self._lift(value, path)
            except Exception:  # a version of a library with other attributes
                self._lifted[id(value)] = UNKNOWN
        return self._lifted[id(value)]

    def _lift(self, value: Any, path: str) -> Value:
        kind = type(value)
        if kind is types.ModuleType:
            name = value.__dict__.get("__name__")
            return Symbol(name, value) if type(name) is str else UNKNOWN
        if kind is str:
            return Text(value) if len(value) < 1000 else UNKNOWN
        texts = plain_texts(value)
        if texts is not None:
            return Texts(texts)
        if kind is types.FunctionType and value.__dict__.get("__wrapped__") is builtins.open:
            return Symbol("builtins.open", builtins.open)  # IPython's wrapper of ``open``
        if kind is types.FunctionType or kind is types.BuiltinFunctionType or is_plain_class(value):
            for library in _LIBRARIES_OF_FUNCTIONS:
                name = path.rpartition(".")[2] if kind is not types.FunctionType else value.__name__
                if type(name) is str and loaded_value(library, name) is value:
                    return Symbol(library + "." + name, value)
            return Symbol(path, value)
        if kind is loaded_value("pandas", "DataFrame"):
            return self._pandas_frame(value, kind)
        if kind is loaded_value("polars", "DataFrame"):
            columns = polars_columns(value)
            return UNKNOWN if columns is None else Frame("polars", columns, set(), 1)
        if kind is loaded_value("pandas", "Series"):
            names = index_names(value)
            index = None if names is None else {name for name in names if name is not None}
            levels = None if names is None else len(names)
            return Series("pandas", series_name(value), index, levels, has_text_index(value))
        if (
            kind is loaded_value("numpy", "ufunc")
            or is_array_function(value)
            or is_random_function(value)
        ):
            return Symbol(path, value)
        if path.startswith("numpy.random.") and is_compiled_function(value):
            return Symbol(path, value)
        if value is loaded_value("polars", "col"):
            return Symbol("polars.col", MISSING)
        library_class = class_of(value)
        return UNKNOWN if library_class is None else Instance(library_class)

    def _pandas_frame(self, value: Any, kind: Any) -> Value:
        columns = pandas_columns(value)
        if columns is None:
            return UNKNOWN
        names = index_names(value)
        index = None if names is None else {name for name in names if name is not None}
        frame = Frame("pandas", columns, index, None if names is None else len(names))
        frame.attributes = instance_attributes(value, kind)
        return frame
