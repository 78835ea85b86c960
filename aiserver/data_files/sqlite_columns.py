"""Read the columns of a table from the ``CREATE TABLE`` statement in an SQLite file. Pure.

Invariant: the statement is only divided into words. It isn't run, so it can't do harm or take long.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..requests import ColumnProfile
from .profile import describe_column

UNTYPED = "no type"  # SQLite allows columns without a declared type
_MAX_COUNT = 2_000  # the maximum number of columns in SQLite, unless it was compiled for more
_MAX_TYPE = 60  # the maximum number of characters that are shown of a type
_TOKEN = re.compile(
    r"""(?P<space>\s+ | --[^\n]* | /\*(?:(?!\*/).)*(?:\*/)?)
    | (?P<quoted>"(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[^\]]{0,1000}\] | '(?:[^']|'')*')
    | (?P<word>[\w$]+)
    | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
# The words that begin a constraint of the whole table.
_TABLE_CONSTRAINTS = frozenset(["constraint", "primary", "unique", "check", "foreign"])
# The words that begin a constraint of a column; they end its type.
_COLUMN_CONSTRAINTS = frozenset(
    [
        *("constraint", "primary", "not", "null", "unique", "check"),
        *("default", "collate", "references", "generated", "as"),
    ]
)


class _Token(NamedTuple):
    text: str
    is_quoted: bool

    @property
    def name(self) -> str:
        """The token as a name, without its quotation marks."""
        if not self.is_quoted:
            return self.text
        mark, inner = self.text[0], self.text[1:-1]
        return inner if mark == "[" else inner.replace(mark * 2, mark)

    def is_word(self, words: frozenset[str]) -> bool:
        return not self.is_quoted and self.text.lower() in words


def columns_of(statement: str) -> list[ColumnProfile]:
    """Return the columns and their declared types; [] if the statement creates no ordinary table.

    If the end of the statement is missing, the columns before it are returned.
    """
    tokens = list(_tokens(statement))
    if [token.text.upper() for token in tokens[:2]] != ["CREATE", "TABLE"]:
        return []
    columns = []
    for definition in itertools.islice(_definitions(tokens), _MAX_COUNT):
        if definition[0].is_word(_TABLE_CONSTRAINTS):
            break  # no columns follow
        declared = _type(definition)
        columns.append(describe_column(definition[0].name, declared or UNTYPED))
    return columns


def _tokens(statement: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(statement):
        if match.lastgroup != "space":
            yield _Token(match[0], match.lastgroup == "quoted")


def _definitions(tokens: list[_Token]) -> Iterator[list[_Token]]:
    """Yield the tokens of each part of the first list in parentheses."""
    depth = 0
    part: list[_Token] = []
    for token in tokens:
        is_sign = not token.is_quoted
        if is_sign and token.text == ")":
            depth -= 1
            if depth == 0:
                break
        if is_sign and token.text == "," and depth == 1:
            if part:
                yield part
            part = []
        elif depth:
            part.append(token)
        if is_sign and token.text == "(":
            depth += 1
    if part:
        yield part


def _type(definition: list[_Token]) -> str:
    """Return the declared type of a column, such as ``VARCHAR(10)``; "" if it has none."""
    text, depth = "", 0
    for token in definition[1:]:
        if token.is_word(_COLUMN_CONSTRAINTS) and not depth:
            break
        is_sign = not token.is_quoted and token.text in ("(", ")", ",", "+", "-")
        needs_space = text and not is_sign and text[-1] not in "(+-"
        text += f" {token.text}" if needs_space else token.text
        if is_sign:
            depth += (token.text == "(") - (token.text == ")")
            if token.text == ")" and depth == 0:
                break
        if len(text) > _MAX_TYPE:
            break
    return " ".join(text.split())[:_MAX_TYPE]
