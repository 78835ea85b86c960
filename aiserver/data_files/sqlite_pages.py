"""Read the schema of an SQLite file and estimate how many rows its tables have, from its pages.

The library ``sqlite3`` isn't used: it opens files by their paths, which may change meanwhile, and
reads the whole schema, however long it is. https://www.sqlite.org/fileformat2.html describes the
format. Changes in a write-ahead log that aren't yet in the file itself aren't seen.

Invariants: at most ``MAX_READ`` bytes of the file are read, and at most ``_MAX_DECODED`` bytes of
the schema are decoded, even if its entries share pages. No other row of a table is decoded. Pages
of the schema that refer to each other in a circle are visited once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

MAX_READ = 1_048_576
_MAX_DECODED = 262_144  # bytes
_MAX_STATEMENT = 32_768  # the maximum number of bytes to read of an entry of the schema
_MAX_SCHEMA_PAGES = 100
_ENTRY_COST = 100  # bytes that count as decoded for an entry, in addition to its own
_MAX_ROWS = 2**63
_MAX_DEPTH = 20  # levels of a B-tree; SQLite itself allows 20
_MAGIC = b"SQLite format 3\0"
_HEADER = 100  # bytes; the first page begins with the header of the file
_INNER_INDEX, _INNER_TABLE, _LEAF_INDEX, _LEAF_TABLE = 2, 5, 10, 13  # kinds of pages
_ENCODINGS = {1: "utf-8", 2: "utf-16-le", 3: "utf-16-be"}
# The sizes of integers in bytes, by their type in a row.
_INTEGER_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class Damaged(ValueError):
    """The file is damaged, or more than ``MAX_READ`` bytes of it would have to be read."""


class SchemaEntry(NamedTuple):
    """A row of ``sqlite_schema``; ``statement`` may be cut, and is empty for automatic indexes."""

    kind: str
    name: str
    root_page: int
    statement: str


class _Page:
    """A page of a B-tree. Raises Damaged if its kind is unknown."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data = data
        self.kind, self.count = data[start], struct.unpack_from(">H", data, start + 3)[0]
        self.is_leaf = self.kind in (_LEAF_INDEX, _LEAF_TABLE)
        if not self.is_leaf and self.kind not in (_INNER_INDEX, _INNER_TABLE):
            raise Damaged("not a page of a B-tree")
        self._pointers = start + (8 if self.is_leaf else 12)
        self._last_child = None if self.is_leaf else struct.unpack_from(">I", data, start + 8)[0]

    def cell(self, index: int) -> int:
        """Return the position of a cell in the page."""
        position: int = struct.unpack_from(">H", self.data, self._pointers + 2 * index)[0]
        return position

    def child(self, index: int) -> int:
        """Return the number of a child page, from 0 to ``count``."""
        if index == self.count and self._last_child is not None:
            return int(self._last_child)
        number: int = struct.unpack_from(">I", self.data, self.cell(index))[0]
        return number


