"""List the available models, choose the default and create models.

Invariants:

- **Text leaves the machine only after an explicit choice**: the user's stored choice, the trait
  ``model``, or a model that a client requests by name. A key in the environment is no choice.
- A client can request the configured model, models of connected providers and of the catalogue, and
  a model file only by its name.
- Models that ``allowed_models`` excludes are neither listed nor used.
- ``model_options`` are never shown or logged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from traitlets import Bool, Dict, Float, Int, List, Unicode, validate
from traitlets.config import LoggingConfigurable

from ..errors import (
    ModelAuthFailed,
    ModelError,
    ModelNotAllowed,
    ModelPackageMissing,
    NoModel,
    NotFound,
    StorageError,
    UserText,
)
from .base import ChatModel, ModelInfo
from .catalog.catalog import NO_PROVIDER, Catalog, Overview
from .catalog.lookup import EXPLICIT_DEADLINE, Lookups
from .catalog.model_list import ServedModel, list_models
from .credentials.connections import Connections
from .local_models import LocalModels
from .policy import Access, ModelPolicy
from .providers import PROVIDERS, blank_key_variable, provider_of, server_label
from .remote.model import RemoteModel
from .streaming import Limits

# ``no_list``: the provider responds, but lists no models. ``not_listed``: it lists only others.
Verdict = Literal["ok", "no_list", "not_listed"]

# An option whose name ends like this is a secret; ``max_tokens`` is none.
_SECRET_ENDINGS = ("key", "token", "secret", "password", "credentials")
# An overview waits this many seconds, then contains a server's previous list.
_PATIENCE = 0.2

# Answers of these providers were interrupted if they have no finish reason.
_SEND_FINISH_REASON = ("local", "openai", "openai_compatible", "deepseek", "mistralai", "ollama")
_PROVIDER_NOT_ALLOWED = UserText(
    "The administrator of this server does not allow this provider. Choose another one."
)


class ModelRegistry(LoggingConfigurable):
    """Lists and creates models. Caches each ``ChatModel``."""

    model = Unicode(
        "",
        help="""The default model, as "provider:name", for example "openai:gpt-4.1-mini" or
        "ollama:qwen2.5-coder:7b"; or "local:/path/to/model.gguf" for a model file of your own.
        If empty: an installed local model, else Ollama if it is running, else none.
        Users can choose another model in the interface.""",
    ).tag(config=True)

    model_options = Dict(
        key_trait=Unicode(),
        help="""More options for the configured model, as LangChain's init_chat_model takes them,
        for example {"base_url": "http://127.0.0.1:8000/v1", "temperature": 0}. Set API keys in
        the provider's environment variable, such as OPENAI_API_KEY, or pass them as
        pydantic.SecretStr: with --debug, Jupyter logs plain configuration values.""",
    ).tag(config=True)

    allowed_models = List(
        Unicode(),
        default_value=["*"],
        help="""The allowed models, as patterns of "provider:name", for example
        ["local:*", "ollama:*"]. If this excludes anything, users can't set a custom base URL for
        a provider, and Ollama cloud models must be listed explicitly.""",
    ).tag(config=True)

    local_servers = List(
        Unicode(),
        default_value=None,
        allow_none=True,
        help="""URL patterns of servers that run their models on this machine, for example
        ["http://127.0.0.1:8000/*"]. What is sent to them counts as staying on this machine, and
        keys and passwords in it are not masked. If set, even to an empty list, users can't
        declare other servers as local; None allows it. The embedded model and a local Ollama need
        no entry.""",
    ).tag(config=True)

    data_dir = Unicode(
        "",
        help="""The folder for the user's settings and keys. Default: "aiserver" in Jupyter's data
        folder. No one else must be able to read it.""",
    ).tag(config=True)

    timeout = Float(
        120.0,
        help="""Seconds without a response after which a model request times out. Local models may
        take ten times as long.""",
    ).tag(config=True)

    max_output_tokens = Int(
        8192, min=16, help="Maximum number of tokens in an answer; longer answers are cut off."
    ).tag(config=True)

    local_threads = Int(
        0,
        min=0,
        help="Number of threads for the local model. 0: one fewer than the number of CPU cores.",
    ).tag(config=True)

    local_gpu_layers = Int(
        -1,
        min=-1,
        help="""Number of layers of a local model that run on the GPU. -1: as many as fit, if the
        installed xllamacpp supports the GPU; 0: none.""",
    ).tag(config=True)

    tracing = Bool(
        False,
        help="""Allow LangSmith tracing of requests and answers. If off, nothing is sent to
        LangSmith, regardless of environment variables; if on, they decide.""",
    ).tag(config=True)

    allows_remote = Bool(True, help="Whether models on other machines may be used.")

    image_models = List(
        Unicode(),
        help="""More models that can see images, as patterns of "provider:name", for example
        ["ollama:gemma3*"]. LangChain knows which models of most providers can.""",
    ).tag(config=True)

    local_class = LocalModels
    """The class of the models that run in processes of this server."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._models: dict[str, ChatModel] = {}
        self._retired_models: list[ChatModel] = []
        self._lookups: Lookups[Sequence[ServedModel]] = Lookups()
        self.connections = Connections(self.folder, self._policy)
        # By provider, the code of the error that the current key caused.
        self._refusals: dict[str, str] = {}

    @validate("model_options")
    def _mask_keys(self, proposal: Any) -> dict[str, Any]:
        from pydantic import SecretStr

        return {
            name: SecretStr(value)
            if isinstance(value, str) and name.lower().endswith(_SECRET_ENDINGS)
            else value
            for name, value in proposal["value"].items()
        }

    @cached_property
    def local(self) -> LocalModels:
        return self.local_class(self._policy, self._models)

    def completing(self) -> ModelInfo | None:
        return self._catalog().completing()

    async def overview(self) -> Overview:
        """Return the models to show to users, and the allowed providers."""
        catalog = self._catalog()
        served = await catalog.served(_PATIENCE)
        default = await self._chosen_model(catalog, served) or self._fallback_model(catalog, served)
        preferred = (default, catalog.configured(), *self.local.installed(), self.local.smallest())
        preferred_models = [info for info in preferred if info is not None]
        suggested = catalog.suggested()
        info_by_id: dict[str, ModelInfo] = {}
        for info in (*filter(catalog.policy.allows, preferred_models), *served, *suggested):
            info_by_id.setdefault(info.id, info)
        return Overview(
            default,
            list(info_by_id.values()),
            catalog.providers(self._refusals),
        )

    async def default(self) -> ModelInfo | None:
        """Return the model for requests that name no model, or None."""
        catalog = self._catalog()
        chosen = await self._chosen_model(catalog)
        if chosen is not None:
            return chosen
        # Only installed models at first, because querying the servers takes time.
        return self._fallback_model(catalog, []) or self._fallback_model(
            catalog, await catalog.served()
        )

    async def get(self, model_id: str | None = None) -> ChatModel:
        """Return the model with this id, or the default one. Raises NotFound, ModelError."""
        info = await self.default() if model_id is None else await self._find(model_id)
        if info is None:
            blank = blank_key_variable()
            raise NoModel(NoModel.blank_key.fill(blank)) if blank else NoModel()
        model = self._models.get(info.id)
        if model is not None and model.info.on_this_machine != info.on_this_machine:
            # The name now means another model: a cloud model may have replaced a local one.
            self._retired_models.append(self._models.pop(info.id))
            model = None
        if model is None:
            model = self._create(info)
            self._models[info.id] = model
        if context := self._catalog().listed_context(info):
            model.use_listed_context(context)
        return model

    async def choose(self, model_id: str | None) -> ModelInfo | None:
        """Choose the default, or clear the choice; return the new default.

        Raises NotFound, ModelNotAllowed, StorageError.
        """
        if model_id is not None:
            await self._find(model_id)
        await asyncio.to_thread(self.connections.choose, model_id)
        return await self.default()

    async def connect(
        self, provider: str, key: str | None, address: str | None, on_this_machine: bool = False
    ) -> None:
        """Save and use a provider's key and address.

        Raises InvalidRequest, NotFound, ModelNotAllowed, StorageError.
        """
        if provider in PROVIDERS and not self._policy().allows_provider(provider):
            raise ModelNotAllowed(_PROVIDER_NOT_ALLOWED)
        await self.connections.save(provider, key, address, on_this_machine)
        self._retire(provider)

    async def declare_local(self, provider: str, on_this_machine: bool) -> None:
        await self.connections.declare_local(provider, on_this_machine)
        self._retire(provider)

    async def disconnect(self, provider: str) -> None:
        """Remove a provider's saved key and address. Raises NotFound, StorageError."""
        await self.connections.remove(provider)
        self._retire(provider)

    async def sweep(self) -> None:
        """Remove temp files of killed processes. Never raises."""
        try:
            await asyncio.to_thread(self.connections.sweep)
        except StorageError:
            self.log.warning("Temporary files in the settings folder could not be removed.")

    async def check(
        self, model_id: str, key: str | None = None, address: str | None = None
    ) -> Verdict:
        """Query the provider to check whether a model can be used.

        ``key`` and ``address`` are a form's values, which aren't saved; by default, the current
        ones are used. Raises InvalidRequest, NotFound, ModelNotAllowed, ModelError.
        """
        provider, _, name = model_id.partition(":")
        if key is None and address is None:
            await self._find(model_id)
            if provider not in PROVIDERS:
                return "no_list"  # it can't be queried without an address
        else:
            self._describe(model_id)
        names = await self._list_names(provider, key, address)
        if not names:
            return "no_list"
        # Users may omit ``:latest`` or a date.
        return "ok" if any(listed.startswith(name) for listed in names) else "not_listed"

    async def list_names(self, provider: str, key: str | None, address: str | None) -> list[str]:
        """Return the names that a provider lists. See ``check``."""
        if provider in PROVIDERS and not self._policy().allows_provider(provider):
            raise ModelNotAllowed(_PROVIDER_NOT_ALLOWED)
        listed = await self._list_names(provider, key, address)
        return self._catalog().usable_names(provider, listed)

    async def _list_names(self, provider: str, key: str | None, address: str | None) -> list[str]:
        access = await self.connections.access_with(provider, key, address)
        uses_current_key = key is None and address is None
        try:
            models = await list_models(provider, access, EXPLICIT_DEADLINE)
        except ModelError as error:
            error.set_server_label(provider, server_label(provider, access.address))
            if uses_current_key and isinstance(error, ModelAuthFailed):
                self._report(provider, error)
            raise
        if uses_current_key:
            self._report(provider, None)
        return [model.name for model in models]

    def _report(self, provider: str, refusal: ModelAuthFailed | None) -> None:
        self._refusals.pop(provider, None)
        if refusal is not None:
            self._refusals[provider] = refusal.code

    async def close(self) -> None:
        models = [*self._models.values(), *self._retired_models]
        self._models.clear()
        self._retired_models.clear()
        await asyncio.gather(self.local.close(), *(model.close() for model in models))

    async def _chosen_model(
        self, catalog: Catalog, served: Sequence[ModelInfo] | None = None
    ) -> ModelInfo | None:
        choice = self.connections.choice
        for info in (catalog.find(choice) if choice else None, catalog.configured()):
            if info is not None:
                info = await catalog.resolve_location(info, served)
                if catalog.policy.allows(info):
                    return info
        return None

    def _fallback_model(self, catalog: Catalog, served: Sequence[ModelInfo]) -> ModelInfo | None:
        """Return a ready model on this machine, for users who haven't chosen one."""
        # OpenAI-compatible servers may forward requests, even on this machine.
        ollama = (info for info in served if info.provider == "ollama")
        candidates = [*self.local.installed(), *ollama]
        ready = (info for info in candidates if info.ready and info.on_this_machine)
        return next(filter(catalog.policy.allows, ready), None)

    async def _find(self, model_id: str) -> ModelInfo:
        """Describe a model that clients may request. Raises ModelNotAllowed, NotFound."""
        catalog = self._catalog()
        info = await catalog.resolve_location(self._describe(model_id))
        catalog.policy.check(info)
        if info.provider in PROVIDERS and info.id != self.model:
            connection = self.connections.get(info.provider)
            if not connection.usable:
                label = connection.provider.label
                raise NotFound(UserText("%1 is not connected. Connect it first.", label))
        return info

    def _describe(self, model_id: str) -> ModelInfo:
        """Describe a model without a query. Raises NotFound, ModelNotAllowed."""
        catalog = self._catalog()
        info = catalog.find(model_id)
        if info is None:
            raise NotFound(UserText("This model is not available here. Choose one from the list."))
        catalog.policy.check(info)
        return info

    def _create(self, info: ModelInfo) -> ChatModel:
        policy = self._policy()
        provider, _, name = info.id.partition(":")
        max_characters = 4 * policy.max_tokens  # a token has about four characters
        limits = Limits(policy.timeout, max_characters, provider in _SEND_FINISH_REASON)
        if provider == "local":
            return self.local.create(info, limits)
        details = provider_of(provider)
        if not name:
            raise ModelError(NO_PROVIDER)
        if provider in PROVIDERS and not details.installed:
            raise ModelPackageMissing(details.label, details.install, provider)

        async def access() -> Access:
            if provider not in PROVIDERS:
                return Access()  # the key and the address are in the configured options
            return await self.connections.access(provider)

        return RemoteModel(
            info,
            policy.options if info.id == policy.model else {},
            limits,
            access=access,
            max_tokens=policy.max_tokens,
            tracing=policy.tracing,
            report=partial(self._report, provider),
        )

    def _retire(self, provider: str) -> None:
        """Drop cached models; only ``close`` closes them, so that answers continue."""
        self._lookups.clear()
        self._refusals.pop(provider, None)
        for id in [id for id in self._models if id.startswith(f"{provider}:")]:
            self._retired_models.append(self._models.pop(id))

    def _policy(self) -> ModelPolicy:
        return ModelPolicy(
            self.model,
            self.model_options,
            tuple(self.allowed_models),
            self.local_servers,
            self.timeout,
            self.max_output_tokens,
            self.local_threads,
            self.tracing,
            self.local_gpu_layers,
            self.allows_remote,
            tuple(self.image_models),
        )

    def _catalog(self) -> Catalog:
        return Catalog(self._policy(), self.connections, self._lookups, self.local)

    @property
    def folder(self) -> Path:
        if self.data_dir:
            return Path(self.data_dir).expanduser()
        from jupyter_core.paths import jupyter_data_dir

        return Path(jupyter_data_dir()) / "aiserver"
