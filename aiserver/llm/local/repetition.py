"""Detect endless repetition in an answer, which small models sometimes produce.

Invariant: only long and exact repetition counts, so that code with similar lines passes.
"""

from __future__ import annotations

TAIL = 600  # characters at the end that must be periodic …
MAX_PERIOD = 200  # … so each piece occurs at least three times


def ends_in_repetition(text: str) -> bool:
    """Whether the end of ``text`` is one piece, repeated."""
    if len(text) < TAIL:
        return False
    tail = text[-TAIL:]
    # Compute the smallest period with the failure function of Knuth, Morris and Pratt.
    borders = [0] * TAIL
    length = 0
    for index in range(1, TAIL):
        while length and tail[index] != tail[length]:
            length = borders[length - 1]
        if tail[index] == tail[length]:
            length += 1
        borders[index] = length
    return TAIL - borders[-1] <= MAX_PERIOD
