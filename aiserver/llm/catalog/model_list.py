"""Fetch the list of models that a provider offers.

Invariants: one bounded request (see ``lookup.py``) to the provider's configured address, with the
key in a header; nothing from a notebook is sent. The response is only read as model names.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ...errors import ModelAuthFailed, ModelKeyMissing, ModelNoCredit, NoModelAnswer
from ..policy import Access
from .lookup import HttpStatusError, fetch, raise_for_status

if TYPE_CHECKING:
    import httpx

_NO_LIST = (404, 405, 501)  # statuses


async def model_names(provider: str, access: Access, deadline: float) -> list[str]:
    """Return the names in the provider's order, or [] if it has no list. Raises ModelError."""
    assert access.address is not None
    path, headers = _request(provider, access.key)
    read = functools.partial(_read, provider)
    try:
        return await fetch(f"{access.address}/{path}", headers, deadline, read)
    except ModelAuthFailed as error:
        if access.key is None and not isinstance(error, ModelNoCredit):
            raise ModelKeyMissing from error
        raise


def _read(provider: str, response: httpx.Response) -> list[str]:
    if response.status_code in _NO_LIST:
        return []
    if provider == "google_genai" and response.status_code == 400:
        raise ModelAuthFailed from HttpStatusError(response)  # Google's status for an invalid key
    if response.is_redirect:
        raise NoModelAnswer
    raise_for_status(response)
    return _names(response.json())


def _request(provider: str, key: str | None) -> tuple[str, dict[str, str]]:
    """Return the path of the list, and the headers with the key."""
    if provider == "anthropic":
        version = {"anthropic-version": "2023-06-01"}
        return "v1/models?limit=1000", version | ({"x-api-key": key} if key else {})
    if provider == "google_genai":
        return "v1beta/models?pageSize=1000", {"x-goog-api-key": key} if key else {}
    path = "api/tags" if provider == "ollama" else "models"
    return path, {"Authorization": f"Bearer {key}"} if key else {}


def _names(answer: dict[str, Any]) -> list[str]:
    items = answer["data"] if "data" in answer else answer["models"]
    names = [str(item["id"] if "id" in item else item["name"]) for item in items]
    return [name.removeprefix("models/") for name in names]
