"""``models/keys``: connect and disconnect providers. Clients can set keys but not read them."""

from __future__ import annotations

from ..requests import Address, Body, Key
from .base import AIServerHandler, guarded
from .models import secret_value


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


class KeyHandler(AIServerHandler):
    """Sets a provider's key and address. Only the server's owner may do this.

    Its methods require the permission ``execute``, like the generation of code, because the key and
    the address decide where requests are sent and who pays for them.
    """

    @guarded("execute")
    async def put(self, provider: str) -> None:
        """Store the key and address. They replace the key and address that were stored before."""
        self.check_owner()
        body = self.body(KeyBody)
        await self.services.models.connect(
            provider, secret_value(body.key), body.address, body.on_this_machine
        )
        self.set_status(204)

    @guarded("execute")
    async def patch(self, provider: str) -> None:
        """Set whether the provider's server runs on this machine. The key stays the same."""
        self.check_owner()
        await self.services.models.declare_local(provider, self.body(PlaceBody).on_this_machine)
        self.set_status(204)

    @guarded("execute")
    async def delete(self, provider: str) -> None:
        """Delete the key and address."""
        self.check_owner()
        await self.services.models.disconnect(provider)
        self.set_status(204)
