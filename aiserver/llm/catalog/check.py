"""Query a provider for its models when a user pressed a button: to list them or to check one.

Invariants: nothing else calls this (P4); of the response, only names are shown.
"""

from __future__ import annotations

from typing import Literal

from ...errors import ModelAuthFailed, ModelError
from ..credentials.connections import Connections
from ..providers import server_label
from .lookup import EXPLICIT_DEADLINE
from .model_list import list_models

# ``no_list``: it responds, but lists no models · ``not_listed``: its list lacks this model.
Verdict = Literal["ok", "no_list", "not_listed"]


class Checker:
    """Queries providers with the saved keys and addresses, or with those entered in a form.

    ``refusals`` maps each provider to the error code with which it last rejected its saved key or
    account.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.refusals: dict[str, str] = {}

    async def check(
        self, provider: str, name: str, key: str | None, address: str | None
    ) -> Verdict:
        """Check whether a provider offers a model. Raises the same errors as ``list_names``."""
        names = await self.list_names(provider, key, address)
        if not names:
            return "no_list"
        # Lists contain names with versions (``:latest``, a date) that users may omit.
        return "ok" if any(listed.startswith(name) for listed in names) else "not_listed"

    async def list_names(self, provider: str, key: str | None, address: str | None) -> list[str]:
        """List a provider's models.

        Raises InvalidRequest, NotFound, ModelNotAllowed, ModelError.
        """
        access = await self._connections.access_with(provider, key, address)
        is_saved = key is None and address is None
        try:
            models = await list_models(provider, access, EXPLICIT_DEADLINE)
        except ModelError as error:
            error.name_server(provider, server_label(provider, access.address))
            if is_saved and isinstance(error, ModelAuthFailed):
                self.report(provider, error)
            raise
        if is_saved:
            self.report(provider, None)
        return [model.name for model in models]

    def report(self, provider: str, refusal: ModelAuthFailed | None) -> None:
        """Remember whether a provider accepted its saved key."""
        if refusal is None:
            self.refusals.pop(provider, None)
        else:
            self.refusals[provider] = refusal.code
