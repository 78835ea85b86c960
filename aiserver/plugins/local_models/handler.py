"""``models/local``: install local models, report the progress, and remove them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Annotated, cast

from pydantic import Field

from ...errors import ModelPackageMissing, NotFound, UserText
from ...handlers.base import AIServerHandler, error_fields, guarded
from ...handlers.sse import HEARTBEAT, Event, send_events
from ...requests import Body
from .install import Installation, failure_of
from .models import INSTALL_LOCAL, CatalogueModels, is_package_installed


class InstallBody(Body):
    """A request to install a local model.

    ``name`` is the model's name in the catalogue. If it is None, the smallest model is installed;
    with ``join``, the running installation is reported, whatever its model.
    """

    join: bool = False
    """If true, report the progress of an installation that is already running; never start one."""
    name: Annotated[str, Field(max_length=100)] | None = None


class LocalModelsHandler(AIServerHandler):
    """Base of these handlers."""

    @property
    def local(self) -> CatalogueModels:
        return cast("CatalogueModels", self.services.models.local)


class InstallHandler(LocalModelsHandler):
    """Installs local models, even after clients have disconnected."""

    @guarded("execute")
    async def post(self) -> None:
        """Start an installation, or follow the running one of the same model.

        Answer with server-sent events of the progress if the client accepts them, else with the
        current progress.
        """
        self.check_owner()
        body = self.body(InstallBody)
        local = self.local
        installation = local.installer.current
        # ``join`` never starts an installation. Without a name, it follows that of any model.
        if body.join and installation is None:
            raise NotFound(UserText("No installation is running."))
        if installation is None or not body.join or body.name is not None:
            model = local.to_install(body.name)
            if not is_package_installed():
                raise ModelPackageMissing(None, INSTALL_LOCAL)
            installation = local.installer.join(model)
        if "text/event-stream" in self.request.headers.get("Accept", ""):
            await send_events(self, _events(installation))
        else:
            self.set_status(202)
            await self.finish(json.dumps(installation.state.to_wire()))

    @guarded("execute")
    async def delete(self) -> None:
        """Stop the installation. The next one continues the download."""
        self.check_owner()
        await self.local.installer.stop()


class LocalModelHandler(LocalModelsHandler):
    """Removes a local model."""

    @guarded("execute")
    async def delete(self, name: str) -> None:
        self.check_owner()
        await self.local.remove(name)


async def _events(installation: Installation) -> AsyncGenerator[Event | None, None]:
    """Yield events, and None after ``HEARTBEAT`` seconds without, to keep the connection open."""
    async for state in installation.follow(idle=HEARTBEAT):
        yield ("progress", state.to_wire()) if state else None
    if failure := failure_of(installation):
        yield "error", error_fields(failure)
    else:
        yield "cancelled" if installation.end.cancelled() else "done", {}
