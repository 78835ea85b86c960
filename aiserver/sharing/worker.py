"""The process of one export: it reads the sessions, and writes the file.

It gets a ``Job`` from its parent, answers with the hashes of the pictures it wants, or with None
where there is nothing to export; gets the pictures; answers with the file as the JSON that the API
sends, and ends. All is pickled; its own parent is the only one it listens to.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..child_process import serve_parent
from ..gc_pause import pause_gc
from ..models import NotebookLogEntry
from ..notebooks.history import build_history
from ..surrogates import json_bytes
from .export import Format, name_of, render
from .pictures import named_pictures


@dataclass(frozen=True)
class Job:
    """The input of an export, as it is stored."""

    notebook_id: str
    owner: str
    format: Format
    name: str | None
    """The notebook's, if its file is there."""
    notebook: dict[str, Any] | None
    sessions: Mapping[str, bytes]
    """By cell."""
    log: Sequence[bytes]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Do one job."""

    def answer(value: object) -> None:
        pickle.dump(value, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()

    job: Job = pickle.load(requests)  # noqa: S301 - our own parent
    log = [NotebookLogEntry.model_validate_json(line) for line in job.log]
    history = build_history(job.owner, job.notebook_id, job.sessions, log)
    if not history.timeline.moments:
        answer(None)
        return
    answer(named_pictures(history) if job.format == "html" else [])
    images = pickle.load(requests)  # noqa: S301 - our own parent
    made = render(history, job.format, job.name or name_of(history), images, job.notebook)
    answer(json_bytes({"name": made.name, "content": made.content}))


def main() -> None:
    """Serve the parent."""
    with pause_gc():
        serve_parent(serve)


if __name__ == "__main__":
    main()
