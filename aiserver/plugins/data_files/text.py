"""Read the encoding, the delimiter and the first rows of CSV and TSV files. Pure."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import replace

from ...prompts.data_texts import is_number
from ...prompts.prompt_input import Table
from .table import describe_rows, estimated_row_count

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_DELIMITERS = (",", "\t", ";", "|")
_SPACES = r"\s+"  # any number of spaces or tabs
_SNIFFED_ROWS = 30
_MIN_ROWS = 3  # of the table in a text file
# With the right delimiter, at least this fraction of the rows has the same number of fields.
_MIN_CONSISTENT = 0.8
_HIGH_BYTES = re.compile(rb"[\x80-\xff]")  # bytes that ASCII doesn't use
# Common Chinese characters in GB 18030 are pairs of high bytes, which are usually single in Latin
# texts.
_CHINESE_PAIR = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")


def read_text_table(data: bytes, *, size: int, examples: int = 0) -> Table | None:
    """Describe the table in a text file such as ``wind.data``; None if it has none.

    A table has rows of equally many fields, at least two, and a column of numbers.
    """
    text = (decode(data) or ("",))[0]
    for default in (",", _SPACES):
        rows = _rows(text, _delimiter(text, default))[:_SNIFFED_ROWS]
        if len(rows) >= _MIN_ROWS and _width(rows, has_title=False) > 1:
            table = read_delimited(data, default, size=size, examples=examples)
            if table and any(is_number(column.dtype) for column in table.columns):
                return table
    return None


def read_delimited(data: bytes, default: str, *, size: int, examples: int = 0) -> Table | None:
    """Describe a CSV or TSV file; None if ``data`` isn't text.

    ``data`` is the beginning of a file of ``size`` bytes. ``default`` is pandas' delimiter.
    """
    decoded = decode(data)
    if decoded is None:
        return None
    text, encoding = decoded
    is_complete = size <= len(data)
    if not is_complete:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]  # the last line may be cut
    delimiter = _delimiter(text, default)
    rows = _rows(text, delimiter)
    estimate = None
    if not is_complete:
        estimate = estimated_row_count(len(rows), len(text.encode(encoding)), size)
    if not is_complete and len(rows) > 1:
        rows.pop()  # the last row may be cut in a field with line breaks
    table = describe_rows(rows, examples=examples, is_complete=is_complete)
    arguments = [
        *([f"sep={delimiter!r}"] if delimiter != default or delimiter == _SPACES else []),
        *([f"encoding={encoding!r}"] if encoding not in ("utf-8", "utf-8-sig") else []),
        *([] if table.has_header else ["header=None"]),
    ]
    if estimate is not None:
        table = replace(table, row_count=estimate - table.has_header, has_estimate=True)
    return replace(table, arguments=tuple(arguments))


def decode(data: bytes) -> tuple[str, str] | None:
    """Return the text, without a cut character at its end, and its encoding, or None."""
    for encoding in _encodings(data):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(data)
        except UnicodeError:
            continue
        return None if _CONTROL.search(text) else (text.removeprefix("\ufeff"), encoding)
    return None


def _encodings(data: bytes) -> list[str]:
    if data.startswith(codecs.BOM_UTF8):
        return ["utf-8-sig"]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ["utf-16"]
    start = data[:400]
    for encoding, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if zeros.count(0) * 3 > len(zeros) > 0:  # ASCII characters have zero bytes in UTF-16
            return [encoding]
    pair_count = len(_CHINESE_PAIR.findall(data))
    high_byte_count = len(_HIGH_BYTES.findall(data))
    is_chinese = 2 * pair_count > 0.6 * high_byte_count  # most high bytes are in pairs
    return ["utf-8", *(["gb18030"] if is_chinese else []), "cp1252", "latin-1"]


def _delimiter(text: str, default: str) -> str:
    """Return ``default``, unless only others divide most rows into the same number of fields, at
    least two. Of these, return the one with the most fields.

    The first row must have as many; it may be a title if no delimiter divides it so.
    """
    start = "\n".join(text.splitlines()[: 2 * _SNIFFED_ROWS])
    rows_by_delimiter = {
        delimiter: _rows(start, delimiter)[:_SNIFFED_ROWS]
        for delimiter in dict.fromkeys((default, *_DELIMITERS))
    }
    for has_title in (False, True):
        widths = {
            delimiter: _width(rows, has_title=has_title)
            for delimiter, rows in rows_by_delimiter.items()
        }
        best = max(widths, key=lambda delimiter: widths[delimiter])
        if widths[best] > 1:
            return default if widths[default] > 1 else best
    return default


def _width(rows: list[list[str]], *, has_title: bool) -> int:
    """Return the number of fields in most rows, or 0."""
    counted = rows[has_title:]
    if not counted:
        return 0
    width, count = Counter(map(len, counted)).most_common(1)[0]
    is_consistent = count >= _MIN_CONSISTENT * len(counted)
    return width if is_consistent and (has_title or len(rows[0]) == width) else 0


def _rows(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    is_spaced = delimiter == _SPACES
    if is_spaced:
        text = "\n".join(line.strip() for line in text.replace("\t", " ").splitlines())
        delimiter = " "
    lines = io.StringIO(text, newline="")
    try:
        for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=is_spaced):
            if row and row != [""]:
                rows.append(row)
    except csv.Error:
        pass  # the rows before it are enough
    return rows
