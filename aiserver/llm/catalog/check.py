"""Asks a provider for its list of models: whether it is there, takes the key and has the model.

Invariants: called only when a person pressed a button (P4); nothing of what comes back is shown
but whether a name is in it.
"""

from __future__ import annotations

from typing import Literal

from ...errors import ModelAuthFailed, ModelError
from ..credentials.connections import Connections
from ..policy import Access
from ..providers import server_label
from .lookup import EXPLICIT_DEADLINE
from .model_list import model_names

# ``no_list``: it answers, but lists no models · ``not_listed``: it does, and not this one.
Verdict = Literal["ok", "no_list", "not_listed"]


async def check(provider: str, access: Access, name: str) -> Verdict:
    """Whether ``provider`` can be asked for its model ``name``. Raises ModelError."""
    names = await model_names(provider, access, EXPLICIT_DEADLINE)
    if not names:
        return "no_list"
    # Lists have versions of a name (``:latest``, a date) that can be left out.
    return "ok" if any(listed.startswith(name) for listed in names) else "not_listed"


class Checker:
    """Asks providers with the keys and addresses that are saved, or were entered in a form.

    ``refusals`` holds, by provider, the code of the error by which it refused its saved key or
    account the last time.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.refusals: dict[str, str] = {}

    async def check(
        self, provider: str, name: str, key: str | None, address: str | None
    ) -> Verdict:
        """Whether a model can be asked for. Raises InvalidRequest, ModelNotAllowed, ModelError."""
        access = await self._connections.entered(provider, key, address)
        saved = key is None and address is None
        try:
            verdict = await check(provider, access, name)
        except ModelError as error:
            error.name_server(provider, server_label(provider, access.address))
            if saved and isinstance(error, ModelAuthFailed):
                self.report(provider, error)
            raise
        if saved:
            self.report(provider, None)
        return verdict

    async def list_names(self, provider: str, key: str | None, address: str | None) -> list[str]:
        """What a provider lists. Raises InvalidRequest, NotFound, ModelNotAllowed, ModelError."""
        access = await self._connections.entered(provider, key, address)
        try:
            return await model_names(provider, access, EXPLICIT_DEADLINE)
        except ModelError as error:
            error.name_server(provider, server_label(provider, access.address))
            raise

    def report(self, provider: str, refusal: ModelAuthFailed | None) -> None:
        """Remember how a provider took its saved key."""
        if refusal is None:
            self.refusals.pop(provider, None)
        else:
            self.refusals[provider] = refusal.code
