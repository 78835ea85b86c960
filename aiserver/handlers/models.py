"""``models``: list, choose, check and warm up models, and connect providers; and ``health``.

Clients can set keys but not read them.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field, SecretStr

from .. import __version__
from ..durable import NO_LOCKS_NOTICE
from ..errors import AIServerError
from ..llm.base import ModelInfo
from ..payload import to_wire
from ..requests import Address, Body, Key, WarmUpBody
from .base import AIServerHandler, guarded


class ChoiceBody(Body):
    """The id of the new default model; null removes the user's choice of a default model."""

    model: Annotated[str, Field(min_length=1, max_length=256)] | None


class CheckBody(Body):
    """A request to check whether a model can be used.

    ``key`` and ``address`` are the values that the user entered in a form, if any.
    """

    model: Annotated[str, Field(min_length=1, max_length=256)]
    key: Key | None = None
    address: Address | None = None


class NamesBody(Body):
    """A request to list the models of a provider.

    ``key`` and ``address`` are the values that the user entered in a form, if any.
    """

    provider: Annotated[str, Field(pattern=r"^[a-z_]{1,64}$")]
    key: Key | None = None
    address: Address | None = None


class KeyBody(Body):
    """The key of a provider, and the provider's address if it isn't the default address.

    ``on_this_machine`` is true if the user declares that the server at a loopback address runs its
    models itself. Otherwise the server counts as remote.
    """

    key: Key | None = None
    address: Address | None = None
    on_this_machine: bool = False


class PlaceBody(Body):
    """The user's declaration whether a provider's server runs its models on this machine."""

    on_this_machine: bool


def model_fields(info: ModelInfo) -> dict[str, object]:
    """Describe a model for the API."""
    return {
        "id": info.id,
        "provider": info.provider,
        "label": info.label,
        "onThisMachine": info.on_this_machine,
        "small": info.is_small,
        "seesImages": info.sees_images,
        "ready": info.ready,
        "problem": info.problem,
        "problemText": info.problem and info.problem.to_wire(),
        "install": info.install,
    }


def _secret(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key else None


class ModelsHandler(AIServerHandler):
    """Lists the models."""

    @guarded("read")
    async def get(self) -> dict[str, Any]:
        listing = await self.services.models.overview()
        return {
            "default": listing.default.id if listing.default else None,
            "models": [model_fields(info) for info in listing.models],
            "providers": to_wire(listing.providers),
            **self.services.models.local.fields(),
            "notices": await self._notices(),
        }

    async def _notices(self) -> list[str]:
        """Return the notice that the disk doesn't support locks; ``HealthHandler`` returns all."""
        try:
            return [
                text for text in await self.services.sessions.notices() if text == NO_LOCKS_NOTICE
            ]
        except AIServerError:  # the next save reports the error
            return []


class ChoiceHandler(AIServerHandler):
    """Chooses the default model, which decides where requests are sent: hence ``execute``."""

    @guarded("execute")
    async def put(self) -> None:
        self.check_owner()
        body = self.body(ChoiceBody)
        default = await self.services.models.choose(body.model)
        await self.finish(json.dumps({"default": default.id if default else None}))


class CheckHandler(AIServerHandler):
    """Checks whether a provider's model can be used with a key and an address."""

    @guarded("execute")
    async def post(self) -> dict[str, str]:
        """Check by the provider's list of models. Nothing from a notebook is sent."""
        self.check_owner()
        body = self.body(CheckBody)
        verdict = await self.services.models.check(body.model, _secret(body.key), body.address)
        return {"verdict": verdict}


class NamesHandler(AIServerHandler):
    """Lists the models of a provider."""

    @guarded("execute")
    async def post(self) -> dict[str, list[str]]:
        """Request the list from the provider. Nothing from a notebook is sent."""
        self.check_owner()
        body = self.body(NamesBody)
        names = await self.services.models.list_names(
            body.provider, _secret(body.key), body.address
        )
        return {"models": names}


class KeyHandler(AIServerHandler):
    """Sets a provider's key and address. Only the server's owner may do this.

    They decide where requests are sent and who pays for them: hence ``execute``.
    """

    @guarded("execute")
    async def put(self, provider: str) -> None:
        """Store the key and address. They replace the key and address that were stored before."""
        self.check_owner()
        body = self.body(KeyBody)
        await self.services.models.connect(
            provider, _secret(body.key), body.address, body.on_this_machine
        )

    @guarded("execute")
    async def patch(self, provider: str) -> None:
        """Set whether the provider's server runs on this machine. The key stays the same."""
        self.check_owner()
        await self.services.models.declare_local(provider, self.body(PlaceBody).on_this_machine)

    @guarded("execute")
    async def delete(self, provider: str) -> None:
        self.check_owner()
        await self.services.models.disconnect(provider)


class WarmUpHandler(AIServerHandler):
    """Prepares a model for a request about a cell."""

    @guarded("execute")
    async def post(self) -> None:
        self.check_owner()
        body = await self.request_body(WarmUpBody)
        self.services.assistant.warm_up(self.key(body.notebook_id, body.cell_id), body)
        self.set_status(202)


class HealthHandler(AIServerHandler):
    """Reports the health of the store and the model."""

    @guarded("read")
    async def get(self) -> None:
        default = await self.services.models.default()
        writable = await self.services.sessions.writable()
        notices = await self.services.sessions.notices() if writable else []
        ready = bool(default and default.ready)
        body = {
            "status": "ok" if writable and ready else "degraded",
            "version": __version__,
            "store": {
                "kind": type(self.services.sessions).__name__,
                "writable": writable,
                "notices": notices,
            },
            "model": {"id": default.id if default else None, "ready": ready},
        }
        await self.finish(json.dumps(body))
