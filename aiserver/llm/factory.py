"""Create the ``ChatModel`` for a model that is available and allowed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..errors import ModelAuthFailed, ModelError, ModelPackageMissing
from .base import ChatModel, ModelInfo
from .catalog.catalog import NO_PROVIDER
from .credentials.connections import Connections
from .local_models import LocalModels
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
    local: LocalModels,
) -> ChatModel:
    """Create the model that ``info`` describes. Raises NoModel, ModelPackageMissing, ModelError.

    ``report(provider, error)`` is called if a key is missing or rejected, and with None after a
    complete answer.
    """
    provider, _, name = info.id.partition(":")
    max_characters = 4 * policy.max_tokens  # a token has about four characters
    limits = Limits(policy.timeout, max_characters, provider in _SEND_FINISH_REASON)
    if provider == "local":
        return local.create(info, limits)
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
