"""Fetch a provider's list of models.

Invariants: a list takes one request (``lookup.py``), with the provider's key in a header, but
nothing from a notebook.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ...errors import ModelAuthFailed, ModelKeyMissing, ModelNoCredit, NoModelAnswer
from ..policy import Access
from ..providers import COMPATIBLE, is_cloud_name
from .lookup import HttpStatusError, fetch

if TYPE_CHECKING:
    import httpx

_NO_LIST_STATUSES = (404, 405, 501)  # HTTP statuses of servers that don't list models
# Fields for a context's length, of vLLM, LM Studio, OpenRouter, Groq and llama.cpp.
_CONTEXT_FIELDS = (
    *("max_model_len", "loaded_context_length", "max_context_length", "context_length"),
    *("context_window", "n_ctx", "n_ctx_train"),
)
_CONTEXT_PARTS = ("meta", "top_provider")  # of llama.cpp and OpenRouter
MIN_CONTEXT = 256  # tokens; less, such as 0, means that the length is unknown


class ServedModel(NamedTuple):
    """A listed model; ``context`` is for prompt and answer together, in tokens."""

    name: str
    is_cloud: bool = False
    context: int | None = None


async def list_models(provider: str, access: Access, deadline: float) -> list[ServedModel]:
    """Return the listed models, or [] without a list. Raises ModelError.

    A compatible server's address may lack ``/v1`` (``adapt.py``).
    """
    assert access.address is not None
    path, headers = _path_and_headers(provider, access.key)
    read = functools.partial(_read_models, provider)
    lacks_path = provider == COMPATIBLE and not urlsplit(access.address).path.strip("/")
    try:
        if lacks_path:
            with contextlib.suppress(NoModelAnswer):
                if models := await fetch(f"{access.address}/{path}", headers, deadline, read):
                    return models
            path = f"v1/{path}"
        return await fetch(f"{access.address}/{path}", headers, deadline, read)
    except ModelAuthFailed as error:
        if access.key is None and not isinstance(error, ModelNoCredit):
            raise ModelKeyMissing from error
        raise


def _read_models(provider: str, response: httpx.Response) -> list[ServedModel]:
    """Return the models in a response; Ollama's local ones, and those for code, come first."""
    if response.status_code in _NO_LIST_STATUSES:
        return []
    if provider == "google_genai" and response.status_code == 400:
        raise ModelAuthFailed from HttpStatusError(response)  # Google's status for an invalid key
    if response.is_redirect:
        raise NoModelAnswer
    if not response.is_success:
        raise HttpStatusError(response)
    body = response.json()
    models = body["data"] if "data" in body else body["models"]
    if provider == "ollama":
        # Sorting is stable, so Ollama's order, newest first, remains.
        served = [_ollama_model(model) for model in models if not _is_embedding(model)]
        return sorted(served, key=lambda model: (model.is_cloud, "code" not in model.name.lower()))
    return [
        ServedModel(
            str(model["id"] if "id" in model else model["name"]).removeprefix("models/"),
            context=_context_of(model),
        )
        for model in models
    ]


def _context_of(model: dict[str, Any]) -> int | None:
    parts = [part for part in (model, *map(model.get, _CONTEXT_PARTS)) if isinstance(part, dict)]
    lengths = [part.get(name) for part in parts for name in _CONTEXT_FIELDS]
    return min((n for n in lengths if type(n) is int and n >= MIN_CONTEXT), default=None)


def _path_and_headers(provider: str, key: str | None) -> tuple[str, dict[str, str]]:
    if provider == "anthropic":
        version = {"anthropic-version": "2023-06-01"}
        return "v1/models?limit=1000", version | ({"x-api-key": key} if key else {})
    if provider == "google_genai":
        return "v1beta/models?pageSize=1000", {"x-goog-api-key": key} if key else {}
    path = "api/tags" if provider == "ollama" else "models"
    return path, {"Authorization": f"Bearer {key}"} if key else {}


def _ollama_model(model: dict[str, Any]) -> ServedModel:
    name = str(model["name"])
    is_remote = bool(model.get("remote_host") or model.get("remote_model"))
    return ServedModel(name, is_remote or is_cloud_name(name))


def _is_embedding(model: dict[str, Any]) -> bool:
    family = str((model.get("details") or {}).get("family", ""))
    return "bert" in family or "embed" in str(model["name"]).lower()
