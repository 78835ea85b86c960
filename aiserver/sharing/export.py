"""A notebook's replay in the form that was asked for.

What must hold: nothing is written or changed here; the same history makes the same bytes.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from ..errors import NotFound
from ..histories import History
from ..sessions.base import SessionManager
from .annotated import annotated
from .filenames import file_name
from .narrative import narrative
from .page import page
from .pictures import pictures
from .story import story

Format = Literal["html", "md", "ipynb"]
FORMATS: tuple[Format, ...] = get_args(Format)


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
        raise NotFound("Nothing is kept of this notebook yet.")
    images = await pictures(store, history, owner=owner) if format_ == "html" else {}

    def made() -> str:
        if format_ == "html":
            return page(story(history, name, images, language=language_in(notebook)))
        if format_ == "md":
            return narrative(history, name)
        return json.dumps(annotated(history, name, notebook), ensure_ascii=False, indent=1) + "\n"

    # Not on the event loop: a long life has many steps.
    return Export(file_name(name, f"-replay.{format_}"), await asyncio.to_thread(made))


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
