"""``models/keys``: set a provider up, and undo that. What is set can't be read back."""

from __future__ import annotations

from ..requests import KeyBody, PlaceBody
from .base import guarded
from .models import ModelsBase, plain_key


class KeyHandler(ModelsBase):
    """A provider's key and address. They belong to the person whose server this is.

    The action is ``execute``, as for asking: they decide where a request goes, and who pays.
    """

    @guarded("execute")
    async def put(self, provider: str) -> None:
        """Keep them, in place of those kept before."""
        self.check_owner()
        body = self.body(KeyBody)
        await self.models.connect(provider, plain_key(body.key), body.address, body.on_this_machine)
        self.set_status(204)
        await self.finish()

    @guarded("execute")
    async def patch(self, provider: str) -> None:
        """Note whether its server runs on this machine; key and address stay."""
        self.check_owner()
        await self.models.declare_local(provider, self.body(PlaceBody).on_this_machine)
        self.set_status(204)
        await self.finish()

    @guarded("execute")
    async def delete(self, provider: str) -> None:
        """Forget them."""
        self.check_owner()
        await self.models.disconnect(provider)
        self.set_status(204)
        await self.finish()
