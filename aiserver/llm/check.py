"""Asks a provider for its list of models: whether it is there, takes the key and has the model.

What must hold: called only when a person pressed a button (P4); one request, to the address at
which that provider would be asked, redirects not followed; nothing of a notebook goes along, and
nothing of what comes back is shown but whether a name is in it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Literal

from ..errors import ModelAuthFailed, ModelKeyMissing, ModelUnavailable
from .errors import translate
from .providers import is_loopback
from .setup import Access
from .streaming import NOTHING

# ``no_list``: it answers, but lists no models · ``not_listed``: it does, and not this one.
Verdict = Literal["ok", "no_list", "not_listed"]

PATIENCE = 15.0  # seconds in all
_MOST = 8 * 1024 * 1024  # bytes of a list
_NO_LIST = (404, 405, 501)


async def check(provider: str, access: Access, name: str) -> Verdict:
    """Whether ``provider`` can be asked for its model ``name``. Raises ModelError."""
    assert access.address is not None  # or it could not be named
    try:
        asked = asyncio.to_thread(_list, provider, access.address, access.key)
        names = await asyncio.wait_for(asked, PATIENCE)
    except Exception as error:
        ours = translate(error)
        if isinstance(ours, ModelAuthFailed) and access.key is None:
            ours = ModelKeyMissing()
        raise ours from error
    if not names:
        return "no_list"
    # Lists have versions of a name (``:latest``, a date) that can be left out.
    return "ok" if any(listed.startswith(name) for listed in names) else "not_listed"


def _list(provider: str, address: str, key: str | None) -> list[str]:
    import httpx

    path, headers = _request(provider, key)
    here = is_loopback(address)
    body = b""
    with (
        httpx.Client(trust_env=not here, timeout=PATIENCE / 2) as client,
        client.stream("GET", f"{address}/{path}", headers=headers) as response,
    ):
        if response.status_code in _NO_LIST:
            return []
        if provider == "google_genai" and response.status_code == 400:
            raise ModelAuthFailed  # that is how it says that a key is none
        if response.is_redirect:
            raise ModelUnavailable(NOTHING)
        response.raise_for_status()
        for block in response.iter_bytes():
            body += block
            if len(body) > _MOST:
                raise ModelUnavailable(NOTHING)
    try:
        return _names(json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelUnavailable(NOTHING) from error


def _request(provider: str, key: str | None) -> tuple[str, dict[str, str]]:
    """Where the list is, and how the key is brought along."""
    if provider == "anthropic":
        version = {"anthropic-version": "2023-06-01"}
        return "v1/models?limit=1000", version | ({"x-api-key": key} if key else {})
    if provider == "google_genai":
        return "v1beta/models?pageSize=1000", {"x-goog-api-key": key} if key else {}
    path = "api/tags" if provider == "ollama" else "models"
    return path, {"Authorization": f"Bearer {key}"} if key else {}


def _names(answer: Mapping[str, Any]) -> list[str]:
    items = answer["data"] if "data" in answer else answer["models"]
    names = [str(item["id"] if "id" in item else item["name"]) for item in items]
    return [name.removeprefix("models/") for name in names]
