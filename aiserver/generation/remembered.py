"""Choose the entries of the memories for a request.

Invariants: an entry of the project's memory is used only if the person has confirmed it. A memory
that can't be read in time, or not at all, never prevents a request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from ..errors import AIServerError
from ..memory.manager import ListedEntry
from ..prompts.prompt_input import MemoryText
from ..redact import Vault
from ..requests import WarmUpBody
from .allowed_parts import ContextOptions
from .hidden_data import hide

_TIMEOUT = 2.0  # seconds; if a store is slower, the request is sent without memories
_log = logging.getLogger(__name__)


async def used_entries(body: WarmUpBody, options: ContextOptions) -> list[ListedEntry]:
    """Return the entries that may be sent with a request, in the order of the memories."""
    is_allowed = options.features.memory != "forbidden" and body.context.uses_memory
    if options.memory is None or not is_allowed:
        return []
    try:
        listed = await asyncio.wait_for(options.memory.list_entries(), _TIMEOUT)
    except (TimeoutError, asyncio.TimeoutError, AIServerError) as error:
        _log.warning("The request is sent without memories: %s", type(error).__name__)
        return []
    return [entry for entry in listed if entry.review == "used"]


def memory_texts(entries: Sequence[ListedEntry], vault: Vault) -> list[MemoryText]:
    """Return entries as the input of a prompt, with secrets hidden."""
    return [
        MemoryText(
            f"{listed.scope}:{listed.entry.id}",
            hide(listed.entry.text, vault),
            hide(listed.entry.section, vault),
            position,
        )
        for position, listed in enumerate(entries)
    ]
