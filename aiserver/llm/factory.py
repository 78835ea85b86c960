"""Create the ``ChatModel`` for a model that is available and allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..errors import ModelAuthFailed, ModelError, ModelPackageMissing, NoModel
from .base import ChatModel, ModelInfo
from .catalog.catalog import INSTALL_LOCAL, NO_PROVIDER, is_local_package_installed
from .credentials.connections import Connections
from .local import catalogue, machine, speed, weights
from .local.model import LocalModel
from .local.process import LocalProcess
from .local.warm import WarmModels
from .policy import Access, ModelPolicy
from .providers import PROVIDERS, provider_of
from .remote.model import RemoteModel
from .streaming import Limits

# Providers whose complete answers always end with a finish reason. If the reason is missing, the
# answer was interrupted.
_SEND_FINISH_REASON = ("local", "openai", "openai_compatible", "deepseek", "mistralai", "ollama")


# A slow computer reads the prompt of a large model for many minutes before the first token. So
# local models may be silent for this many times as long as models on other computers.
_LOCAL_PATIENCE = 10


def create_model(
    info: ModelInfo,
    policy: ModelPolicy,
    connections: Connections,
    report: Callable[[str, ModelAuthFailed | None], None],
    warm_models: WarmModels,
) -> ChatModel:
    """Create the model that ``info`` describes. Raises NoModel, ModelPackageMissing, ModelError.

    ``report(provider, error)`` is called if a required key is missing, or if the provider rejects
    the key or the account, and with None after a complete answer.
    """
    provider, _, name = info.id.partition(":")
    max_characters = 4 * policy.max_tokens  # a token has about four characters
    limits = Limits(policy.timeout, max_characters, provider in _SEND_FINISH_REASON)
    if provider == "local":
        return _create_local(info, policy, limits, warm_models)
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


def _create_local(
    info: ModelInfo, policy: ModelPolicy, limits: Limits, warm_models: WarmModels
) -> LocalModel:
    """Create a local model. Raises ModelPackageMissing, NoModel."""
    if not is_local_package_installed():
        raise ModelPackageMissing(None, INSTALL_LOCAL)
    path = policy.model_file()
    model = catalogue.by_id_or_file(info.id, path)
    if path is None or info.id != f"local:{path.stem}":
        path = weights.installed(model) if model else None
    if path is None:
        raise NoModel
    # A model whose file isn't in the catalogue gets the short prompts of the smallest model, which
    # suit any model.
    similar_model = model or catalogue.SMALLEST
    size = path.stat().st_size if path.is_file() else 0
    process = LocalProcess(
        path,
        threads=policy.threads or machine.spare_cores(),
        context=similar_model.context,
        memory=model.memory if model else catalogue.memory_for_file(size),
        gpu_layers=policy.gpu_layers,
    )
    return LocalModel(
        info,
        process,
        replace(limits, timeout=_LOCAL_PATIENCE * limits.timeout),
        style=similar_model.style,
        prompt_tokens=similar_model.prompt_tokens,
        # The context must have room for the prompt and the answer.
        max_tokens=min(policy.max_tokens, similar_model.context // 4),
        tracing=policy.tracing,
        fill_tokens=model.fill_tokens if model else None,
        warm_models=warm_models,
        on_speed=partial(speed.store_faster, model) if model else None,
    )
