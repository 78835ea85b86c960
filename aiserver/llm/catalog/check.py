"""Query a provider for its models, to list them or to check whether it offers a certain model.

Invariants: a provider is only queried after a user pressed a button for that purpose. Nothing in
the provider's response is shown, except for the names of its models.
"""

from __future__ import annotations

from typing import Literal

from ...errors import ModelAuthFailed, ModelError
from ..credentials.connections import Connections
from ..providers import server_label
from .lookup import EXPLICIT_DEADLINE
from .model_list import list_models

# ``ok``: the provider lists the model. ``no_list``: the provider responds, but doesn't list any
# models. ``not_listed``: the provider lists models, but not the checked model.
Verdict = Literal["ok", "no_list", "not_listed"]


class Checker:
    """Queries providers, with their current keys and addresses or with values from a form.

    ``refusals`` contains the providers whose last request failed because of the current key or
    account. It maps each provider's name to the code of the error.
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
        # Users may omit the end of a listed name, such as ``:latest`` or a date.
        return "ok" if any(listed.startswith(name) for listed in names) else "not_listed"

    async def list_names(self, provider: str, key: str | None, address: str | None) -> list[str]:
        """Return the names of the models that a provider lists.

        ``key`` and ``address`` are values that the user entered in a form. If both are None, the
        current key and address of the provider are used.
        Raises InvalidRequest, NotFound, ModelNotAllowed, ModelError.
        """
        access = await self._connections.access_with(provider, key, address)
        uses_current_key = key is None and address is None
        try:
            models = await list_models(provider, access, EXPLICIT_DEADLINE)
        except ModelError as error:
            error.set_server_label(provider, server_label(provider, access.address))
            if uses_current_key and isinstance(error, ModelAuthFailed):
                self.report(provider, error)
            raise
        if uses_current_key:
            self.report(provider, None)
        return [model.name for model in models]

    def report(self, provider: str, refusal: ModelAuthFailed | None) -> None:
        """Remember whether a provider accepted its current key.

        ``refusal`` is the error if the key is missing, or if the provider rejected the key or the
        account. It is None if the request succeeded.
        """
        if refusal is None:
            self.refusals.pop(provider, None)
        else:
            self.refusals[provider] = refusal.code
