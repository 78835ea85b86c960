"""Choose the rows of large data that are examined."""

from __future__ import annotations

import math
from typing import Any

from ..inspection.objects import loaded_module

EXACT_ROWS = 100_000  # data with at most so many rows is examined completely
SAMPLED_ROWS = 20_000
_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


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
