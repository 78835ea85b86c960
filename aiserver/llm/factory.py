"""Create the ``ChatModel`` for a model that is available and allowed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..errors import ModelAuthFailed, ModelError, ModelPackageMissing, NoModel
from .base import ChatModel, ModelInfo
from .catalog.catalog import EMBEDDED, INSTALL_LOCAL, NO_PROVIDER, local_package
from .credentials.connections import Connections
from .local import weights
from .local.model import CONTEXT, LocalModel
from .local.process import LocalProcess
from .policy import Access, ModelPolicy
from .providers import PROVIDERS, provider_of
from .remote.model import RemoteModel
from .streaming import Limits

# Providers whose streams always end with a finish reason: one without it was interrupted.
_SEND_FINISH_REASON = ("local", "openai", "openai_compatible", "deepseek", "mistralai", "ollama")


@dataclass(frozen=True)
class ModelFactory:
    """Creates models from the current settings.

    ``report`` is called with a provider's name and its refusal, or None after a success.
    ``timeout`` is in seconds. ``threads`` is for the local model; 0 means one less than the number
    of CPU cores.
    """

    policy: ModelPolicy
    connections: Connections
    report: Callable[[str, ModelAuthFailed | None], None]
    timeout: float
    max_tokens: int
    threads: int
    tracing: bool

    def create(self, info: ModelInfo) -> ChatModel:
        """Create the model. Raises NoModel, ModelPackageMissing, ModelError."""
        provider, _, name = info.id.partition(":")
        limits = Limits(self.timeout, 4 * self.max_tokens, provider in _SEND_FINISH_REASON)
        if provider == "local":
            return self._local(info, limits)
        details = provider_of(provider)
        if not name:
            raise ModelError(NO_PROVIDER)
        if provider in PROVIDERS and not details.installed:
            raise ModelPackageMissing(details.label, details.install, provider)

        async def access() -> Access:
            if provider not in PROVIDERS:
                return Access()  # the model's options contain key and address
            return await self.connections.access(provider)

        return RemoteModel(
            info,
            self.policy.options if info.id == self.policy.model else {},
            limits,
            access=access,
            max_tokens=self.max_tokens,
            tracing=self.tracing,
            report=partial(self.report, provider),
        )

    def _local(self, info: ModelInfo, limits: Limits) -> LocalModel:
        if not local_package():
            raise ModelPackageMissing(None, INSTALL_LOCAL)
        path = self.policy.model_file() if info.id != EMBEDDED else weights.installed()
        if path is None:
            raise NoModel
        process = LocalProcess(path, threads=self.threads or spare_cores(), context=CONTEXT)
        tokens = min(self.max_tokens, CONTEXT // 4)
        return LocalModel(info, process, limits, max_tokens=tokens, tracing=self.tracing)


def spare_cores() -> int:
    """Return the number of cores that this process may use, less one; at least one."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, cores - 1)
