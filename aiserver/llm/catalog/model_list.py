"""Fetch the list of models that a provider offers.

Invariants: one bounded request (see ``lookup.py``) to the provider's configured address, with the
key in a header; nothing from a notebook is sent. The response is only read as model names.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import ModelAuthFailed, ModelKeyMissing, ModelNoCredit, NoModelAnswer
from ..policy import Access
from ..providers import is_cloud_name
from .lookup import HttpStatusError, fetch

if TYPE_CHECKING:
    import httpx

_NO_LIST = (404, 405, 501)  # statuses


class ServedModel(NamedTuple):
    """A model that a server lists. ``is_cloud``: it runs in Ollama's cloud, not on the server."""

    name: str
    is_cloud: bool = False


async def list_models(provider: str, access: Access, deadline: float) -> list[ServedModel]:
    """Return the models in the provider's order, or [] if it has no list. Raises ModelError.

    Of Ollama's, those that can chat; best for code first.
    """
    assert access.address is not None
    path, headers = _request(provider, access.key)
    read = functools.partial(_read, provider)
    try:
        return await fetch(f"{access.address}/{path}", headers, deadline, read)
    except ModelAuthFailed as error:
        if access.key is None and not isinstance(error, ModelNoCredit):
            raise ModelKeyMissing from error
        raise


def _read(provider: str, response: httpx.Response) -> list[ServedModel]:
    if response.status_code in _NO_LIST:
        return []
    if provider == "google_genai" and response.status_code == 400:
        raise ModelAuthFailed from HttpStatusError(response)  # Google's status for an invalid key
    if response.is_redirect:
        raise NoModelAnswer
    if not response.is_success:
        raise HttpStatusError(response)
    answer = response.json()
    items = answer["data"] if "data" in answer else answer["models"]
    if provider == "ollama":
        # Ollama lists the newest first; the sort is stable.
        models = [_ollama_model(item) for item in items if not _is_embedding(item)]
        return sorted(models, key=lambda model: (model.is_cloud, "code" not in model.name.lower()))
    names = [str(item["id"] if "id" in item else item["name"]) for item in items]
    return [ServedModel(name.removeprefix("models/")) for name in names]


def _request(provider: str, key: str | None) -> tuple[str, dict[str, str]]:
    """Return the path of the list, and the headers with the key."""
    if provider == "anthropic":
        version = {"anthropic-version": "2023-06-01"}
        return "v1/models?limit=1000", version | ({"x-api-key": key} if key else {})
    if provider == "google_genai":
        return "v1beta/models?pageSize=1000", {"x-goog-api-key": key} if key else {}
    path = "api/tags" if provider == "ollama" else "models"
    return path, {"Authorization": f"Bearer {key}"} if key else {}


def _ollama_model(item: dict[str, Any]) -> ServedModel:
    name = str(item["name"])
    is_remote = bool(item.get("remote_host") or item.get("remote_model"))
    return ServedModel(name, is_remote or is_cloud_name(name))


def _is_embedding(item: dict[str, Any]) -> bool:
    family = str((item.get("details") or {}).get("family", ""))
    return "bert" in family or "embed" in str(item["name"]).lower()
