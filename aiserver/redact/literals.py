"""Secrets in string literals that a program joins, and in calls over several lines.

``"sk-" + "Ab12…"`` · one literal below the other, also with comments between ·
``"".join(["sk-", "Ab12…"])`` · ``"sk-%s" % "Ab12…"`` · ``auth=(`` with its arguments below it.

Invariants: all between a secret's first character and its last is replaced, or all behind the last
bracket that is opened there; a secret in one literal on one line is left to ``forms``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from .forms import Replace, redact_line

_MOST = 20_000  # characters that are looked at together, so that time stays in proportion
_QUOTES = 8  # of a line that are tried as its last: those behind it are in a comment
_LINES = 12  # of a call
_PASSES = 4

_SPACE = r"[ \t]{0,64}"
_BREAK = (
    rf"(?:(?:#[^\n]{{0,200}})?\\?\n{_SPACE}){{1,4}}"  # behind space; lines of comments included
)
_OPENING = r"[rbufRBUF]{0,2}['\"]"
# From the closing quote of a literal to the opening one of the next.
_JOINT = re.compile(
    rf"['\"]{_SPACE}(?:{_BREAK})?\+{_SPACE}\(?{_SPACE}(?:{_BREAK})?{_OPENING}"
    rf"|(?P<quote>['\"])(?:{_SPACE}{_BREAK}|[ \t]{{1,64}})[rbufRBUF]{{0,2}}(?P=quote)"
    rf"|(?<=%s)['\"]{_SPACE}(?:{_BREAK})?%{_SPACE}\(?{_SPACE}(?:{_BREAK})?{_OPENING}"
    rf"|(?<=\}})['\"]\.format\({_SPACE}(?:{_BREAK})?{_OPENING}"
)
_PLACEHOLDER = re.compile(r"(?:%s|\{[0-9]?\}){1,6}\Z")
# Calls that put literals one behind the other …
_JOIN = re.compile(
    rf"(?:\"\"|'')\.join\({_SPACE}[\[(]"
    rf"|['\"](?:%s){{2,6}}['\"]{_SPACE}%{_SPACE}\("
    r"|['\"](?:\{[0-9]?\}){2,6}['\"]\.format\("
)
_CLOSE = re.compile(r"[\])]")
_COMMA = re.compile(rf"['\"]{_SPACE},{_SPACE}(?:{_BREAK})?{_OPENING}")
# … and those whose arguments may be passwords.
_LOGIN = re.compile(
    r"\bauth['\"]?[ ]{0,4}[=:][ ]{0,4}[\w.]{0,40}\(|(?:Basic|Digest)Auth\(|\.login\("
)
_LINE_BREAK = re.compile(rf"(?<=[(\[,]){_SPACE}{_BREAK}|{_SPACE}{_BREAK}(?=\))")


def end_of_joined_lines(text: str, start: int, end: int) -> int:
    """The end of the last line whose literals are joined to those of the line from ``start``."""
    line = start
    while end < len(text) and end - start < _MOST:
        further = max(_end_of_call(text, line, end), _end_of_joint(text, line, end))
        if further == end:
            return end
        line, end = end + 1, further
    return end


def _end_of_call(text: str, line: int, end: int) -> int:
    """The end of the line that closes the call begun before ``end``; ``end`` if none is near."""
    call = _JOIN.search(text, line, end) or _LOGIN.search(text, line, end)
    if call is None:
        return end
    depth, inside, last = 1, call.end(), end
    for _ in range(_LINES):
        part = text[inside:last]
        depth += sum(map(part.count, "([")) - sum(map(part.count, ")]"))
        if depth <= 0:
            return last
        if last == len(text):
            break
        inside, last = last + 1, _end_of_line(text, last + 1)
    return end


def _end_of_joint(text: str, line: int, end: int) -> int:
    """The end of the line in which the joint ends that begins before ``end``, or ``end``."""
    quote = end
    for _ in range(_QUOTES):
        quote = max(text.rfind('"', line, quote), text.rfind("'", line, quote))
        if quote < 0:
            break
        joint = _JOINT.match(text, quote)
        if joint and joint.end() > end:
            return _end_of_line(text, joint.end())
    return end


def _end_of_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def redact_joined(text: str, is_prose: bool, replace: Replace) -> str:
    """Some lines with a mark for each secret that spans literals or lines."""
    if len(text) > 2 * _MOST:
        return text
    for _ in range(_PASSES):  # what is left before a bracket may be a secret of its own
        before, text = text, _redact_joined_once(text, is_prose, replace)
        if text == before:
            break
    return text


def _redact_joined_once(text: str, is_prose: bool, replace: Replace) -> str:
    breaks = _breaks(text)
    joints = _joints(text, breaks)
    if not joints:
        return text
    ends = [0, *(place for joint in joints for place in joint), len(text)]
    pieces = list(zip(ends[::2], ends[1::2], strict=True))
    gaps = [text[a:b] for a, b in joints]
    joined = "".join(text[a:b] for a, b in pieces)
    begins = [0, *accumulate(b - a for a, b in pieces)][:-1]  # of each piece, in ``joined``
    parts, place = [], 0
    for kind, first, last in _secrets(joined, is_prose):
        first_piece, last_piece = (bisect_right(begins, at) - 1 for at in (first, last))
        if first_piece == last_piece and not breaks:
            continue
        opening = max((n for n in range(first_piece, last_piece) if "(" in gaps[n]), default=-1)
        if opening >= 0:  # the bracket stays, and what is before it
            first_piece, first = opening + 1, begins[opening + 1]
        start = pieces[first_piece][0] + first - begins[first_piece]
        end = pieces[last_piece][0] + last - begins[last_piece] + 1
        parts += [text[place:start], replace(kind, text[start:end])]
        place = end
    return "".join([*parts, text[place:]])


def _breaks(text: str) -> list[tuple[int, int]]:
    """Start and end of the line breaks between the arguments of a login."""
    call = _LOGIN.search(text) if "\n" in text else None
    return [gap.span() for gap in _LINE_BREAK.finditer(text, call.start())] if call else []


def _joints(text: str, breaks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Start and end of what is between the joined pieces of a text."""
    found = list(breaks)
    for joint in _JOINT.finditer(text):
        placeholder = _PLACEHOLDER.search(text, max(0, joint.start() - 18), joint.start())
        start = placeholder.start() if placeholder else joint.start()
        found.append((start, joint.end()))
    for call in _JOIN.finditer(text):
        close = _CLOSE.search(text, call.end())
        end = close.start() if close else len(text)
        found += [joint.span() for joint in _COMMA.finditer(text, call.end(), end)]
    joints: list[tuple[int, int]] = []
    for span in sorted(found):
        if not joints or span[0] >= joints[-1][1]:
            joints.append(span)
    return joints


def _secrets(joined: str, is_prose: bool) -> list[tuple[str, int, int]]:
    """The secrets of a joined text: kind, place of the first and of the last character."""
    found: list[tuple[str, str]] = []
    nonce = "\ue000"
    while nonce in joined:
        nonce += "\ue000"

    def note(kind: str, secret: str) -> str:
        found.append((kind, secret))
        return f"‹redacted:{nonce}{len(found) - 1}›"

    marks = re.compile(rf"‹redacted:{nonce}([0-9]+)›")

    def original(text: str) -> str:
        while marks.search(text):
            text = marks.sub(lambda mark: found[int(mark[1])][1], text)
        return text

    spans, place, read = [], 0, 0
    marked = redact_line(joined, is_prose, note)
    for mark in marks.finditer(marked):
        place += mark.start() - read
        kind, secret = found[int(mark[1])]
        length = len(original(secret))
        spans.append((kind, place, place + length - 1))
        place, read = place + length, mark.end()
    return spans
