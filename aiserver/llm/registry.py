"""Which models can be used, which one answers, and how to get at it.

What must hold:

- **Text leaves the machine only after one explicit choice** (P4): the trait ``model``, or a model
  that the client names from this list. A key in the environment is no choice: such a provider is
  listed, but never the default.
- A client can name only what ``list`` offers or what is configured; a file of the user's own only
  if it is configured, and then by its name, never by its path (P8).
- ``model_options`` are shown and logged nowhere.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from pathlib import Path

from traitlets import Bool, Dict, Float, Int, Unicode
from traitlets.config import LoggingConfigurable

from ..errors import ModelError, ModelPackageMissing, NoModel, NotFound
from . import ollama, weights
from .base import ChatModel, ModelInfo
from .local import CONTEXT, LocalModel
from .local_process import LocalProcess
from .providers import PROVIDERS, base_url, is_loopback, provider_of
from .remote import RemoteModel
from .streaming import Limits

Models = list[ModelInfo]  # the class below has a method of that name
EMBEDDED = f"local:{weights.NAME}"
_INSTALL_LOCAL = "pip install 'aiserver[local]'"


class ModelRegistry(LoggingConfigurable):
    """Finds models and keeps one ``ChatModel`` for each that was asked for."""

    model = Unicode(
        "",
        help="""The model that answers, as "provider:name", for example "openai:gpt-4.1-mini" or
        "ollama:qwen2.5-coder:7b"; or "local:/path/to/model.gguf" for a model file of your own.
        Empty: the embedded model if it is installed, else a running Ollama, else none.""",
    ).tag(config=True)

    model_options = Dict(
        key_trait=Unicode(),
        help="""More options for the configured model, as LangChain's init_chat_model takes them,
        for example {"base_url": "http://127.0.0.1:8000/v1", "temperature": 0}. Keys are better
        kept in the provider's environment variable, such as OPENAI_API_KEY.""",
    ).tag(config=True)

    timeout = Float(
        120.0, help="Seconds without a sign of life after which a model is given up."
    ).tag(config=True)

    max_output_tokens = Int(
        4096, min=16, help="Tokens after which an answer is cut, and labelled as cut."
    ).tag(config=True)

    local_threads = Int(
        0, min=0, help="Threads of the local model. 0: one less than this machine's cores."
    ).tag(config=True)

    tracing = Bool(
        False,
        help="""Whether LangSmith may record what is asked and answered. Off, nothing is sent there
        whatever the environment says; on, the environment decides.""",
    ).tag(config=True)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self._models: dict[str, ChatModel] = {}

    async def list(self) -> Models:
        """All that can be used or easily made usable; what is ready and configured first."""
        found = [info for info in [self._configured()] if info is not None]
        found.append(self._embedded())
        found += await self._ollama()
        found += self._providers()
        return [*{info.id: info for info in [*found, *reversed(found)]}.values()]

    async def default(self) -> ModelInfo | None:
        """The model that answers if none is named, or None if there is none."""
        if self.model:
            return self._configured()
        embedded = self._embedded()
        if embedded.ready:
            return embedded
        local = [info for info in await self._ollama() if info.ready and info.on_this_machine]
        return local[0] if local else None

    async def get(self, model_id: str | None = None) -> ChatModel:
        """The model of that id, or the default. Raises NoModel, NotFound, ModelPackageMissing."""
        info = await self._find(model_id)
        if info is None:
            raise NoModel
        known = self._models.get(info.id)
        if known is None:
            known = self._models[info.id] = self._make(info)
        return known

    async def close(self) -> None:
        """End every model, the child process of the embedded one included."""
        models, self._models = list(self._models.values()), {}
        await asyncio.gather(*(model.close() for model in models))

    async def _find(self, model_id: str | None) -> ModelInfo | None:
        if model_id is None:
            return await self.default()
        # The two that need no look around first.
        for info in (self._configured(), self._embedded()):
            if info is not None and info.id == model_id:
                return info
        for info in await self.list():
            if info.id == model_id:
                return info
        raise NotFound("There is no such model here. Choose one of the list.")

    def _make(self, info: ModelInfo) -> ChatModel:
        provider, _, name = info.id.partition(":")
        limits = Limits(self.timeout, 4 * self.max_output_tokens, provider in ("local", "openai"))
        if provider == "local":
            if not _local_package():
                raise ModelPackageMissing("this machine", _INSTALL_LOCAL)
            path = self._own_file() if info.id != EMBEDDED else weights.installed()
            if path is None:
                raise NoModel
            process = LocalProcess(path, threads=self._threads(), context=CONTEXT)
            most = min(self.max_output_tokens, CONTEXT // 4)
            return LocalModel(info, process, limits, max_tokens=most, tracing=self.tracing)
        known = provider_of(provider)
        if not name:
            raise ModelError(_NO_PROVIDER)
        if provider in PROVIDERS and not known.installed:
            raise ModelPackageMissing(known.label, known.install)
        configured = self._configured()
        options = self.model_options if configured and configured.id == info.id else {}
        return RemoteModel(info, options, limits, tracing=self.tracing)

    def _threads(self) -> int:
        if self.local_threads:
            return self.local_threads
        affinity = getattr(os, "sched_getaffinity", None)
        cores = len(affinity(0)) if affinity else os.cpu_count() or 1
        return max(1, cores - 1)

    def _own_file(self) -> Path | None:
        """The user's own model file, if one is configured."""
        provider, _, name = self.model.partition(":")
        is_path = "/" in name or "\\" in name or name.lower().endswith(".gguf")
        return Path(name).expanduser() if provider == "local" and is_path else None

    def _configured(self) -> ModelInfo | None:
        if not self.model:
            return None
        provider, _, name = self.model.partition(":")
        own = self._own_file()
        if own is not None:
            problem = None if own.is_file() else "The configured model file is not there."
            return _local_info(f"local:{own.stem}", own.stem, problem, None)
        if provider == "local":
            return self._embedded()
        known = provider_of(provider)
        address = base_url(provider, self.model_options)
        here = is_loopback(address) if address else False
        if provider == "ollama" and not address:
            here = ollama.address() is not None
        if provider == "ollama" and name.endswith(("-cloud", ":cloud")):
            here = False
        label = f"{name} ({known.label})"
        problem, install = None, None
        if not name:
            problem = _NO_PROVIDER
        elif provider in PROVIDERS and not known.installed:
            problem = f"Models of {known.label} need one more package."
            install = known.install
        elif known.keys and not here and not known.has_key and not self._has_key_option():
            problem = f"There is no key for {known.label}: set {known.keys[0]}."
        return ModelInfo(self.model, label, here, problem is None, problem, install)

    def _has_key_option(self) -> bool:
        return any("key" in name for name in self.model_options)

    def _embedded(self) -> ModelInfo:
        problem, install = None, None
        if not _local_package():
            problem, install = "The local model needs one more package.", _INSTALL_LOCAL
        elif weights.installed() is None:
            problem = "The local model is not installed yet (491 MB)."
            install = weights.INSTALL
        return _local_info(EMBEDDED, weights.LABEL, problem, install)

    async def _ollama(self) -> Models:
        known = PROVIDERS["ollama"]
        problem = None if known.installed else "Models of Ollama need one more package."
        return [
            ModelInfo(
                id=f"ollama:{model.name}",
                label=f"{model.name} (Ollama)",
                on_this_machine=not model.cloud,
                ready=problem is None,
                problem=problem,
                install=known.install if problem else None,
            )
            for model in await ollama.models()
        ]

    def _providers(self) -> Models:
        """One model of each provider for which a key is at hand: the person may choose it."""
        return [
            ModelInfo(
                f"{known.name}:{known.suggested}", f"{known.suggested} ({known.label})", False
            )
            for known in PROVIDERS.values()
            if known.suggested and known.has_key and known.installed
        ]


_NO_PROVIDER = (
    "The configured model must be written “provider:name”, such as “openai:gpt-4.1-mini”."
)


def _local_package() -> bool:
    return all(importlib.util.find_spec(name) for name in ("xllamacpp", "langchain_openai"))


def _local_info(id: str, label: str, problem: str | None, install: str | None) -> ModelInfo:
    return ModelInfo(id, label, True, problem is None, problem, install)
