"""``blobs``: thumbnails of outputs, addressed by the SHA-256 of their content.

Invariant: only pictures are served. They are recognised by their first bytes, never by a type that
a client declares. For any other content of the store, the answer is 404.
"""

from __future__ import annotations

from ..errors import InvalidRequest, NotFound, RequestTooLarge, UserText
from ..requests import picture_type
from .base import MAX_BODY, AIServerHandler, guarded

MAX_BLOB = 256 * 1024  # bytes


class BlobsHandler(AIServerHandler):
    """Stores pictures."""

    @guarded("write")
    async def put(self) -> dict[str, str]:
        """Store a picture and answer with its hash. Equal pictures are stored once."""
        data = self.request.body
        # A body that is larger than MAX_BODY is reported as too large, even if it isn't a picture.
        if picture_type(data) is None and len(data) <= MAX_BODY:
            raise InvalidRequest("The body is not a PNG, JPEG, WebP or GIF image.")
        if len(data) > MAX_BLOB:
            raise RequestTooLarge("The image is too large to be saved.")
        sha256 = await self.services.sessions.put_blob(data, owner=self.services.session_owner)
        self.set_status(201)
        return {"sha256": sha256}


class BlobHandler(AIServerHandler):
    """Returns one picture."""

    @property
    def content_security_policy(self) -> str:
        """A policy that prevents the content from loading or running anything."""
        return "default-src 'none'; sandbox"

    @guarded("read")
    async def get(self, sha256: str) -> None:
        """Answer with the picture. Browsers may cache it, because its content never changes."""
        data = await self.services.sessions.get_blob(sha256, owner=self.services.session_owner)
        media_type = picture_type(data) if data else None
        if data is None or media_type is None:
            raise NotFound(UserText("This image is not in the history."))
        self.set_header("Cache-Control", "private, max-age=31536000, immutable")
        await self.finish(data, set_content_type=media_type)
