"""The images of a cell's output in a request.

Invariant: a usable image is a PNG or JPEG by its content, not by a type that a client declares.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from .base import Body

MAX_IMAGES = 2  # in a request
MAX_IMAGE_BYTES = 500_000  # of each image; all of them must fit into the body of a request
MAX_SIDE = 2000  # pixels; models scale larger images down

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_SIGNATURES = {
    _PNG: "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
# The markers of a JPEG's segments with its size. The other markers of this range are tables.
_JPEG_SIZE_MARKERS = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class OutputImage(Body):
    """An image that a cell shows, such as a plot. ``data`` is a PNG or JPEG in base64."""

    data: Annotated[str, Field(min_length=1, max_length=MAX_IMAGE_BYTES * 4 // 3 + 4)]

    @property
    def is_usable(self) -> bool:
        """Whether the image is a PNG or JPEG that isn't too large."""
        sides_fit = all(0 < side <= MAX_SIDE for side in self.size)
        return sides_fit and len(self.content) <= MAX_IMAGE_BYTES

    @cached_property
    def content(self) -> bytes:
        """The bytes of the image; empty if ``data`` isn't base64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError:
            return b""

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def media_type(self) -> Literal["image/png", "image/jpeg"]:
        """The media type, from the first bytes."""
        return "image/png" if self.content.startswith(_PNG) else "image/jpeg"

    @cached_property
    def size(self) -> tuple[int, int]:
        """The width and the height in pixels; zeros if the content isn't a PNG or JPEG."""
        content = self.content
        if content.startswith(_PNG) and content[12:16] == b"IHDR":
            return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
        return _jpeg_size(content) if content.startswith(_JPEG) else (0, 0)


def _jpeg_size(content: bytes) -> tuple[int, int]:
    """Return the size in the header of a JPEG; zeros if there is none."""
    position = 2
    while content[position : position + 1] == b"\xff" and position + 9 <= len(content):
        marker, length = content[position + 1], content[position + 2 : position + 4]
        if marker in _JPEG_SIZE_MARKERS:
            height, width = content[position + 5 : position + 7], content[position + 7 :][:2]
            return int.from_bytes(width, "big"), int.from_bytes(height, "big")
        position += 2 + int.from_bytes(length, "big")
    return 0, 0


def picture_type(data: bytes) -> str | None:
    """Return the media type of a picture from its first bytes; None for other data."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((type_ for start, type_ in _SIGNATURES.items() if data.startswith(start)), None)
