"""Read the columns of a Parquet file from its footer, which uses Thrift's compact protocol.

The footer begins with the schema and the number of rows, so reading its first bytes is enough.
https://parquet.apache.org/docs/file-format/metadata/ describes all fields. This module reads these:

- Fields of the footer: 2 is the schema, a list of elements, and 3 is the number of rows.
- Fields of an element: 1 is the physical type, 3 the repetition, 4 the name, 5 the number of
  children, 6 the converted type, and 10 the logical type.
"""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

from .profile import MAX_COLUMNS, Table, describe_column

_MAGIC = b"PAR1"
_MAX_FOOTER = 65_536  # the maximum number of bytes to read of the footer
_MAX_DEPTH = 16
# The dtype for each physical type, by the number of the type.
_TYPES = ("bool", "int32", "int64", "datetime64[ns]", "float32", "float64", "object", "object")
# The dtype for each converted type. It takes precedence over the one for the physical type.
_CONVERTED = {
    5: "object",  # DECIMAL
    6: "object",  # DATE
    7: "object",  # TIME_MILLIS
    8: "object",  # TIME_MICROS
    9: "datetime64[ms]",
    10: "datetime64[us]",
    **{11: "uint8", 12: "uint16", 13: "uint32", 14: "uint64"},
    **{15: "int8", 16: "int16", 17: "int32", 18: "int64"},
}
# The dtype for each logical type. It takes precedence over the one for the converted type.
_LOGICAL = {5: "object", 6: "object", 7: "object"}  # DECIMAL, DATE, TIME
_TIMESTAMP = 8
_UNITS = {1: "ms", 2: "us", 3: "ns"}
_REPEATED = 2
# The numbers of the types of values in the compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12


def read_parquet(file: BinaryIO, size: int) -> Table | None:
    """Return the columns of a Parquet file; None if it has no footer.

    Raises any exception if the footer is malformed or cut.
    """
    if size < 12:
        return None
    file.seek(size - 8)
    end = file.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != _MAGIC or not 0 < length <= size - 12:
        return None
    file.seek(size - 8 - length)
    return _table(_Reader(file.read(min(length, _MAX_FOOTER))).footer())


def _table(fields: dict[int, Any]) -> Table:
    elements, row_count = fields[2], fields[3]
    columns = []
    at = 1  # the first element is the root, whose children are the columns
    for _ in range(elements[0][5]):
        element = elements[at]
        at = _end_of(elements, at)
        name = element[4].decode("utf-8", "replace")
        if not name.startswith("__index_level_"):  # pandas reads such a column as the index
            columns.append(describe_column(name, _dtype(element)))
    return Table(columns[:MAX_COLUMNS], len(columns), max(0, row_count))


def _end_of(elements: list[dict[int, Any]], at: int) -> int:
    """Return the index of the element that follows the element at ``at`` and its descendants."""
    pending_count = 1
    while pending_count:
        pending_count += (elements[at].get(5) or 0) - 1
        at += 1
    return at


def _dtype(element: dict[int, Any]) -> str:
    if element.get(5) or element.get(3) == _REPEATED:
        return "object"  # the values are records or lists
    logical = element.get(10)
    if isinstance(logical, dict):
        for kind, options in logical.items():
            if kind == _TIMESTAMP:
                unit = next(iter(options[2]))
                zone = ", UTC" if options.get(1) else ""
                return f"datetime64[{_UNITS[unit]}{zone}]"
            if kind in _LOGICAL:
                return _LOGICAL[kind]
    converted, physical = element.get(6), element[1]
    return _CONVERTED[converted] if converted in _CONVERTED else _TYPES[physical]


class _Reader:
    """Decodes structures of the compact protocol.

    Raises IndexError if the data ends too early, and ValueError if the data is malformed.
    """

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def footer(self) -> dict[int, Any]:
        """Return the first fields of the footer, up to the number of rows."""
        return self._struct(0, last=3)

    def _struct(self, depth: int, last: int | None = None) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while header := self._byte():
            delta, kind = header >> 4, header & 15
            number = number + delta if delta else self._integer()
            fields[number] = kind == _TRUE if kind <= _FALSE else self._value(kind, depth)
            if number == last:
                break
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        if kind in (_TRUE, _FALSE, _BYTE):  # a bool gets here only from a list, where it is a byte
            return self._byte()
        if kind == _DOUBLE:
            return struct.unpack("<d", self._bytes(8))[0]
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind in (_LIST, _SET):
            header = self._byte()
            count, inner = header >> 4, header & 15
            count = self._varint() if count == 15 else count
            return [self._value(inner, depth + 1) for _ in range(count)]
        if kind == _STRUCT:
            return self._struct(depth + 1)
        if kind == _MAP:
            raise ValueError("unexpected map")  # the fields up to the number of rows contain no map
        return self._integer()

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise IndexError
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
