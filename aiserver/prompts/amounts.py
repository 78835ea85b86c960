"""Write amounts such as ``10万``, ``100k`` and ``1.5M`` in digits, which small models misread.

The 0.5B model took 10万 for 1,000,000.
"""

from __future__ import annotations

import re
from decimal import Decimal

_FACTORS = {
    **{"千": 10**3, "万": 10**4, "萬": 10**4, "十万": 10**5, "十萬": 10**5, "百万": 10**6},
    **{"百萬": 10**6, "千万": 10**7, "千萬": 10**7, "亿": 10**8, "億": 10**8, "万亿": 10**12},
    **{"萬億": 10**12, "k": 10**3, "m": 10**6, "bn": 10**9},
    **{"thousand": 10**3, "million": 10**6, "billion": 10**9},
}
_UNITS = "|".join(sorted(_FACTORS, key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?<![A-Za-z0-9_.,'\"`])(\d{{1,3}}(?:,\d{{3}})+|\d+)(\.\d+)? ?({_UNITS})(?![A-Za-z0-9_'\"`])",
    re.IGNORECASE,
)
# Here, "5M" may be five months.
_PERIODS = re.compile(r"resampl|freq|month|rolling|月", re.IGNORECASE)


def with_digits(text: str) -> str:
    """Return a request with its amounts in digits; parts in quotes and names stay as they are."""

    def digits(match: re.Match[str]) -> str:
        integer, fraction, unit = match.groups()
        if unit == "m" or (unit == "M" and _PERIODS.search(text)):
            return match[0]  # metres, minutes or months
        amount = Decimal(integer.replace(",", "") + (fraction or "")) * _FACTORS[unit.lower()]
        return f"{amount.normalize():f}"

    return _AMOUNT.sub(digits, text)
