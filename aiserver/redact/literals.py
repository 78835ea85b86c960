"""Secrets in string literals that a program joins: ``"sk-" + "Ab12…"``, or one below the other.

Invariant: only a secret that spans two literals or more is replaced here, with all between its
first character and its last; what stands in one literal is for ``forms``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from .forms import Put, in_line

_MOST = 20_000  # characters that are looked at together, so that time stays in proportion

# From the closing quote of a literal to the opening one of the next.
_SPACE = r"[ \t]{0,64}"
_BREAK = rf"(?:\\?\n{_SPACE})?"
_JOINT = re.compile(
    rf"['\"]{_SPACE}{_BREAK}\+{_SPACE}{_BREAK}[rbufRBUF]{{0,2}}['\"]"
    rf"|(?P<quote>['\"])(?:{_SPACE}\\?\n{_SPACE}|[ \t]{{1,64}})[rbufRBUF]{{0,2}}(?P=quote)"
)


def end_of_joined(text: str, start: int, end: int) -> int:
    """The end of the last line whose literals are joined to those of the line from ``start``."""
    line = start
    while end < len(text) and end - start < _MOST:
        quote = max(text.rfind('"', line, end), text.rfind("'", line, end))
        joint = _JOINT.match(text, quote) if quote >= 0 else None
        if joint is None or joint.end() <= end:
            return end
        line, end = end + 1, text.find("\n", joint.end())
        end = len(text) if end < 0 else end
    return end


def joined_in_place(text: str, said: bool, put: Put) -> str:
    """Some lines with a mark for each secret that spans literals."""
    if len(text) > 2 * _MOST:
        return text
    joints = [joint.span() for joint in _JOINT.finditer(text)]
    if not joints:
        return text
    pieces = list(
        zip([0, *(b for _, b in joints)], [*(a for a, _ in joints), len(text)], strict=True)
    )
    joined = "".join(text[a:b] for a, b in pieces)
    begins = [0, *accumulate(b - a for a, b in pieces)][:-1]  # of each piece, in ``joined``
    found: dict[str, str] = {}

    def note(kind: str, secret: str) -> str:
        found.setdefault(secret, kind)
        return f"‹{kind}›"

    in_line(joined, said, note)
    spans = []
    for secret, kind in found.items():
        place = joined.find(secret)
        while place >= 0:
            last = place + len(secret) - 1
            first_piece, last_piece = (bisect_right(begins, at) - 1 for at in (place, last))
            if first_piece != last_piece:
                start = pieces[first_piece][0] + place - begins[first_piece]
                end = pieces[last_piece][0] + last - begins[last_piece] + 1
                spans.append((start, end, kind))
            place = joined.find(secret, last + 1)
    parts, place = [], 0
    for start, end, kind in sorted(spans):
        if start >= place:
            parts += [text[place:start], put(kind, text[start:end])]
            place = end
    return "".join([*parts, text[place:]])
