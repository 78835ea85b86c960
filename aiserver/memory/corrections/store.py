"""Read and change the document about the corrections of one person.

Invariant: each write also removes what is too old, as ``sweep`` does. What the person forgets is in
the document no longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from ...i18n import current_locale
from ..stores.base import MemoryStore
from . import counts as documents
from .counts import Counts
from .texts import is_covered

_SWEEP_INTERVAL = 3600.0  # seconds


class CorrectionStore:
    """The document of an owner, in a store."""

    def __init__(
        self, store: MemoryStore, *, owner: str = "", now: Callable[[], float] = time.time
    ) -> None:
        self._store, self._owner = store, owner
        self._swept_at = float("-inf")
        self.now = now

    async def update(self, change: Callable[[Counts], None]) -> Counts:
        """Change the document, and return it. ``change`` may be called several times.

        Raises StorageError.
        """
        result = Counts()

        def edit(data: bytes | None) -> bytes | None:
            nonlocal result
            result = documents.parse(data)
            change(result)
            result.prune(self.now())
            return result.encode()

        await self._store.update("corrections", edit, owner=self._owner)
        return result

    async def erase(self, texts: Collection[str]) -> None:
        """Erase the substitutions that some texts are about, which the person forgets.

        They count again only in turns that are made later.
        """
        locale = current_locale()
        await self.update(
            lambda counts: counts.forget(lambda s: is_covered(s, texts, locale), self.now())
        )

    async def sweep(self) -> None:
        """Remove what is too old. Does nothing if this was done less than an hour ago."""
        now = self.now()
        if abs(now - self._swept_at) >= _SWEEP_INTERVAL:
            await self.update(lambda counts: None)
            self._swept_at = now
