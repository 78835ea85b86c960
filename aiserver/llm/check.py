"""Asks a provider for its list of models: whether it is there, takes the key and has the model.

Invariants: called only when a person pressed a button (P4); nothing of what comes back is shown
but whether a name is in it.
"""

from __future__ import annotations

from typing import Literal

from .lookup import EXPLICIT_DEADLINE
from .modellist import model_names
from .setup import Access

# ``no_list``: it answers, but lists no models · ``not_listed``: it does, and not this one.
Verdict = Literal["ok", "no_list", "not_listed"]


async def check(provider: str, access: Access, name: str) -> Verdict:
    """Whether ``provider`` can be asked for its model ``name``. Raises ModelError."""
    names = await model_names(provider, access, EXPLICIT_DEADLINE)
    if not names:
        return "no_list"
    # Lists have versions of a name (``:latest``, a date) that can be left out.
    return "ok" if any(listed.startswith(name) for listed in names) else "not_listed"
