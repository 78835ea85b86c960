"""The child process of one export: it parses the sessions and renders the file.

It receives a ``Job`` from its parent and answers with the hashes of the pictures it needs, or None
if there is nothing to export. It then receives the pictures, answers with the JSON that the API
sends, and ends. Messages are pickled, which is safe because the child receives messages from its
parent only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..child_process import receive, send, serve_parent
from ..gc_pause import pause_gc
from ..models import NotebookLogEntry
from ..notebooks.history import build_history
from ..surrogates import json_bytes
from .export import Format, last_recorded_name, render
from .pictures import referenced_pictures


@dataclass(frozen=True)
class Job:
    """The input of an export, with sessions and the change log as stored bytes."""

    notebook_id: str
    owner: str
    format: Format
    name: str | None
    """The name of the notebook's file, if it exists."""
    notebook: dict[str, Any] | None
    """The content of the notebook's file, if it exists."""
    sessions: Mapping[str, bytes]
    """Stored sessions by cell id."""
    log: Sequence[bytes]
    """The entries of the notebook's change log."""


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Receive a job, and answer with the exported file."""
    job: Job = receive(requests)
    log = [NotebookLogEntry.model_validate_json(line) for line in job.log]
    history = build_history(job.owner, job.notebook_id, job.sessions, log)
    if not history.timeline.moments:
        send(answers, None)
        return
    send(answers, referenced_pictures(history) if job.format == "html" else [])
    pictures = receive(requests)
    file = render(
        history, job.format, job.name or last_recorded_name(history), pictures, job.notebook
    )
    send(answers, json_bytes({"name": file.name, "content": file.content}))


def main() -> None:
    """Handle the job that the parent process sends."""
    with pause_gc():
        serve_parent(serve)
