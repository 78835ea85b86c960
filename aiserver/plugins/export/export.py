"""Export a notebook's history as one file: a web page, Markdown or a notebook.

Invariants: an export writes nothing to the store or to disk. Exporting the same history again
gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from ...errors import NotFound, UserText
from ...notebooks.history import History
from ...sessions.base import SessionManager
from .annotated import annotate
from .filenames import file_name
from .narrative import narrative
from .page import page
from .page_data import page_data
from .pictures import data_urls, load_pictures, referenced_pictures

Format = Literal["html", "md", "ipynb"]
FORMATS: tuple[Format, ...] = get_args(Format)

NO_HISTORY = UserText("This notebook has no history yet. Ask for code in one of its cells first.")


@dataclass(frozen=True)
class Export:
    """An exported file: its name and its text."""

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
    """Export a notebook's history. ``name`` and ``notebook`` are those of its file.

    Only the command line calls this, because it blocks the event loop. Raises NotFound if the
    notebook has no history, or StorageError.
    """
    if not history.timeline.moments:
        raise NotFound(NO_HISTORY)
    hashes = referenced_pictures(history) if format_ == "html" else []
    pictures = await load_pictures(store, hashes, owner=owner)
    return render(history, format_, name, pictures, notebook)


def render(
    history: History,
    format_: Format,
    name: str,
    pictures: Mapping[str, bytes],
    notebook: dict[str, Any] | None,
) -> Export:
    """Render the exported file. ``pictures`` are the pictures in the history's outputs, by hash."""
    if format_ == "html":
        data = page_data(history, name, data_urls(pictures), language=_notebook_language(notebook))
        content = page(data)
    elif format_ == "md":
        content = narrative(history, name)
    else:
        result = annotate(history, name, notebook)
        content = json.dumps(result, ensure_ascii=False, indent=1) + "\n"
    return Export(file_name(name, f"-replay.{format_}"), content)


def last_recorded_name(history: History) -> str:
    """Return the newest file name in a notebook's change log, or ``notebook.ipynb``."""
    paths = [entry.data.get("path") for entry in history.log if entry.type == "path_seen"]
    valid_paths = [path for path in paths if isinstance(path, str) and path]
    return PurePosixPath(valid_paths[-1]).name if valid_paths else "notebook.ipynb"


def _notebook_language(notebook: dict[str, Any] | None) -> str | None:
    """Return the programming language in a notebook's metadata, in lower case, or None."""
    metadata = (notebook or {}).get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name.lower() if isinstance(name, str) else None
