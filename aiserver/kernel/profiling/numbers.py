"""Profile numbers: range, mean, quartiles and a histogram, with numpy if it is loaded.

The results are those of ``describe`` in pandas: the standard deviation of a sample (``ddof=1``),
and quartiles by linear interpolation.
"""

from __future__ import annotations

import math
from typing import Any

from ..inspection.objects import MISSING, loaded_module

BINS = 20
FEW_VALUES = 10  # integers with at most so many distinct values are also counted by value


def finite(value: Any) -> Any:
    """Return a number for JSON, which has neither infinity nor NaN: None for these."""
    if type(value) is int:
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def profile_floats(values: list[float]) -> dict[str, Any]:
    """Return ``numbers`` and ``histogram`` of a list without NaN; {} if it is empty."""
    if not values:
        return {}
    ordered = sorted(values)
    mean = _sum(values) / len(values)
    squares = _sum([(value - mean) * (value - mean) for value in values])
    std = math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else math.nan
    return {
        "numbers": {
            "min": finite(ordered[0]),
            "max": finite(ordered[-1]),
            "mean": finite(mean),
            "std": finite(std),
            "quartiles": [finite(_quantile(ordered, part / 4)) for part in (1, 2, 3)],
        },
        "histogram": histogram(values, ordered[0], ordered[-1]),
    }


def _sum(values: list[float]) -> float:
    """Return the exact sum; NaN if it is too large, or if there are infinities of both signs."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return math.nan


def _quantile(ordered: list[float], share: float) -> float:
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    if ordered[low] == ordered[high]:
        return ordered[low]
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def histogram(values: list[float], low: float, high: float) -> dict[str, Any] | None:
    """Count values in ``BINS`` equal bins between two bounds; None if a bound isn't finite."""
    if not math.isfinite(high - low):
        return None
    width = (high - low) / BINS
    counts = [0] * BINS
    for value in values:
        place = int((value - low) / width) if width > 0 else 0
        counts[min(max(place, 0), BINS - 1)] += 1
    return {"min": finite(low), "max": finite(high), "counts": counts}


def profile_array(array: Any) -> dict[str, Any]:
    """Return the profile of a one-dimensional numpy array of numbers without missing values.

    ``array`` contains integers or floats, no NaN. Integers and infinities are treated as pandas
    does. Returns ``distinct``, ``numbers``, ``histogram`` and, for few integers, ``top``.
    """
    np: Any = loaded_module("numpy")
    if np is None or np is MISSING or array.size == 0:
        return {"distinct": 0}
    distinct, counts = np.unique(array, return_counts=True)
    profile: dict[str, Any] = {"distinct": int(distinct.size)}
    floats = array.astype("float64", copy=False)
    with np.errstate(all="ignore"):
        quartiles = np.percentile(floats, [25, 50, 75])
        std = floats.std(ddof=1) if array.size > 1 else math.nan
        profile["numbers"] = {
            "min": finite(distinct[0].item()),
            "max": finite(distinct[-1].item()),
            "mean": finite(floats.mean()),
            "std": finite(std),
            "quartiles": [finite(value) for value in quartiles.tolist()],
        }
    profile["histogram"] = array_histogram(floats, distinct[0].item(), distinct[-1].item())
    if distinct.size <= FEW_VALUES and array.dtype.kind in "iub":
        order = np.argsort(-counts, kind="stable")[:5]
        profile["top"] = [
            {"value": str(distinct[i].item()), "count": int(counts[i])} for i in order
        ]
    return profile


def array_histogram(array: Any, low: float, high: float) -> dict[str, Any] | None:
    """Count the numbers of a numpy array in ``BINS`` equal bins; None if a bound isn't finite."""
    np: Any = loaded_module("numpy")
    if not math.isfinite(float(high) - float(low)):
        return None
    counts = [int(array.size)] + [0] * (BINS - 1)
    if low < high:
        counts = [int(count) for count in np.histogram(array, bins=BINS, range=(low, high))[0]]
    return {"min": finite(low), "max": finite(high), "counts": counts}
