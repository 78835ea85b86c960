"""Read the first rows of an Excel workbook (.xlsx, .xlsm): a zip archive of XML files.

Invariants: this module reads at most ``MAX_READ`` bytes of the workbook, and unpacks at most
``_MAX_PART`` bytes of each XML file, whatever sizes the archive claims. A workbook with a document
type declaration is rejected, because the declaration could define entities that expand without
limit.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO
from xml.parsers import expat

from .dtypes import Date, dtype_of_values
from .profile import MAX_COLUMNS, Table
from .table import describe_rows

MAX_READ = 1_048_576
_MAX_PART = 1_048_576
_MAX_ROWS = 30
_CHUNK = 16_384  # bytes
_MAX_SHEET_ROWS = 1_048_576  # the maximum in Excel
_DIMENSION = re.compile(r"[A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}([0-9]{1,7})")  # such as `A1:F1200`
_CELL_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]+")  # such as `B12`
# The ids of Excel's built-in formats for dates and times.
_DATE_FORMATS = frozenset([*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)])
# The parts of a format's code whose letters don't mean a date: "text", [Red], \x.
_MAX_FORMAT = 255  # characters, as in Excel; the expression takes quadratic time
_TEXT_IN_FORMAT = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')


class _Stop(Exception):
    """Raised by a callback to end the parsing of an XML file before the file's end."""


