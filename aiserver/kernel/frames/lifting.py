"""Turn objects of the kernel into the values (see ``values.py``) that the check works with."""

from __future__ import annotations

import builtins
import contextlib
import types
from typing import Any

from ..inspection.dtypes import frame_dtypes
from ..inspection.objects import (
    MISSING,
    class_of,
    has_text_index,
    index_names,
    instance_attributes,
    is_array_function,
    is_compiled_function,
    is_library_class,
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
    """Turns objects of the kernel into values."""

    _value_of_object: dict[int, Value]

    def lift(self, obj: Any, path: str) -> Value:
        """Return the ``Value`` that represents an object. It is created once for each object.

        ``path`` is the dotted name by which the suggestion refers to the object.
        """
        if id(obj) not in self._value_of_object:
            try:
                self._value_of_object[id(obj)] = self._lift(obj, path)
            except Exception:  # the object lacks an attribute in this version of its library
                self._value_of_object[id(obj)] = UNKNOWN
        return self._value_of_object[id(obj)]

    def frames(self) -> dict[str, Frame]:
        """Return the DataFrames in the kernel by the names of their variables."""
        kinds = [loaded_value(library, "DataFrame") for library in ("pandas", "polars")]
        kinds = [kind for kind in kinds if is_plain_class(kind) and is_library_class(kind)]
        frames = {}
        for name, obj in self.variables.items():
            if not name.startswith("_") and any(type(obj) is kind for kind in kinds):
                value = self.lift(obj, name)
                if isinstance(value, Frame):
                    frames[name] = value
        return frames

    def _lift(self, obj: Any, path: str) -> Value:
        kind = type(obj)
        if kind is types.ModuleType:
            name = obj.__dict__.get("__name__")
            return Symbol(name, obj) if type(name) is str else UNKNOWN
        if kind is str:
            return Text(obj) if len(obj) < 1000 else UNKNOWN
        texts = plain_texts(obj)
        if texts is not None:
            return Texts(texts)
        if kind is types.FunctionType and obj.__dict__.get("__wrapped__") is builtins.open:
            return Symbol("builtins.open", builtins.open)  # IPython's wrapper of ``open``
        if kind is types.FunctionType or kind is types.BuiltinFunctionType or is_plain_class(obj):
            for library in _LIBRARIES_OF_FUNCTIONS:
                name = path.rpartition(".")[2] if kind is not types.FunctionType else obj.__name__
                if type(name) is str and loaded_value(library, name) is obj:
                    return Symbol(library + "." + name, obj)
            return Symbol(path, obj)
        if kind is loaded_value("pandas", "DataFrame"):
            return self._pandas_frame(obj, kind)
        if kind is loaded_value("polars", "DataFrame"):
            columns = polars_columns(obj)
            return UNKNOWN if columns is None else Frame("polars", columns, set(), 1)
        if kind is loaded_value("pandas", "Series"):
            names = index_names(obj)
            index = None if names is None else {name for name in names if name is not None}
            levels = None if names is None else len(names)
            return Series("pandas", series_name(obj), index, levels, has_text_index(obj))
        if (
            kind is loaded_value("numpy", "ufunc")
            or is_array_function(obj)
            or is_random_function(obj)
        ):
            return Symbol(path, obj)
        if path.startswith("numpy.random.") and is_compiled_function(obj):
            return Symbol(path, obj)
        if obj is loaded_value("polars", "col"):
            return Symbol("polars.col", MISSING)
        library_class = class_of(obj)
        return UNKNOWN if library_class is None else Instance(library_class)

    def _pandas_frame(self, obj: Any, kind: Any) -> Value:
        columns = pandas_columns(obj)
        if columns is None:
            return UNKNOWN
        names = index_names(obj)
        index = None if names is None else {name for name in names if name is not None}
        frame = Frame("pandas", columns, index, None if names is None else len(names))
        frame.attributes = instance_attributes(obj, kind)
        if self.may_change_frames:
            return frame
        is_range = type(obj.index) is loaded_value("pandas", "RangeIndex")
        frame.has_number_index = is_range and len(obj.index) > 0
        with contextlib.suppress(Exception):  # pandas may store its columns in another way
            frame.dtypes = frame_dtypes(obj)
        return frame