class SQLiteFile:
    """An SQLite file that is open for reading. Raises Damaged if its header isn't valid."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._allowed_bytes = file, MAX_READ
        self._allowed_decoded = _MAX_DECODED
        self.is_complete = True
        """Whether the whole schema could be read, as far as ``schema`` has come."""
        self._pages: dict[int, bytes] = {}
        header = file.read(_HEADER)
        if len(header) < _HEADER or not header.startswith(_MAGIC):
            raise Damaged("not an SQLite file")
        size = struct.unpack_from(">H", header, 16)[0]
        self._page_size = 65_536 if size == 1 else size
        self._usable = self._page_size - header[20]
        if self._page_size < 512 or self._page_size & (self._page_size - 1) or self._usable < 480:
            raise Damaged("an invalid size of pages")
        # An empty database has the encoding 0.
        self._encoding = _ENCODINGS.get(struct.unpack_from(">I", header, 56)[0], "utf-8")

    def schema(self) -> Iterator[SchemaEntry]:
        """Yield the entries of the schema, up to the first damage, in their order in the file."""
        pending, visited = [1], set[int]()
        try:
            while pending and len(visited) < _MAX_SCHEMA_PAGES:
                number = pending.pop()
                if number in visited:
                    continue
                visited.add(number)
                page = self._page(number)
                if page.is_leaf:
                    for index in range(page.count):
                        entry = self._entry(self._payload(page, page.cell(index)))
                        if entry is not None:
                            yield entry
                else:
                    pending += [page.child(index) for index in range(page.count, -1, -1)]
        except (Damaged, LookupError, struct.error, UnicodeError):
            pending = [0]
        self.is_complete = not pending

    def row_count(self, root_page: int) -> tuple[int, bool] | None:
        """Return the number of rows of a table, and whether it is an estimate; None if damaged.

        The estimate assumes that all pages are as full as those on one path from the root to a
        leaf. If the rows have ids, there are at most as many rows as numbers from the first id to
        the last one.
        """
        try:
            page, count, is_estimate = self._page(root_page), 1, False
            for _ in range(_MAX_DEPTH):
                if page.is_leaf:
                    break
                is_estimate = True
                count *= page.count + 1
                page = self._page(page.child(max(0, page.count - 1) // 2))
            count *= page.count
            if is_estimate and page.kind == _LEAF_TABLE and page.count:
                first, last = self._end_id(root_page, 0), self._end_id(root_page, 1)
                count = min(count, max(last - first + 1, page.count))
        except (Damaged, LookupError, struct.error):
            return None
        return (count, is_estimate) if page.is_leaf and count < _MAX_ROWS else None

    def _end_id(self, root_page: int, end: int) -> int:
        """Return the id of the first row of a table (``end`` is 0), or of the last one (1)."""
        page = self._page(root_page)
        for _ in range(_MAX_DEPTH):
            if page.is_leaf:
                break
            page = self._page(page.child(end * page.count))
        _, at = _varint(page.data, page.cell(end * (page.count - 1)))
        number, _ = _varint(page.data, at)
        return number - (1 << 64) if number >> 63 else number

    def _page(self, number: int) -> _Page:
        return _Page(self._read(number), _HEADER if number == 1 else 0)

    def _read(self, number: int) -> bytes:
        """Return the content of a page. Pages are numbered from 1."""
        if number not in self._pages:
            self._allowed_bytes -= self._page_size
            if not 0 < number < 2**32 or self._allowed_bytes < 0:
                raise Damaged("too many pages, or an invalid number")
            self._file.seek((number - 1) * self._page_size)
            data = self._file.read(self._page_size)
            if len(data) < self._page_size:
                raise Damaged("the file is cut")
            self._pages[number] = data
        return self._pages[number]

    def _payload(self, page: _Page, at: int) -> bytes:
        """Return the beginning of a row of a table, at most ``_MAX_STATEMENT`` bytes.

        A part of a long row is in overflow pages, each of which begins with the number of the next.
        """
        size, at = _varint(page.data, at)
        _, at = _varint(page.data, at)  # the id of the row
        usable = self._usable
        local = size
        if size > usable - 35:
            least = (usable - 12) * 32 // 255 - 23
            local = least + (size - least) % (usable - 4)
            local = local if local <= usable - 35 else least
        data = page.data[at : at + local]
        following = struct.unpack_from(">I", page.data, at + local)[0] if local < size else 0
        while following and len(data) < min(size, _MAX_STATEMENT):
            overflow = self._read(following)
            following = struct.unpack_from(">I", overflow)[0]
            data += overflow[4:usable]
        data = data[: min(size, _MAX_STATEMENT)]
        self._allowed_decoded -= len(data) + _ENTRY_COST
        if self._allowed_decoded < 0:
            raise Damaged("too many entries")
        return data

    def _entry(self, row: bytes) -> SchemaEntry | None:
        """Decode a row of the schema; return None if its columns have unexpected types."""
        end, at = _varint(row, 0)
        types = []
        while at < end:
            kind, at = _varint(row, at)
            types.append(kind)
        values: list[str | int] = []
        for kind in types[:5]:
            if kind in _INTEGER_SIZES:
                size = _INTEGER_SIZES[kind]
                values.append(int.from_bytes(row[at : at + size], "big"))
            elif kind >= 13 and kind % 2:
                size = (kind - 13) // 2
                values.append(row[at : at + size].decode(self._encoding, "replace"))
            else:
                size = 0
                values.append(0 if kind != 9 else 1)  # NULL, or the numbers 0 and 1
            at += size
        if len(values) < 5:
            return None
        kind_text, name, _, root_page, statement = values
        if not isinstance(kind_text, str) or not isinstance(name, str):
            return None
        is_text = isinstance(statement, str)
        number = root_page if isinstance(root_page, int) else 0
        return SchemaEntry(kind_text, name, number, str(statement) if is_text else "")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a variable-length integer of 1 to 9 bytes, and the position after it."""
    value = 0
    for position in range(at, at + 8):
        byte = data[position]
        value = value << 7 | byte & 127
        if byte < 128:
            return value, position + 1
    return value << 8 | data[at + 8], at + 9