class _Limited(io.RawIOBase):
    """A file of which at most ``MAX_READ`` bytes can be read. Reading more raises OSError."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._allowed_bytes = file, MAX_READ

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        is_within_limit = 0 <= size <= self._allowed_bytes
        data = self._file.read(size if is_within_limit else self._allowed_bytes + 1)
        self._allowed_bytes -= len(data)
        if self._allowed_bytes < 0:
            raise OSError("too large")
        return data


def read_excel(file: BinaryIO, *, examples: int = 0) -> Table:
    """Return the description of the first sheet.

    ``examples`` is the number of different values to show for each column of texts. Raises any
    exception if the file is too large, encrypted, damaged, or not a workbook.
    """
    with zipfile.ZipFile(_Limited(file)) as archive:
        return _Workbook(archive, examples).table()


class _Workbook:
    def __init__(self, archive: zipfile.ZipFile, examples: int) -> None:
        self._archive, self._examples = archive, examples

    def table(self) -> Table:
        """Return the description of the first sheet."""
        sheet = _SheetReader()
        is_complete = self._parse(self._first_sheet(), sheet.start, sheet.end, sheet.text)
        texts = self._shared_texts(sheet.last_text)
        dates = self._date_styles() if sheet.has_styles else frozenset()
        rows = [[_value(cell, texts, dates) for cell in row] for row in sheet.rows]
        blank_count = next((i for i, row in enumerate(rows) if row != [None] * len(row)), len(rows))
        rows = rows[blank_count:]  # `skiprows` below makes pandas skip these blank rows, too
        width = max(map(len, rows), default=0)
        rows = [row + [None] * (width - len(row)) for row in rows]
        table = describe_rows(
            rows, examples=self._examples, is_complete=is_complete, dtype_of=dtype_of_values
        )
        arguments = [
            *([f"skiprows={blank_count}"] if blank_count and rows else []),
            *([] if table.has_header else ["header=None"]),
        ]
        table = replace(table, arguments=tuple(arguments))
        estimate = sheet.claimed_row_count - blank_count - table.has_header
        if not is_complete and estimate > len(rows):
            table = replace(table, row_count=estimate, has_estimate=True)
        return table

    def _first_sheet(self) -> str:
        """Return the path of the first sheet's XML file in the archive."""
        ids: list[str] = []
        targets: dict[str, str] = {}

        def sheet(name: str, attributes: dict[str, str]) -> None:
            if name == "sheet":
                ids.append(next(v for k, v in attributes.items() if k.split(":")[-1] == "id"))

        def relationship(name: str, attributes: dict[str, str]) -> None:
            if name == "Relationship":
                targets[attributes["Id"]] = attributes["Target"]

        self._parse("xl/workbook.xml", sheet)
        self._parse("xl/_rels/workbook.xml.rels", relationship)
        target = targets[ids[0]]
        return target[1:] if target.startswith("/") else f"xl/{target}"

    def _shared_texts(self, last: int) -> list[str]:
        """Return the shared texts with the indexes 0 to ``last``; none if ``last`` is -1.

        A cell can contain the index of a shared text instead of a text.
        """
        texts: list[str] = []
        parts: list[str] = []
        is_phonetic = False  # phonetic hints aren't a part of the text

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal is_phonetic
            if name == "si":
                parts.clear()
            is_phonetic = name == "rPh" or (is_phonetic and name == "t")

        def end(name: str) -> None:
            nonlocal is_phonetic
            if name == "rPh":
                is_phonetic = False
            if name == "si":
                texts.append("".join(parts))
                if len(texts) > last:
                    raise _Stop

        def text(name: str, value: str) -> None:
            if name == "t" and not is_phonetic:
                parts.append(value)

        if last >= 0:
            self._parse("xl/sharedStrings.xml", start, end, text)
        return texts

    def _date_styles(self) -> frozenset[int]:
        """Return the indexes of the styles that show numbers as dates or times."""
        formats: set[int] = set(_DATE_FORMATS)
        dates: list[bool] = []
        is_in_cell_formats = False

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal is_in_cell_formats
            if name == "numFmt":
                code = attributes.get("formatCode", "")[:_MAX_FORMAT]
                code = _TEXT_IN_FORMAT.sub("", code)
                if re.search("[ymdhs]", code.lower()):
                    formats.add(int(attributes["numFmtId"]))
            elif name == "cellXfs":
                is_in_cell_formats = True
            elif name == "xf" and is_in_cell_formats:
                dates.append(int(attributes.get("numFmtId", "0")) in formats)

        def end(name: str) -> None:
            if name == "cellXfs":
                raise _Stop

        self._parse("xl/styles.xml", start, end)
        return frozenset(index for index, is_date in enumerate(dates) if is_date)

    def _parse(
        self,
        part: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str, str], None] | None = None,
    ) -> bool:
        """Parse an XML file of the archive. Return whether it was read to its end.

        ``start`` is called at the beginning of each element, with its name and attributes. ``end``
        is called at the end of each element, with its name. ``text`` is called for each text, with
        the name of the innermost element around it and the text itself. The names have no
        namespace prefix.
        """
        parser = expat.ParserCreate()
        parser.buffer_text = True
        open_names: list[str] = []

        def on_start(name: str, attributes: dict[str, str]) -> None:
            open_names.append(name.split(":")[-1])
            start(open_names[-1], attributes)

        def on_end(name: str) -> None:
            open_names.pop()
            if end:
                end(name.split(":")[-1])

        def on_text(value: str) -> None:
            if text:
                text(open_names[-1], value)

        def on_doctype(*_: Any) -> None:
            raise ValueError("a document type")

        parser.StartElementHandler, parser.EndElementHandler = on_start, on_end
        parser.CharacterDataHandler = on_text
        parser.StartDoctypeDeclHandler = on_doctype
        try:
            with self._archive.open(part) as file:
                for _ in range(_MAX_PART // _CHUNK):
                    chunk = file.read(_CHUNK)
                    parser.Parse(chunk, not chunk)
                    if not chunk:
                        return True
        except _Stop:
            pass
        return False


class _SheetReader:
    """Collects the kind, the style and the text of each cell in the first rows.

    The kind is the cell's type in the XML file: for example, ``s`` means that the text is the index
    of a shared text. The style is the index of one of the workbook's styles.
    """

    def __init__(self) -> None:
        self.rows: list[list[tuple[str, int, str] | None]] = []
        self.last_text = -1
        """The highest index of a shared text in the rows; -1 if there is none."""
        self.has_styles = False
        """Whether any number has a style. A style may show the number as a date."""
        self.claimed_row_count = 0
        """The number of rows according to the sheet itself; 0 if it doesn't contain a number."""
        self._kind, self._style, self._column = "n", 0, 0
        self._parts: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Process the beginning of an element."""
        if name == "row":
            if len(self.rows) == _MAX_ROWS:
                raise _Stop
            self.rows.append([])
        elif name == "dimension":
            match = _DIMENSION.fullmatch(attributes.get("ref", ""))
            self.claimed_row_count = min(int(match[1]), _MAX_SHEET_ROWS) if match else 0
        elif name == "c" and self.rows:
            row = self.rows[-1]
            match = _CELL_REFERENCE.fullmatch(attributes.get("r", ""))
            self._column = _column_number(match[1]) if match else len(row)
            self._kind = attributes.get("t", "n")
            self._style = int(attributes.get("s", "0"))
            self._parts = []

    def text(self, name: str, value: str) -> None:
        """Process a text, which may be a part of a cell's value."""
        if name in ("v", "t"):
            self._parts.append(value)

    def end(self, name: str) -> None:
        """Process the end of an element."""
        if name != "c" or not self.rows or not len(self.rows[-1]) <= self._column < MAX_COLUMNS:
            return
        row, value = self.rows[-1], "".join(self._parts)
        row += [None] * (self._column - len(row))
        if value and self._kind == "s":
            self.last_text = max(self.last_text, int(value))
        self.has_styles = self.has_styles or (self._kind == "n" and self._style > 0)
        row.append((self._kind, self._style, value) if value else None)


def _column_number(letters: str) -> int:
    """Return the index of a column from its letters: ``"A" -> 0``, ``"AA" -> 26``."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: tuple[str, int, str] | None, texts: list[str], dates: frozenset[int]) -> Any:
    """Return the value of a cell as pandas reads it, but ``Date()`` for any date or time.

    Returns None if the cell is empty or contains an error. ``texts`` are the shared texts, and
    ``dates`` the indexes of the styles that show numbers as dates.
    """
    if cell is None:
        return None
    kind, style, value = cell
    if kind == "s":
        return texts[int(value)]  # an index that is out of range raises LookupError
    if kind == "b":
        return value == "1"
    if kind == "d" or (kind == "n" and style in dates):
        return Date()
    if kind == "n":
        number = float(value)
        return int(number) if number.is_integer() else number
    return None if kind == "e" else value  # pandas reads an error such as #N/A as a missing value
