"""Problems of a suggestion: their positions and the nearest names."""

from __future__ import annotations

import ast
import difflib
import re
import time
from collections.abc import Iterable
from typing import Any

_MIN_SIMILARITY = 0.6  # the minimum for a candidate
CLEAR_SIMILARITY = 0.8  # the minimum for a clear misspelling
MAX_CANDIDATES = 3
MAX_NAME_LENGTH = 200


class Problems:
    """Collects at most ``limit`` problems, and one for each position and name.

    Lines are counted from 1, columns from 0, in code points; end columns are exclusive. ``indent``
    has the number of characters that were removed from each line before parsing. ``add`` converts
    positions in the parsed ``text`` to those in the cell.
    """

    def __init__(self, text: str, indent: list[int], limit: int, deadline: float) -> None:
        self.text, self.lines = text, text.split("\n")
        self.limit = limit
        self.deadline = deadline
        self._indent = indent
        self._problems: list[dict[str, Any]] = []
        self._seen: set[tuple[int, int, str]] = set()
        self._indexes: dict[int, tuple[Any, NameIndex]] = {}

    def sorted(self) -> list[dict[str, Any]]:
        return sorted(self._problems, key=lambda item: (item["line"], item["column"]))

    @property
    def is_full(self) -> bool:
        """Whether ``add`` ignores problems, after the limit or the deadline."""
        return len(self._problems) >= self.limit or time.monotonic() > self.deadline

    def check_time(self) -> None:
        """Raise TimeoutError after the deadline: one statement can be very long."""
        if time.monotonic() > self.deadline:
            raise TimeoutError

    def add(
        self,
        node: Any,
        kind: str,
        name: str,
        message: str,
        candidates: list[str] | None = None,
        package: str = "",
        statement: str = "",
        correction: str = "",
    ) -> None:
        """Add a problem at an AST node, or at a position in the parsed text.

        An empty ``correction`` becomes the candidate that the name clearly means.
        """
        position = node if isinstance(node, tuple) else self._parsed_position(node)
        if self.is_full or (*position[:2], name) in self._seen:
            return
        self._seen.add((*position[:2], name))
        correction = correction or _correction(name, kind, candidates or [])
        self._problems.append(
            {
                **self._position(*position),
                "kind": kind,
                "name": printable(name),
                "message": printable(message, 400),
                "candidates": [printable(name) for name in candidates or []],
                "package": package,
                "import": statement,
                "correction": printable(correction),
            }
        )

    def position(self, node: Any) -> dict[str, int]:
        return self._position(*self._parsed_position(node))

    def near(self, name: str, names: Iterable[str]) -> list[str]:
        """Return at most three similar names, the most similar first; [] if ``is_full``.

        The index of ``names`` is cached, so they must not change.
        """
        if self.is_full:
            return []
        cached = self._indexes.get(id(names))
        if cached is None or cached[0] is not names:
            cached = (names, NameIndex(names))
            self._indexes[id(names)] = cached
        return cached[1].near(name)

    def position_of_name(self, node: Any, name: str) -> Any:
        """Return where ``name`` is in an attribute or keyword, else the node."""
        size = len(name.encode("utf-8", "replace"))
        if isinstance(node, ast.Attribute):
            line, end = node.end_lineno or 0, node.end_col_offset or 0
            return Position(line, end - size, line, end)
        if isinstance(node, ast.keyword):
            if not hasattr(node, "lineno"):  # CPython 3.8
                return node.value
            return Position(node.lineno, node.col_offset, node.lineno, node.col_offset + size)
        return node

    def position_of_method(self, node: Any) -> Any:
        """Return where ``mean()`` is in ``frame.mean()``; for a function, the node."""
        if not isinstance(node.func, ast.Attribute):
            return node
        start = self.position_of_name(node.func, node.func.attr)
        return Position(start.lineno, start.col_offset, node.end_lineno, node.end_col_offset)

    def text_after(self, node: Any) -> str:
        line: str = self.lines[node.end_lineno - 1]
        return line.encode("utf-8", "replace")[node.end_col_offset :].decode("utf-8", "replace")

    def text_before(self, node: Any) -> str:
        line: str = self.lines[node.lineno - 1]
        return line.encode("utf-8", "replace")[: node.col_offset].decode("utf-8", "replace")

    def text_of(self, node: Any) -> str:
        """Return a node's text in its first line."""
        line: str = self.lines[node.lineno - 1]
        end = node.end_col_offset if has_one_line(node) else None
        return line.encode("utf-8", "replace")[node.col_offset : end].decode("utf-8", "replace")

    def _parsed_position(self, node: Any) -> tuple[int, int, int, int]:
        start = self._characters(node.lineno, node.col_offset)
        end = self._characters(node.end_lineno, node.end_col_offset)
        return node.lineno, start, node.end_lineno, end

    def _position(self, line: int, column: int, end_line: int, end_column: int) -> dict[str, int]:
        return {
            "line": line,
            "column": column + self._shift(line),
            "end_line": end_line,
            "end_column": end_column + self._shift(end_line),
        }

    def _characters(self, line: int, offset: int) -> int:
        text = self.lines[line - 1].encode("utf-8", "replace")
        return len(text[:offset].decode("utf-8", "replace"))

    def _shift(self, line: int) -> int:
        return self._indent[line - 1] if 1 <= line <= len(self._indent) else 0


