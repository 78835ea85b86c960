"""The session store in Redis: one server for the histories of many machines."""

from __future__ import annotations

from collections.abc import AsyncIterator

from ..base import VerifyResult
from .logs_and_blobs import RedisLogsAndBlobs
from .sessions import RedisSessions
from .verify import Verifier


class RedisSessionManager(RedisSessions, RedisLogsAndBlobs):
    """Stores sessions in Redis (``redis://…``). Durable if Redis has ``appendfsync always``."""

    def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Verify each record, its counters and its index entries."""
        return Verifier(self._client, self._keyspace, self._put, owner).run(repair)
