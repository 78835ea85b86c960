"""The child process for one export. It parses the sessions and renders the file.

It gets a ``Job``, answers with the hashes of the pictures (None without a history), gets the
pictures, and answers with the JSON that the API sends. Messages are pickled, which is safe: they
come from its parent only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from ...child_process import receive, send, serve_parent
from ...gc_pause import pause_gc
from ...models import NotebookLogEntry
from ...notebooks.history import build_history
from ...surrogates import json_bytes
from .export import Format, last_recorded_name, render
from .pictures import referenced_pictures


@dataclass(frozen=True)
class Job:
    """The input of an export; ``name`` and ``notebook`` are None without a file."""

    notebook_id: str
    owner: str
    format: Format
    name: str | None
    notebook: dict[str, Any] | None
    """The content of the notebook's file; None if there is no file."""
    sessions: Mapping[str, bytes]
    """The stored bytes of the sessions, by cell id."""
    log: Sequence[bytes]
    left_out: frozenset[str]
    """The ids of the cells whose sessions are left out."""


def serve(messages: BinaryIO, answers: BinaryIO) -> None:
    """Handle one job: receive it, request its pictures, and answer with the exported file."""
    job: Job = receive(messages)
    log = [NotebookLogEntry.model_validate_json(line) for line in job.log]
    history = build_history(job.owner, job.notebook_id, job.sessions, log, job.left_out)
    if not history.timeline.moments:
        send(answers, None)
        return
    send(answers, referenced_pictures(history) if job.format == "html" else [])
    pictures = receive(messages)
    file = render(
        history, job.format, job.name or last_recorded_name(history), pictures, job.notebook
    )
    send(answers, json_bytes({"name": file.name, "content": file.content}))


def main() -> None:
    """Handle the job that the parent process sends."""
    with pause_gc():
        serve_parent(serve)
