"""The context of a request: the cells that ran before, and the kernel's variables.

Invariant (P15): only names, classes and sizes are sent, and names and dtypes of columns, but no
value.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from ...kernel.variables import describe
from .attachments import attach

MAX_CELLS = 200
MAX_CHARACTERS = 200_000
MAX_CELL = 100_000  # characters of one cell

_REQUEST_CELL = re.compile(r"\s*%%ai(?!\w)")
_REQUEST_LINE = re.compile(r"^\s*%(?:ai|load_ext\s+aiserver)(?!\w).*\n?", re.M)


def context_of(shell: Any, request: str) -> dict[str, Any]:
    """Return the context of a request in the HTTP API's form."""
    cells = _cells(shell)
    nearest = cells[-1]["source"] if cells else ""
    hidden = getattr(shell, "user_ns_hidden", {})
    variables = {name: value for name, value in shell.user_ns.items() if name not in hidden}
    described = json.loads(base64.b64decode(describe(variables)))
    return {"cells": cells, **attach(described, [request, "", nearest])}


def _cells(shell: Any) -> list[dict[str, Any]]:
    """Return the cells that were run, oldest first, without requests.

    Of equal sources, only the last counts; beyond the limits, only the newest ones.
    """
    sources: list[str] = []
    remaining = MAX_CHARACTERS
    for source in reversed(list(shell.history_manager.input_hist_raw)):
        source = _REQUEST_LINE.sub("", source).strip("\n")[:MAX_CELL]
        if not source.strip() or _REQUEST_CELL.match(source) or source in sources:
            continue
        remaining -= len(source)
        if remaining < 0 or len(sources) == MAX_CELLS:
            break
        sources.append(source)
    return [{"cellType": "code", "source": source} for source in reversed(sources)]
