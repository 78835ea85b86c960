"""Images for tests, made with the standard library."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int, extra: bytes = b"") -> bytes:
    """Return a grey PNG. ``extra`` is the content of a chunk that viewers ignore."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        length, checksum = struct.pack(">I", len(data)), struct.pack(">I", zlib.crc32(kind + data))
        return length + kind + data + checksum

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x80" * width) * height)
    chunks = (b"IHDR", header), (b"teSt", extra), (b"IDAT", pixels), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in chunks)


def jpeg(width: int, height: int) -> bytes:
    """Return the segments at the beginning of a JPEG: metadata, a table and the size."""

    def segment(marker: int, data: bytes) -> bytes:
        return bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data

    size = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\0"
    return b"\xff\xd8" + segment(0xE0, b"JFIF\0") + segment(0xC4, b"table") + segment(0xC0, size)
