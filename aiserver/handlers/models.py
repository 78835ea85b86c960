"""``models``: which models there are; making one ready; and ``health``."""

from __future__ import annotations

import json

from .. import __version__
from ..llm.base import ModelInfo
from ..llm.registry import ModelRegistry
from ..requests import WarmUpBody
from .base import AIServerHandler, guarded


def model_fields(info: ModelInfo) -> dict[str, object]:
    """A model as the API describes it."""
    return {
        "id": info.id,
        "label": info.label,
        "onThisMachine": info.on_this_machine,
        "ready": info.ready,
        "problem": info.problem,
        "install": info.install,
    }


class _ModelsHandler(AIServerHandler):
    @property
    def models(self) -> ModelRegistry:
        """Where models come from."""
        return self.settings["aiserver_models"]  # type: ignore[no-any-return]


class ModelsHandler(_ModelsHandler):
    """The models that can be used."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with the models and the default one."""
        default = await self.models.default()
        found = await self.models.list()
        body = {
            "default": default.id if default else None,
            "models": [model_fields(info) for info in found],
        }
        await self.finish(json.dumps(body, ensure_ascii=False))


class WarmUpHandler(AIServerHandler):
    """Makes a model on this machine ready for a request about a cell."""

    @guarded("execute")
    async def post(self) -> None:
        """Begin, and answer at once."""
        self.check_owner()
        body = self.body(WarmUpBody)
        self.assistant.warm_up(self.key(body.notebook_id, body.cell_id), body)
        self.set_status(202)
        await self.finish()


class HealthHandler(_ModelsHandler):
    """Version, store and model."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with what works."""
        default = await self.models.default()
        writable = await self.sessions.writable()
        ready = bool(default and default.ready)
        body = {
            "status": "ok" if writable and ready else "degraded",
            "version": __version__,
            "store": {"kind": type(self.sessions).__name__, "writable": writable},
            "model": {"id": default.id if default else None, "ready": ready},
        }
        await self.finish(json.dumps(body))
