"""Profile one column: missing and distinct values, range, histogram, most frequent values.

Columns of at most ``EXACT_ROWS`` rows are profiled completely, larger ones from ``SAMPLED_ROWS``
rows. The range and the mean of numbers still are those of all rows if there are at most
``WHOLE_RANGE_ROWS``. The profile then has ``all``: the numbers of all rows
and of the missing values in them.

Invariant: values are read by numpy, pandas, polars and pyarrow only, and only from arrays whose
class and dtype are these libraries' own.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..inspection.objects import (
    class_name,
    is_plain_arrow_type,
    loaded_module,
    loaded_value,
)
from .containers import is_own_array
from .numbers import array_histogram, finite, profile_array
from .polars_columns import profile_polars
from .sampling import EXACT_ROWS, sampled_positions
from .values import profile_values, top_values, value_text

WHOLE_RANGE_ROWS = 2_000_000
_MISSING_TIME = -(2**63)  # numpy's NaT as an integer


def profile_column(values: Any) -> dict[str, Any]:
    """Return the profile of a column: ``rows``, ``missing``, ``distinct`` and what fits its values.

    ``values`` is a numpy array of one dimension, an array of pandas, a polars Series or a
    ``pyarrow.ChunkedArray``.
    """
    if type(values) is loaded_value("pyarrow", "ChunkedArray"):
        return _profile_arrow(values)
    is_polars = type(values) is loaded_value("polars", "Series")
    if not (is_polars or is_own_array(values)):
        return _unsupported(0)
    count = len(values)
    positions = sampled_positions(count) if count > EXACT_ROWS else None
    reads_all = positions is not None and count <= WHOLE_RANGE_ROWS
    if is_polars:
        return profile_polars(values, positions, reads_all)
    name = class_name(type(values))
    if hasattr(values, "_pa_array"):
        return _profile_arrow(values._pa_array)
    if name == "NumpyExtensionArray" or name == "PandasArray":
        values = values._ndarray
    sample = values if positions is None else values.take(positions)
    if hasattr(values, "_mask") and hasattr(values, "_data"):
        profile = _profile_numpy(sample._data[~sample._mask], len(sample))
        if reads_all and "numbers" in profile:
            _add_whole_range(profile, values._data[~values._mask], count)
        return profile
    if name == "Categorical":
        return _profile_categories(sample)
    if hasattr(values, "asi8"):
        return _profile_times(sample.asi8, sample)
    if name == "SparseArray":
        sample = sample.to_dense()
    if class_name(type(sample)) != "ndarray":
        return profile_values(sample.tolist())
    profile = _profile_numpy(sample, len(sample))
    if reads_all and "numbers" in profile:
        _add_whole_range(profile, values, count)
    return profile


def _unsupported(rows: int) -> dict[str, Any]:
    return {"rows": rows, "missing": None, "distinct": None, "note": "unsupported"}


def _profile_numpy(sample: Any, rows: int) -> dict[str, Any]:
    """Profile an array of numpy, of which ``rows - len(sample)`` masked values are left out."""
    kind = sample.dtype.kind
    masked = rows - len(sample)
    if kind in "iuf":
        present = sample[sample == sample] if kind == "f" else sample
        return {"rows": rows, "missing": rows - len(present), **profile_array(present)}
    if kind == "b":
        number = int(sample.sum())
        counts = Counter({"True": number, "False": len(sample) - number})
        counts += Counter()  # leaves out values that don't occur
        top = top_values(counts)
        return {"rows": rows, "missing": masked, "distinct": len(counts), "top": top}
    if kind in "mM":
        return _profile_times(sample.astype("int64"), sample)
    if kind in "OUST":
        return profile_values(sample.tolist())
    return _unsupported(rows)


def _add_whole_range(profile: dict[str, Any], values: Any, count: int) -> None:
    """Replace the range and the mean of a sample by those of all rows, and add ``all``.

    ``values`` contains all values that aren't masked, and ``count`` is the number of rows.
    """
    np: Any = loaded_module("numpy")
    numbers = profile["numbers"]
    size = len(values)
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        number = int(missing.sum())
        if number:
            values = values[~missing]
        size -= number
    profile["all"] = {"rows": count, "missing": count - size}
    if size:
        with np.errstate(all="ignore"):
            numbers["min"], numbers["max"] = finite(values.min()), finite(values.max())
            numbers["mean"] = finite(values.mean(dtype="float64"))
            numbers["std"] = finite(values.std(ddof=1, dtype="float64")) if size > 1 else None


def _profile_categories(sample: Any) -> dict[str, Any]:
    np: Any = loaded_module("numpy")
    codes = sample.codes
    counts = np.bincount(codes[codes >= 0], minlength=1)
    used = np.flatnonzero(counts)
    top = used[np.argsort(-counts[used], kind="stable")[:5]]
    categories = sample.categories
    texts: list[dict[str, Any]] = []
    if is_own_array(categories._data):
        for place in top.tolist():
            shown = profile_values([categories[place]]).get("top")
            text = shown[0]["value"] if shown else "…"
            texts.append({"value": text, "count": int(counts[place])})
    return {
        "rows": len(codes),
        "missing": int((codes < 0).sum()),
        "distinct": int(used.size),
        "top": texts,
    }


def _profile_times(integers: Any, sample: Any) -> dict[str, Any]:
    """Profile dates, times or durations. ``integers`` are their numbers since an origin."""
    np: Any = loaded_module("numpy")
    present = integers != _MISSING_TIME
    rows, present_times = len(integers), integers[present]
    profile: dict[str, Any] = {"rows": rows, "missing": rows - int(present.sum())}
    profile["distinct"] = int(np.unique(present_times).size)
    if present_times.size:
        places = np.flatnonzero(present)
        first, last = places[present_times.argmin()], places[present_times.argmax()]
        texts = [value_text(_iso_text(sample[place])) for place in (first, last)]
        profile["dates"] = {"min": texts[0], "max": texts[1]}
        offsets = (present_times - present_times.min()).astype("float64")
        profile["histogram"] = array_histogram(offsets, 0.0, float(offsets.max()))
    return profile


def _iso_text(value: Any) -> str:
    return str(value.isoformat()) if class_name(type(value)) == "Timestamp" else str(value)


def _profile_arrow(values: Any) -> dict[str, Any]:
    """Profile a ``pyarrow.ChunkedArray``."""
    count = len(values)
    if not is_plain_arrow_type(values.type):
        return _unsupported(count)
    sample = values.take(_arrow_positions(count)) if count > EXACT_ROWS else values
    return profile_values(sample.to_pylist())


def _arrow_positions(count: int) -> Any:
    pyarrow: Any = loaded_module("pyarrow")
    return pyarrow.array(sampled_positions(count))
