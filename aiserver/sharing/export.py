"""A notebook's replay in the form that was asked for.

What must hold: nothing is written or changed here; the same history makes the same bytes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from ..errors import NotFound
from ..notebooks.history import History
from ..sessions.base import SessionManager
from .annotated import annotated
from .filenames import file_name
from .narrative import narrative
from .page import page
from .pictures import addresses, load_pictures, named_pictures
from .story import story

Format = Literal["html", "md", "ipynb"]
FORMATS: tuple[Format, ...] = get_args(Format)

NOTHING = "This notebook has no history yet. Ask for code in one of its cells first."


@dataclass(frozen=True)
class Export:
    """A file to be handed on."""

    name: str
    content: str


async def export(
    store: SessionManager,
    history: History,
    format_: Format,
    name: str,
    *,
    owner: str = "",
    notebook: dict[str, Any] | None = None,
) -> Export:
    """The replay of the notebook called ``name``; ``notebook`` is what its file holds, if known.

    Raises NotFound where nothing is kept of it, StorageError.
    """
    if not history.timeline.moments:
        raise NotFound(NOTHING)
    images: dict[str, bytes] = {}
    if format_ == "html":
        named = await asyncio.to_thread(named_pictures, history)
        images = await load_pictures(store, named, owner=owner)
    # Not on the event loop: a long life has many steps.
    return await asyncio.to_thread(render, history, format_, name, images, notebook)


def render(
    history: History,
    format_: Format,
    name: str,
    images: Mapping[str, bytes],
    notebook: dict[str, Any] | None,
) -> Export:
    """The file, from all that is in it. Takes its time."""
    if format_ == "html":
        told = story(history, name, addresses(images), language=language_in(notebook))
        content = page(told)
    elif format_ == "md":
        content = narrative(history, name)
    else:
        made = annotated(history, name, notebook)
        content = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
    return Export(file_name(name, f"-replay.{format_}"), content)


def name_of(history: History) -> str:
    """What the notebook was called when it was last seen."""
    paths = [entry.data.get("path") for entry in history.log if entry.type == "path_seen"]
    named = [path for path in paths if isinstance(path, str) and path]
    return PurePosixPath(named[-1]).name if named else "notebook.ipynb"


def language_in(notebook: dict[str, Any] | None) -> str | None:
    """The language of a notebook's file."""
    metadata = (notebook or {}).get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name.lower() if isinstance(name, str) else None
