"""Query a provider for its models, to list them or to check whether it offers a certain model.

Invariants: a provider is only queried after a user pressed a button for that purpose. Only the
models' names in the response are shown.
"""

from __future__ import annotations

from typing import Literal

from ...errors import ModelAuthFailed, ModelError
from ..credentials.connections import Connections
from ..providers import server_label
from .lookup import EXPLICIT_DEADLINE
from .model_list import list_models

# ``ok``: the provider lists the model. ``no_list``: the provider responds, but lists no models.
# ``not_listed``: the provider's list doesn't contain the model.
Verdict = Literal["ok", "no_list", "not_listed"]


class Checker:
    """Queries providers, with saved keys and addresses or with values entered in a form.

    ``refusals`` contains each provider that rejected its saved key or account when it was last
    queried, and the code of that error.
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
        # Users may omit the suffix of a listed name (``:latest`` or a date).
        return "ok" if any(listed.startswith(name) for listed in names) else "not_listed"

    async def list_names(self, provider: str, key: str | None, address: str | None) -> list[str]:
        """Return the names of a provider's models, using the saved key and address by default.

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
        """Remember whether a provider accepted its saved key or, with ``refusal``, rejected it."""
        if refusal is None:
            self.refusals.pop(provider, None)
        else:
            self.refusals[provider] = refusal.code
