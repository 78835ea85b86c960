"""Documents that are JSON objects. Pure."""

from __future__ import annotations

import json
from typing import Any


class DamagedDocument(Exception):
    """A document doesn't have the expected format."""


def parse_object(data: bytes | None) -> dict[str, Any]:
    """Return a document's JSON object, {} if it is empty or missing. Raises DamagedDocument."""
    try:
        stored = json.loads(data or b"{}")
    except (ValueError, RecursionError) as exc:
        raise DamagedDocument from exc
    if not isinstance(stored, dict):
        raise DamagedDocument
    return stored
