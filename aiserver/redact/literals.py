"""Redact secrets that are split into several string literals, or are in a call of several lines.

Examples are ``"sk-" + "Ab12…"``, ``"".join(["sk-", "Ab12…"])``, ``"sk-%s" % "Ab12…"``, adjacent
literals on consecutive lines, also with comments in between, and ``auth=(`` with its arguments on
the following lines.

Invariants: the replaced text reaches from a secret's first character to its last, but begins after
a bracket that is opened in between, so that the code remains valid. Secrets in a single literal are
left to ``patterns``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from .patterns import Replace, redact_line

# After this many characters, no further line is examined together with them, so that the time is
# linear.
_MAX_LENGTH = 20_000
# Quotes examined from a line's end: one may end a joined literal, others may be in a comment.
_MAX_QUOTES = 8
_MAX_LINES = 12  # longer calls are not examined
_PASSES = 4  # see `redact_joined_literals`

_SPACE = r"[ \t]{0,64}"
# Line breaks, with comments between them.
_BREAK = rf"(?:(?:#[^\n]{{0,200}})?\\?\n{_SPACE}){{1,4}}"
_OPENING = r"[rbufRBUF]{0,2}['\"]"
# From a literal's closing quote to the opening quote of the next, joined one.
_JOIN_GAP = re.compile(
    rf"['\"]{_SPACE}(?:{_BREAK})?\+{_SPACE}\(?{_SPACE}(?:{_BREAK})?{_OPENING}"
    rf"|(?P<quote>['\"])(?:{_SPACE}{_BREAK}|[ \t]{{1,64}})[rbufRBUF]{{0,2}}(?P=quote)"
    rf"|(?<=%s)['\"]{_SPACE}(?:{_BREAK})?%{_SPACE}\(?{_SPACE}(?:{_BREAK})?{_OPENING}"
    rf"|(?<=\}})['\"]\.format\({_SPACE}(?:{_BREAK})?{_OPENING}"
)
_PLACEHOLDER = re.compile(r"(?:%s|\{[0-9]?\}){1,6}\Z")
# Calls that concatenate literals.
_JOIN_CALL = re.compile(
    rf"(?:\"\"|'')\.join\({_SPACE}[\[(]"
    rf"|['\"](?:%s){{2,6}}['\"]{_SPACE}%{_SPACE}\("
    r"|['\"](?:\{[0-9]?\}){2,6}['\"]\.format\("
)
_CLOSING_BRACKET = re.compile(r"[\])]")
_COMMA_GAP = re.compile(rf"['\"]{_SPACE},{_SPACE}(?:{_BREAK})?{_OPENING}")
# Calls whose arguments may be passwords.
_LOGIN_CALL = re.compile(
    r"\bauth['\"]?[ ]{0,4}[=:][ ]{0,4}[\w.]{0,40}\(|(?:Basic|Digest)Auth\(|\.login\("
)
_LINE_BREAK = re.compile(rf"(?<=[(\[,]){_SPACE}{_BREAK}|{_SPACE}{_BREAK}(?=\))")


def end_of_joined_lines(text: str, start: int, end: int) -> int:
    """Return the end of the last line to examine together with this one.

    Such a line's first literal is joined to the line before, or the line is part of a call that an
    earlier one opens.
    """
    line_start = start
    while end < len(text) and end - start < _MAX_LENGTH:
        new_end = max(
            _end_of_call(text, line_start, end), _end_of_joined_literal(text, line_start, end)
        )
        if new_end == end:
            return end
        line_start, end = end + 1, new_end
    return end


def _end_of_call(text: str, line_start: int, end: int) -> int:
    """Return the end of the line that closes the call which this line opens, or ``end``."""
    call = _JOIN_CALL.search(text, line_start, end) or _LOGIN_CALL.search(text, line_start, end)
    if call is None:
        return end
    depth, position, line_end = 1, call.end(), end
    for _ in range(_MAX_LINES):
        content = text[position:line_end]
        depth += sum(map(content.count, "([")) - sum(map(content.count, ")]"))
        if depth <= 0:
            return line_end
        if line_end == len(text):
            break
        position, line_end = line_end + 1, _end_of_line(text, line_end + 1)
    return end


def _end_of_joined_literal(text: str, line_start: int, end: int) -> int:
    """Return the end of the last line whose first literal is joined to this line, or ``end``."""
    quote = end
    for _ in range(_MAX_QUOTES):
        quote = max(text.rfind('"', line_start, quote), text.rfind("'", line_start, quote))
        if quote < 0:
            break
        gap = _JOIN_GAP.match(text, quote)
        if gap and gap.end() > end:
            return _end_of_line(text, gap.end())
    return end


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def redact_joined_literals(text: str, is_prose: bool, replace: Replace) -> str:
    """Replace secrets that span several literals or lines."""
    if len(text) > 2 * _MAX_LENGTH:
        return text
    # Before a bracket in a secret, there may be another secret, for the next pass.
    for _ in range(_PASSES):
        previous, text = text, _redact_joined_once(text, is_prose, replace)
        if text == previous:
            break
    return text


def _redact_joined_once(text: str, is_prose: bool, replace: Replace) -> str:
    """Search the text without its gaps, for example ``"sk-" + "Ab12…"`` as ``"sk-Ab12…"``."""
    breaks = _argument_breaks(text)
    gaps = _find_gaps(text, breaks)
    if not gaps:
        return text
    boundaries = [0, *(boundary for gap in gaps for boundary in gap), len(text)]
    pieces = list(zip(boundaries[::2], boundaries[1::2], strict=True))
    gap_texts = [text[start:end] for start, end in gaps]
    joined = "".join(text[start:end] for start, end in pieces)
    piece_lengths = (end - start for start, end in pieces)
    piece_starts = [0, *accumulate(piece_lengths)][:-1]  # indexes in `joined`
    redacted, position = [], 0
    for kind, first, last in _find_secrets(joined, is_prose):
        first_piece, last_piece = (bisect_right(piece_starts, n) - 1 for n in (first, last))
        if first_piece == last_piece and not breaks:
            continue  # in a single literal, left to ``patterns``
        opening = max(
            (n for n in range(first_piece, last_piece) if "(" in gap_texts[n]), default=-1
        )
        if opening >= 0:  # replace only what follows the last bracket
            first_piece, first = opening + 1, piece_starts[opening + 1]
        start = pieces[first_piece][0] + first - piece_starts[first_piece]
        end = pieces[last_piece][0] + last - piece_starts[last_piece] + 1
        redacted += [text[position:start], replace(kind, text[start:end])]
        position = end
    return "".join([*redacted, text[position:]])


def _argument_breaks(text: str) -> list[tuple[int, int]]:
    call = _LOGIN_CALL.search(text) if "\n" in text else None
    return [gap.span() for gap in _LINE_BREAK.finditer(text, call.start())] if call else []


def _find_gaps(text: str, breaks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans = list(breaks)
    for gap in _JOIN_GAP.finditer(text):
        # A placeholder for the next literal, such as %s, is a part of the gap.
        placeholder = _PLACEHOLDER.search(text, max(0, gap.start() - 18), gap.start())
        start = placeholder.start() if placeholder else gap.start()
        spans.append((start, gap.end()))
    for call in _JOIN_CALL.finditer(text):
        close = _CLOSING_BRACKET.search(text, call.end())
        end = close.start() if close else len(text)
        spans += [comma.span() for comma in _COMMA_GAP.finditer(text, call.end(), end)]
    gaps: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not gaps or span[0] >= gaps[-1][1]:
            gaps.append(span)
    return gaps


def _find_secrets(joined: str, is_prose: bool) -> list[tuple[str, int, int]]:
    secrets: list[tuple[str, str]] = []
    nonce = "\ue000"  # a private-use character, repeated until the text doesn't contain it
    while nonce in joined:
        nonce += "\ue000"

    def add_secret(kind: str, secret: str) -> str:
        secrets.append((kind, secret))
        return f"‹redacted:{nonce}{len(secrets) - 1}›"

    marks = re.compile(rf"‹redacted:{nonce}([0-9]+)›")

    def original(text: str) -> str:
        """Restore the secrets in a text; a secret may contain marks, too."""
        while marks.search(text):
            text = marks.sub(lambda mark: secrets[int(mark[1])][1], text)
        return text

    spans, position, consumed = [], 0, 0
    marked = redact_line(joined, is_prose, add_secret)
    for mark in marks.finditer(marked):
        position += mark.start() - consumed
        kind, secret = secrets[int(mark[1])]
        length = len(original(secret))
        spans.append((kind, position, position + length - 1))
        position, consumed = position + length, mark.end()
    return spans