def has_one_line(node: Any) -> bool:
    return bool(node.lineno == node.end_lineno)


class Position:
    """A range of the parsed text, with an AST node's attributes."""

    def __init__(self, line: int, column: int, end_line: int, end_column: int) -> None:
        self.lineno = line
        self.col_offset = column
        self.end_lineno = end_line
        self.end_col_offset = end_column


class NameIndex:
    """Finds similar names, ignoring case, underscores, hyphens and spaces."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(name for name in names if len(name) <= MAX_NAME_LENGTH))
        self._folded = [fold(name) for name in self._names]
        self._pairs: dict[str, list[int]] = {}
        for number, folded in enumerate(self._folded):
            for pair in _pairs(folded):
                self._pairs.setdefault(pair, []).append(number)

    def near(self, name: str) -> list[str]:
        folded = fold(name[:MAX_NAME_LENGTH])
        common: dict[int, int] = {}
        for pair in _pairs(folded):
            for number in self._pairs.get(pair, ()):
                common[number] = common.get(number, 0) + 1
        likely = sorted(common, key=lambda number: (-common[number], number))[:40]
        matcher = difflib.SequenceMatcher(b=folded, autojunk=False)
        ranked = []
        for number in likely:
            other = self._folded[number]
            matcher.set_seq1(other)
            ratio = matcher.ratio()
            if _is_long(folded) and _is_long(other) and (folded in other or other in folded):
                ratio = max(ratio, _MIN_SIMILARITY)
            if ratio >= _MIN_SIMILARITY and self._names[number] != name:
                ranked.append((-ratio, number))
        return [self._names[number] for _, number in sorted(ranked)[:MAX_CANDIDATES]]


def _correction(name: str, kind: str, candidates: list[str]) -> str:
    """Return the candidate that the name clearly means; "" if no candidate is certain.

    - It is the only one that equals the name, apart from case, spaces, hyphens and underscores:
      ``user_name -> UserName``.
    - Otherwise, it must be the only candidate, with the same words, apart from misspellings: ``unit
      prise -> Unit Price``. But ``male`` doesn't mean ``female``, nor ``2023`` ``2024``. This
      doesn't apply to files.
    - If it is the only candidate and a column, it may also contain all words of the name, perhaps
      in another form: ``volume -> Total Volume``, ``waiting time -> wait time``.
    - Code that is wrong for a column's values means its only replacement.
    """
    alike = [other for other in candidates if fold(other) == fold(name)]
    if len(alike) == 1:
        return alike[0]
    if len(candidates) != 1 or kind == "missing_file":
        return ""
    [other] = candidates
    if kind.startswith("not_") or kind == "no_effect":
        return other
    words, other_words = _words(name), _words(other)
    is_part = bool(words) and all(
        any(_have_same_stem(word, other_word) for other_word in other_words) for word in words
    )
    is_misspelt = len(words) == len(other_words) and all(map(_is_misspelling, words, other_words))
    return other if is_misspelt or (kind == "missing_column" and is_part) else ""


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", name.casefold())


def _have_same_stem(word: str, other: str) -> bool:
    """Return whether two words differ at most in an ending such as "ing"."""
    shorter, longer = sorted((word, other), key=len)
    has_ending = len(shorter) >= 4 and longer[len(shorter) :] in ("s", "es", "d", "ed", "ing")
    return longer == shorter or (has_ending and longer.startswith(shorter))


def _is_misspelling(word: str, other: str) -> bool:
    if word == other:
        return True
    if any(map(str.isdigit, word + other)) or abs(len(word) - len(other)) > 1:
        return False
    return sorted(word) == sorted(other) or similarity(word, other) >= CLEAR_SIMILARITY


def similarity(first: str, other: str) -> float:
    return difflib.SequenceMatcher(None, fold(first), fold(other), autojunk=False).ratio()


def fold(name: str) -> str:
    """Remove case, underscores, hyphens and spaces."""
    return re.sub(r"[\s_\-]+", "", name.casefold()) or name


def _is_long(folded: str) -> bool:
    """Return whether a name may match a longer one, as ``cpu`` matches ``cpu_time``.

    Two characters that aren't ASCII are enough: 单价 is a whole word.
    """
    return len(folded) >= (3 if folded.isascii() else 2)


def _pairs(folded: str) -> set[str]:
    """Return pairs of adjacent characters: ``"ab"`` has ``{"^a", "ab", "b$"}``."""
    padded = f"^{folded}$"
    return {padded[at : at + 2] for at in range(len(padded) - 1)}


def printable(text: str, limit: int = MAX_NAME_LENGTH) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")[:limit]
