"""Read the values of a column as plain Python objects, or a sample of them.

A column is a numpy array of one dimension, an array of pandas, a polars Series or a
``pyarrow.ChunkedArray``.

Invariant: values are read by numpy, pandas, polars and pyarrow only, and only from arrays whose
class and dtype are these libraries' own.
"""

from __future__ import annotations

import math
from typing import Any

from ..inspection.objects import (
    class_name,
    is_library_class,
    is_plain_arrow_type,
    is_plain_dtype,
    loaded_module,
    loaded_value,
)

EXACT_ROWS = 100_000  # data with at most so many rows is examined completely
SAMPLED_ROWS = 20_000
_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2
_MISSING_TIME = -(2**63)  # NaT as an integer
# The kinds of the dtypes of numpy and polars; "values" are read one by one.
_KINDS_OF_NUMPY = dict(zip("iufmMbOUST", ["number"] * 3 + ["time"] * 2 + ["values"] * 5))
_POLARS_KINDS = {
    name: kind
    for kind, names in {
        "number": (
            "Int8 Int16 Int32 Int64 Int128 UInt8 UInt16 UInt32 UInt64 UInt128 Float16 Float32 "
            "Float64"
        ),
        "time": "Date Datetime Time Duration",
        "values": "Decimal String Utf8 Categorical Enum Boolean List Array Struct",
    }.items()
    for name in names.split()
}


def sampled_positions(count: int) -> Any:
    """Return the positions of ``SAMPLED_ROWS`` of ``count`` rows, in ascending order.

    There is one in each of as many equal parts of the rows. Its place within its part varies, so
    that the sample isn't biased by data that repeats regularly.
    """
    np: Any = loaded_module("numpy")
    width = count / SAMPLED_ROWS
    if np is None:  # polars doesn't need numpy
        places = (int((i + i * _GOLDEN_RATIO % 1) * width) for i in range(SAMPLED_ROWS))
        return [min(place, count - 1) for place in places]
    parts = np.arange(SAMPLED_ROWS)
    places = ((parts + parts * _GOLDEN_RATIO % 1) * width).astype("int64")
    return np.minimum(places, count - 1)


def is_arrow(column: Any) -> bool:
    return type(column) is loaded_value("pyarrow", "ChunkedArray")


def is_polars(column: Any) -> bool:
    return type(column) is loaded_value("polars", "Series")


def is_own_array(array: Any) -> bool:
    """Return whether an array, and its dtype, are numpy's or pandas' own."""
    if type(array) is loaded_value("numpy", "ndarray"):
        return True
    return is_library_class(type(array)) and is_plain_dtype(array.dtype)


def inner_column(column: Any) -> Any:
    """Return the array that contains the values of an array of pandas, or the column itself."""
    if is_arrow(column) or is_polars(column) or not is_own_array(column):
        return column
    if hasattr(column, "_pa_array"):
        return column._pa_array
    name = class_name(type(column))
    return column._ndarray if name in ("NumpyExtensionArray", "PandasArray") else column


def kind_of(column: Any) -> str:
    """Return how the values of an inner column can be read.

    The result is "number", "time", "category" or "values", or "" if they can't be read.
    """
    if is_arrow(column):
        return "values" if is_plain_arrow_type(column.type) else ""
    if is_polars(column):
        dtype = column.dtype  # one without parameters is a class itself
        name = class_name(dtype) if isinstance(dtype, type) else class_name(type(dtype))
        return _POLARS_KINDS.get(name, "")
    if not is_own_array(column):
        return ""
    if class_name(type(column)) == "Categorical":
        return "category" if is_own_array(column.categories._data) else ""
    if hasattr(column, "asi8"):
        return "time"
    if hasattr(column, "_mask") and hasattr(column, "_data"):
        column = column._data
    if type(column) is loaded_value("numpy", "ndarray"):
        return _KINDS_OF_NUMPY.get(column.dtype.kind, "")
    return "values"


def sample_of(column: Any) -> Any:
    """Return a column, or a part of it if it has more than ``EXACT_ROWS`` rows."""
    count = len(column)
    if count <= EXACT_ROWS:
        return column
    positions = sampled_positions(count)
    if is_arrow(column):
        pyarrow: Any = loaded_module("pyarrow")
        positions = pyarrow.array(positions)
    return column.gather(positions) if is_polars(column) else column.take(positions)


def plain_values(column: Any, kind: str) -> list[Any]:
    """Return the values of an inner column as a list, None if a value is missing.

    Numbers can also be NaN. ``kind`` is that of ``kind_of``. Times are numbers since an origin.
    """
    if is_arrow(column):
        return list(column.to_pylist())
    if is_polars(column):
        return list((column.to_physical() if kind == "time" else column).to_list())
    if kind == "time":
        times = column.asi8 if hasattr(column, "asi8") else column.astype("int64")
        return [None if time == _MISSING_TIME else time for time in times.tolist()]
    if kind == "category":
        # Only the used ones are read: there may be millions of categories.
        codes = column.codes.tolist()
        used = {code: column.categories[code] for code in set(codes) if code >= 0}
        return [used.get(code) for code in codes]
    if hasattr(column, "_mask") and hasattr(column, "_data"):
        pairs = zip(column._data.tolist(), column._mask.tolist())
        return [None if is_missing else value for value, is_missing in pairs]
    return list(column.tolist())


def present_numbers(column: Any) -> Any:
    """Return the numbers that aren't missing, as an array of floats or a Series of polars."""
    if is_polars(column):
        present = column.drop_nulls()
        return present.drop_nans() if class_name(type(column.dtype)).startswith("F") else present
    if hasattr(column, "_mask"):
        column = column._data[~column._mask]
    return column[column == column].astype("float64", copy=False)
