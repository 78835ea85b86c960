"""Which models can be used, which one answers, and how to get at it.

What must hold:

- **Text leaves the machine only after one explicit choice** (P4): the person's, kept here; the
  trait ``model``; or a model that the client names. A key in the environment is no choice: such a
  provider is listed, but never the default.
- A client can name any model of a provider that is connected, and none else; a file of the user's
  own only if it is configured, and then by its name, never by its path (P8).
- What ``allowed_models`` excludes is neither listed nor used, however it is named.
- ``model_options`` are shown and logged nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traitlets import Bool, Dict, Float, Int, List, Unicode, validate
from traitlets.config import LoggingConfigurable

from ..errors import ModelNotAllowed, NoModel, NotFound, StorageError
from .base import ChatModel, ModelInfo
from .catalog.catalog import Catalog, Listed, LocalInfo, ProviderInfo
from .catalog.check import Checker, Verdict
from .catalog.lookup import Lookups
from .credentials.connections import Connections
from .credentials.masking import masked
from .factory import ModelFactory
from .local.install import Installer
from .policy import ModelPolicy
from .providers import PROVIDERS

_PATIENCE = 0.2  # seconds that the list of models waits for a server whose last list is there

_NO_SUCH_PROVIDER = (
    "The administrator of this server does not allow this provider. Choose another one."
)
_IN_THE_CLOUD = (
    "Only models that run in Ollama on this machine are allowed here, "
    "and Ollama does not list this one as local."
)


@dataclass(frozen=True)
class Overview:
    """All that is shown of models at one look."""

    default: ModelInfo | None
    models: list[ModelInfo]
    providers: list[ProviderInfo]
    local: LocalInfo | None


class ModelRegistry(LoggingConfigurable):
    """Finds models and keeps one ``ChatModel`` for each that was asked for."""

    model = Unicode(
        "",
        help="""The default model, as "provider:name", for example "openai:gpt-4.1-mini" or
        "ollama:qwen2.5-coder:7b"; or "local:/path/to/model.gguf" for a model file of your own.
        If empty: the embedded model if it is installed, else Ollama if it is running, else none.
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
        120.0, help="Seconds without a response after which a model request times out."
    ).tag(config=True)

    max_output_tokens = Int(
        8192, min=16, help="Maximum number of tokens in an answer; longer answers are cut off."
    ).tag(config=True)

    local_threads = Int(
        0,
        min=0,
        help="Number of threads for the local model. 0: one fewer than the number of CPU cores.",
    ).tag(config=True)

    tracing = Bool(
        False,
        help="""Allow LangSmith tracing of requests and answers. If off, nothing is sent to
        LangSmith, regardless of environment variables; if on, they decide.""",
    ).tag(config=True)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._models: dict[str, ChatModel] = {}
        self._retired: list[ChatModel] = []
        self._lookups: Lookups[Listed] = Lookups()
        self.connections = Connections(self.folder, self._policy)
        self._checker = Checker(self.connections)
        self.installer = Installer()

    @validate("model_options")
    def _mask_keys(self, proposal: Any) -> dict[str, Any]:
        return masked(proposal["value"])

    async def overview(self) -> Overview:
        """All that can be used or easily made usable; each server is asked once."""
        catalog = self._catalog()
        served = await catalog.served(_PATIENCE)
        default = await self._wanted(catalog, served) or self._usual(catalog, served)
        first = [info for info in (default, catalog.configured(), catalog.embedded()) if info]
        found = [*filter(catalog.policy.allows, first), *served]
        found += catalog.suggested()
        models = {info.id: info for info in reversed(found)}  # of two the first one counts …
        ordered = [models[id] for id in dict.fromkeys(info.id for info in found)]  # … and its place
        return Overview(
            default, ordered, catalog.providers(self._checker.refusals), catalog.local()
        )

    async def default(self) -> ModelInfo | None:
        """The model that answers if none is named, or None if there is none."""
        catalog = self._catalog()
        wanted = await self._wanted(catalog)
        return wanted or self._usual(catalog, []) or self._usual(catalog, await catalog.served())

    async def get(self, model_id: str | None = None) -> ChatModel:
        """The model of that id, or the default.

        Raises NoModel, NotFound, ModelNotAllowed, ModelPackageMissing.
        """
        if model_id is None:
            info = await self.default()
        else:
            info = await self._named(model_id)
        if info is None:
            raise NoModel
        known = self._models.get(info.id)
        if known is not None and known.info.on_this_machine != info.on_this_machine:
            self._retired.append(self._models.pop(info.id))  # its name is another model's now
            known = None
        if known is None:
            known = self._models[info.id] = self._factory().make(info)
        return known

    async def choose(self, model_id: str | None) -> ModelInfo | None:
        """Make a model the default one, or (None) leave that to ``default`` again.

        Raises NotFound, ModelNotAllowed, StorageError.
        """
        if model_id is not None:
            await self._named(model_id)
        await asyncio.to_thread(self.connections.choose, model_id)
        return await self.default()

    async def connect(
        self, provider: str, key: str | None, address: str | None, on_this_machine: bool = False
    ) -> None:
        """Set a provider up. Raises InvalidRequest, NotFound, ModelNotAllowed, StorageError."""
        if provider in PROVIDERS and not self._policy().allows_provider(provider):
            raise ModelNotAllowed(_NO_SUCH_PROVIDER)
        await self.connections.save(provider, key, address, on_this_machine)
        self._retire(provider)

    async def declare_local(self, provider: str, on_this_machine: bool) -> None:
        """Note the person's word on where a provider's server runs.

        Raises InvalidRequest, NotFound, StorageError.
        """
        await self.connections.declare_local(provider, on_this_machine)
        self._retire(provider)

    async def disconnect(self, provider: str) -> None:
        """Undo ``connect``. Raises NotFound, StorageError."""
        await self.connections.forget(provider)
        self._retire(provider)

    async def sweep(self) -> None:
        """Remove what killed writers left beside the person's keys. Raises nothing."""
        try:
            await asyncio.to_thread(self.connections.sweep)
        except StorageError:
            self.log.warning("What a killed writer left beside the keys can't be removed.")

    async def check(
        self, model_id: str, key: str | None = None, address: str | None = None
    ) -> Verdict:
        """Ask a model's provider whether it can be asked: see ``catalog/check.py``.

        With ``key`` or ``address``, as if they were saved. Raises InvalidRequest, NotFound,
        ModelNotAllowed, ModelError.
        """
        provider, _, name = model_id.partition(":")
        if key is None and address is None:
            await self._named(model_id)
            if provider not in PROVIDERS:
                return "no_list"  # there is nobody to ask
        else:
            self._known(model_id)
        return await self._checker.check(provider, name, key, address)

    async def list_names(self, provider: str, key: str | None, address: str | None) -> list[str]:
        """The models that a provider lists, asked with what a person entered in its form.

        Raises InvalidRequest, NotFound, ModelNotAllowed, ModelError.
        """
        if provider in PROVIDERS and not self._policy().allows_provider(provider):
            raise ModelNotAllowed(_NO_SUCH_PROVIDER)
        listed = await self._checker.list_names(provider, key, address)
        return self._catalog().usable(provider, listed)

    async def close(self) -> None:
        """End every model, the child process of the embedded one included."""
        models = [*self._models.values(), *self._retired]
        self._models, self._retired = {}, []
        await asyncio.gather(self.installer.close(), *(model.close() for model in models))

    def can_install(self) -> bool:
        """Whether the embedded model is one that may be used."""
        return self._catalog().local() is not None

    async def _wanted(
        self, catalog: Catalog, served: Sequence[ModelInfo] | None = None
    ) -> ModelInfo | None:
        """P4: the person's choice, else the administrator's, if it may be used."""
        chosen = self.connections.choice
        for info in (catalog.named(chosen) if chosen else None, catalog.configured()):
            if info is not None:
                info = await catalog.certain(info, served)
                if catalog.policy.allows(info):
                    return info
        return None

    def _usual(self, catalog: Catalog, served: Sequence[ModelInfo]) -> ModelInfo | None:
        """P4: one on this machine, where nobody has chosen."""
        # Not a compatible server, though it be on this machine: it may pass on what it is sent.
        here = [catalog.embedded(), *(info for info in served if info.provider == "ollama")]
        usable = (info for info in here if info.ready and info.on_this_machine)
        return next(filter(catalog.policy.allows, usable), None)

    async def _named(self, model_id: str) -> ModelInfo:
        catalog = self._catalog()
        info = await catalog.certain(self._known(model_id))
        if not catalog.policy.allows(info):
            raise ModelNotAllowed(_IN_THE_CLOUD if info.handed_on else None)
        if info.provider in PROVIDERS and info.id != self.model:
            connection = self.connections.of(info.provider)
            if not connection.usable:
                raise NotFound(f"{connection.provider.label} is not connected. Connect it first.")
        return info

    def _known(self, model_id: str) -> ModelInfo:
        """The model of that id as its name and the settings describe it; asks nobody."""
        catalog = self._catalog()
        info = catalog.named(model_id)
        if info is None:
            raise NotFound("This model is not available here. Choose one from the list.")
        if not catalog.policy.allows(info):
            raise ModelNotAllowed(_IN_THE_CLOUD if info.handed_on else None)
        return info

    def _retire(self, provider: str) -> None:
        """A model with an old key is used no more; what it is writing goes on to its end."""
        self._lookups.clear()
        self._checker.refusals.pop(provider, None)
        for id in [id for id in self._models if id.startswith(f"{provider}:")]:
            self._retired.append(self._models.pop(id))

    def _policy(self) -> ModelPolicy:
        allowed = tuple(self.allowed_models)
        return ModelPolicy(self.model, self.model_options, allowed, self.local_servers)

    def _factory(self) -> ModelFactory:
        return ModelFactory(
            self._policy(),
            self.connections,
            self._checker.report,
            timeout=self.timeout,
            max_tokens=self.max_output_tokens,
            threads=self.local_threads,
            tracing=self.tracing,
        )

    def _catalog(self) -> Catalog:
        return Catalog(self._policy(), self.connections, self._lookups)

    @property
    def folder(self) -> Path:
        """Where the person's choices and keys are kept."""
        if self.data_dir:
            return Path(self.data_dir).expanduser()
        from jupyter_core.paths import jupyter_data_dir

        return Path(jupyter_data_dir()) / "aiserver"
