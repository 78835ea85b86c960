"""Create the ``ChatModel`` for a model that is available and allowed."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from ..errors import ModelAuthFailed, ModelError, ModelPackageMissing, NoModel
from .base import ChatModel, ModelInfo
from .catalog.catalog import EMBEDDED, INSTALL_LOCAL, NO_PROVIDER, is_local_package_installed
from .credentials.connections import Connections
from .local import weights
from .local.model import CONTEXT, LocalModel
from .local.process import LocalProcess
from .policy import Access, ModelPolicy
from .providers import PROVIDERS, provider_of
from .remote.model import RemoteModel
from .streaming import Limits

# Providers whose complete answers always end with a finish reason. If the reason is missing, the
# answer was interrupted.
_SEND_FINISH_REASON = ("local", "openai", "openai_compatible", "deepseek", "mistralai", "ollama")


def create_model(
    info: ModelInfo,
    policy: ModelPolicy,
    connections: Connections,
    report: Callable[[str, ModelAuthFailed | None], None],
) -> ChatModel:
    """Create the model that ``info`` describes. Raises NoModel, ModelPackageMissing, ModelError.

    ``report(provider, error)`` is called when the provider rejects the key or the account; after a
    complete answer, it is called with None as the error.
    """
    provider, _, name = info.id.partition(":")
    max_characters = 4 * policy.max_tokens  # a token has about four characters
    limits = Limits(policy.timeout, max_characters, provider in _SEND_FINISH_REASON)
    if provider == "local":
        return _create_local(info, policy, limits)
    details = provider_of(provider)
    if not name:
        raise ModelError(NO_PROVIDER)
    if provider in PROVIDERS and not details.installed:
        raise ModelPackageMissing(details.label, details.install, provider)

    async def access() -> Access:
        if provider not in PROVIDERS:
            return Access()  # the configured options contain the key and the address
        return await connections.access(provider)

    return RemoteModel(
        info,
        policy.options if info.id == policy.model else {},
        limits,
        access=access,
        max_tokens=policy.max_tokens,
        tracing=policy.tracing,
        report=partial(report, provider),
    )


def _create_local(info: ModelInfo, policy: ModelPolicy, limits: Limits) -> LocalModel:
    """Create the embedded model or the model in the configured file.

    Raises ModelPackageMissing, NoModel.
    """
    if not is_local_package_installed():
        raise ModelPackageMissing(None, INSTALL_LOCAL)
    path = policy.model_file() if info.id != EMBEDDED else weights.installed()
    if path is None:
        raise NoModel
    process = LocalProcess(path, threads=policy.threads or spare_cores(), context=CONTEXT)
    # The context must have room for the prompt and the answer.
    max_tokens = min(policy.max_tokens, CONTEXT // 4)
    return LocalModel(info, process, limits, max_tokens=max_tokens, tracing=policy.tracing)


def spare_cores() -> int:
    """Return the number of cores that this process may use, minus one, but at least 1."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, cores - 1)
