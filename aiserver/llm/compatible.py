"""Which models a server lists that speaks OpenAI's protocol (vLLM, LM Studio, DashScope, …).

What must hold: it is asked shortly, and one on this machine directly; whatever comes back that is
no such list counts as none.
"""

from __future__ import annotations

import asyncio

from .ollama import FAR_PATIENCE, PATIENCE
from .providers import is_loopback

MOST = 500  # names; some offer thousands


async def models(url: str, key: str | None) -> list[str]:
    """The names of the models at ``url``, in the server's order; none if it doesn't answer."""
    return await asyncio.to_thread(_ask, url, key)


def _ask(url: str, key: str | None) -> list[str]:
    import httpx

    here = is_loopback(url)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx.Client(trust_env=not here, timeout=PATIENCE if here else FAR_PATIENCE) as client:
            response = client.get(f"{url}/models", headers=headers)
            response.raise_for_status()
            names = [item["id"] for item in response.json()["data"]]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return []
    chat = [name for name in names if isinstance(name, str) and "embed" not in name.lower()]
    return chat[:MOST]
