"""Confidence intervals of shares."""

from __future__ import annotations

import math

Z95 = 1.959963984540054  # the 97.5 % quantile of the normal distribution


def wilson(successes: int, count: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a share; (0, 1) if there are no observations."""
    if count == 0:
        return 0.0, 1.0
    share = successes / count
    spread = z * z / count
    center = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    # At 0 and 1 the bounds are exact, but for the rounding errors of floats.
    low = 0.0 if successes == 0 else max(0.0, center - half)
    high = 1.0 if successes == count else min(1.0, center + half)
    return low, high
