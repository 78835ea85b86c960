"""Fetch the list of models that a provider offers.

Invariants: fetching a list takes one request, which is limited in time and size (see
``lookup.py``). The request contains the provider's key in a header, but nothing from a notebook.
Nothing except the list of models is read from the response.
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

_NO_LIST_STATUSES = (404, 405, 501)  # HTTP statuses of servers that don't list their models


class ServedModel(NamedTuple):
    """A model that a server lists.

    ``is_cloud`` is true if the server is an Ollama that forwards the model's requests to its cloud.
    """

    name: str
    is_cloud: bool = False


async def list_models(provider: str, access: Access, deadline: float) -> list[ServedModel]:
    """Return the models that a provider lists, or [] if the provider has no list.

    An address of a compatible server may lack its end ``/v1``, as for requests (see ``adapt.py``).

    The models are in the provider's order. Only Ollama's models are filtered and reordered: see
    ``_read_models``. Raises ModelError.
    """
    assert access.address is not None
    path, headers = _path_and_headers(provider, access.key)
    read = functools.partial(_read_models, provider)
    lacks_path = provider == COMPATIBLE and not urlsplit(access.address).path.strip("/")
    try:
        with contextlib.suppress(*([NoModelAnswer] if lacks_path else [])):
            models = await fetch(f"{access.address}/{path}", headers, deadline, read)
            if models or not lacks_path:
                return models
        return await fetch(f"{access.address}/v1/{path}", headers, deadline, read)
    except ModelAuthFailed as error:
        if access.key is None and not isinstance(error, ModelNoCredit):
            raise ModelKeyMissing from error
        raise


def _read_models(provider: str, response: httpx.Response) -> list[ServedModel]:
    """Return the models in a server's response, or [] if the server doesn't list its models.

    Of Ollama's models, the embedding models are left out. Local models come before models in the
    cloud, and models for code come first in both groups. Raises an exception if the response is an
    error or can't be parsed.
    """
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
        # Sorting is stable, so models with equal keys remain in Ollama's order, newest first.
        served = [_ollama_model(model) for model in models if not _is_embedding(model)]
        return sorted(served, key=lambda model: (model.is_cloud, "code" not in model.name.lower()))
    names = [str(model["id"] if "id" in model else model["name"]) for model in models]
    return [ServedModel(name.removeprefix("models/")) for name in names]


def _path_and_headers(provider: str, key: str | None) -> tuple[str, dict[str, str]]:
    """Return the URL path of the provider's list of models, and the headers with the key."""
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
    """Return whether the model computes embeddings, so that it can't chat."""
    family = str((model.get("details") or {}).get("family", ""))
    return "bert" in family or "embed" in str(model["name"]).lower()
