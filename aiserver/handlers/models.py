"""``models``: which models there are, the person's choice; making one ready; and ``health``."""

from __future__ import annotations

import json

from pydantic import SecretStr

from .. import __version__
from ..durable.disks import NO_LOCKS_NOTICE
from ..errors import AIServerError
from ..llm.base import ModelInfo
from ..llm.catalog.catalog import INSTALL_LOCAL, LocalInfo, ProviderInfo
from ..llm.local import weights
from ..llm.local.install import InstallState
from ..llm.registry import ModelRegistry
from ..requests import CheckBody, ChoiceBody, NamesBody, WarmUpBody
from ..surrogates import json_bytes
from .base import AIServerHandler, guarded


def model_fields(info: ModelInfo) -> dict[str, object]:
    """A model as the API describes it."""
    return {
        "id": info.id,
        "provider": info.provider,
        "label": info.label,
        "onThisMachine": info.on_this_machine,
        "ready": info.ready,
        "problem": info.problem,
        "install": info.install,
    }


def install_fields(state: InstallState) -> dict[str, object]:
    """How far an installation is, as the API describes it."""
    return {
        "phase": state.phase,
        "bytes": state.bytes,
        "total": state.total,
        "source": state.source,
        "message": state.message,
    }


def _provider_fields(info: ProviderInfo) -> dict[str, object]:
    provider = info.provider
    return {
        "name": provider.name,
        "label": provider.label,
        "installed": info.installed,
        "install": provider.install,
        "keySource": info.key_source,
        "keyName": provider.keys[0] if provider.keys else None,
        "needsKey": provider.needs_key,
        "needsAddress": provider.needs_address,
        "address": info.address,
        "onThisMachine": info.on_this_machine,
        "placeSettled": info.settled,
        "refusal": info.refusal,
        "suggested": list(provider.suggested),
    }


def _local_fields(local: LocalInfo, installing: InstallState | None) -> dict[str, object]:
    return {
        "id": local.info.id,
        "label": local.info.label,
        "installed": local.installed,
        "bytes": weights.SIZE,
        "kept": 0 if local.installed else weights.partial_bytes(),
        "package": local.package,
        "install": weights.INSTALL if local.package else INSTALL_LOCAL,
        "installing": install_fields(installing) if installing else None,
    }


def plain_key(key: SecretStr | None) -> str | None:
    """A key of a request's body, to be handed to its provider."""
    return key.get_secret_value() if key else None


class ModelsBase(AIServerHandler):
    """What all handlers about models share."""

    @property
    def models(self) -> ModelRegistry:
        """Where models come from."""
        found: ModelRegistry = self.settings["aiserver_models"]
        return found


class ModelsHandler(ModelsBase):
    """The models that can be used."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with the models, the default one, the providers and the local model."""
        seen = await self.models.overview()
        running = self.models.installer.current
        installing = running.state if running else None
        body = {
            "default": seen.default.id if seen.default else None,
            "models": [model_fields(info) for info in seen.models],
            "providers": [_provider_fields(info) for info in seen.providers],
            "local": _local_fields(seen.local, installing) if seen.local else None,
            "notices": await self._notices(),
        }
        await self.finish(json_bytes(body))

    async def _notices(self) -> list[str]:
        """What a person at a prompt row should know of the store; ``health`` has the rest."""
        try:
            return [text for text in await self.sessions.notices() if text == NO_LOCKS_NOTICE]
        except AIServerError:  # whoever saves is told
            return []


class ChoiceHandler(ModelsBase):
    """The person's choice of the default model: where their requests go, hence ``execute``."""

    @guarded("execute")
    async def put(self) -> None:
        """Keep the choice, or forget it."""
        self.check_owner()
        body = self.body(ChoiceBody)
        default = await self.models.choose(body.model)
        await self.finish(json.dumps({"default": default.id if default else None}))


class CheckHandler(ModelsBase):
    """Whether a provider takes what a person entered for it."""

    @guarded("execute")
    async def post(self) -> None:
        """Ask the provider for its list of models. No text goes along."""
        self.check_owner()
        body = self.body(CheckBody)
        verdict = await self.models.check(body.model, plain_key(body.key), body.address)
        await self.finish(json.dumps({"verdict": verdict}))


class NamesHandler(ModelsBase):
    """The models that a provider lists."""

    @guarded("execute")
    async def post(self) -> None:
        """Ask the provider for them, with what was entered. No text goes along."""
        self.check_owner()
        body = self.body(NamesBody)
        names = await self.models.list_names(body.provider, plain_key(body.key), body.address)
        await self.finish(json_bytes({"models": names}))


class WarmUpHandler(AIServerHandler):
    """Makes a model ready for a request about a cell."""

    @guarded("execute")
    async def post(self) -> None:
        """Begin, and answer at once."""
        self.check_owner()
        body = self.body(WarmUpBody)
        self.assistant.warm_up(self.key(body.notebook_id, body.cell_id), body)
        self.set_status(202)
        await self.finish()


class HealthHandler(ModelsBase):
    """Version, store and model."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with what works."""
        default = await self.models.default()
        writable = await self.sessions.writable()
        notices = await self.sessions.notices() if writable else []
        ready = bool(default and default.ready)
        body = {
            "status": "ok" if writable and ready else "degraded",
            "version": __version__,
            "store": {
                "kind": type(self.sessions).__name__,
                "writable": writable,
                "notices": notices,
            },
            "model": {"id": default.id if default else None, "ready": ready},
        }
        await self.finish(json.dumps(body))
