"""No provider's answer fills the memory, whatever it is made of.

The libraries read an answer line by line, and hold a line until it ends; an error they read to its
end. What must hold (P17): a line that doesn't end, and a body without end, are given up at these
bounds; and what comes is as large as it seems, for nobody asked for it compressed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from ...errors import ModelError, NoModelAnswer

LINE = 1 << 20  # bytes; an event of a stream has some hundred
BODY = 1 << 26


def bound(client: Any) -> None:
    """Bound what an asynchronous HTTP client of httpx, or one that holds one, takes in."""
    client = getattr(client, "_client", client)
    hooks = getattr(client, "event_hooks", None)
    if isinstance(hooks, dict) and _bounded not in hooks["response"]:  # clients may be shared
        client.headers["Accept-Encoding"] = "identity"
        hooks["response"].append(_bounded)


async def _bounded(response: Any) -> None:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise ModelError(NoModelAnswer.default_message)
    whole = response.stream
    stream = next(kind for kind in type(whole).__mro__ if kind.__name__ == "AsyncByteStream")

    async def read() -> AsyncIterator[bytes]:
        size = line = 0
        async for block in whole:
            size += len(block)
            after = max(block.rfind(b"\n"), block.rfind(b"\r"))
            line = line + len(block) if after < 0 else len(block) - after - 1
            if line > LINE or size > BODY:
                raise ModelError(NoModelAnswer.default_message)
            yield block

    response.stream = type(
        "Bounded",
        (stream,),
        {
            "__aiter__": lambda self: read(),
            "aclose": lambda self: whole.aclose(),
        },
    )()
