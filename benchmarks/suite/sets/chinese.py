"""Chinese wordings of items of other sets. Everything but the request is the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ..items import Item

LANGUAGE = "zh"
_WORDINGS = Path(__file__).with_suffix(".json")


def wordings() -> dict[str, str]:
    """Return the Chinese requests by the ids of their items."""
    return dict(json.loads(_WORDINGS.read_text("utf-8")))


def translated(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items that have a Chinese wording, with this wording."""
    texts = wordings()
    for item in items:
        if item.id in texts:
            yield replace(item, id=f"{item.id}@{LANGUAGE}", request=texts[item.id])
