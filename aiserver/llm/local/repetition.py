"""Notices when a model has begun to repeat itself for good, as small ones at times do.

What must hold: exact repetition only, and much of it, so that code with similar lines passes.
"""

from __future__ import annotations

TAIL = 600  # characters at the end that must be nothing but repetition …
LONGEST = 200  # … of something this long at most: so at least three times


def repeats_itself(text: str) -> bool:
    """Whether the end of ``text`` is one piece over and over."""
    if len(text) < TAIL:
        return False
    tail = text[-TAIL:]
    # The smallest period, by the failure function of Knuth, Morris and Pratt.
    borders = [0] * TAIL
    length = 0
    for index in range(1, TAIL):
        while length and tail[index] != tail[length]:
            length = borders[length - 1]
        if tail[index] == tail[length]:
            length += 1
        borders[index] = length
    return TAIL - borders[-1] <= LONGEST
