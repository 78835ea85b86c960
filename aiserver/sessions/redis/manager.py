"""The Redis store, which Jupyter servers on many machines can share."""

from __future__ import annotations

from collections.abc import AsyncIterator

from ..base import VerifyResult
from .logs_and_blobs import RedisLogsAndBlobs
from .sessions import RedisSessions
from .verify import Verifier


class RedisSessionManager(RedisSessions, RedisLogsAndBlobs):
    """Stores sessions in Redis (``redis://…``).

    A save is durable if Redis is configured with ``appendfsync always``.
    """

    def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Verify the owner's sessions, change logs and blobs, and the indexes that list them."""
        return Verifier(self.client, self.keyspace, self._put, owner).run(repair)
