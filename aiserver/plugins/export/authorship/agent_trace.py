"""Export the authors of a notebook's lines as a record of Agent Trace 0.1.0. Pure.

Source: https://github.com/cursor/agent-trace

Agent Trace knows people, AI, mixed and unknown contributors. Which agent, model or program
it was, and which run, is in ``metadata``: the items of ``contributors`` belong to those of
``conversations``. There are no hashes of contents, because short secrets can be guessed from them.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from .... import __version__
from ....notebooks.history import History
from .lines import Author, LineAuthors, ranges_of

VERSION = "0.1.0"
_TYPES = {"person": "human", "model": "ai", "agent": "ai"}


def agent_trace(
    history: History, path: str, authors: LineAuthors, revision: str | None = None
) -> dict[str, Any]:
    """Return the record of a file. ``path`` and ``revision`` are those in git, if it has it."""
    lines_by_contributor: dict[tuple[Any, ...], list[int]] = {}
    for number, line_authors in authors.items():
        keys = {_key(author) for author in line_authors}
        key = keys.pop() if len(keys) == 1 else ("mixed", None, None, None, None)
        lines_by_contributor.setdefault(key, []).append(number)
    contributors = [
        dict(zip(("kind", "name", "run", "request", "model"), key, strict=True))
        for key in lines_by_contributor
    ]
    conversations = [
        {
            "contributor": _contributor(contributor),
            "ranges": [{"start_line": a, "end_line": b} for a, b in ranges_of(numbers)],
        }
        for contributor, numbers in zip(contributors, lines_by_contributor.values(), strict=True)
    ]
    details = [{key: value for key, value in each.items() if value} for each in contributors]
    record = {
        "timestamp": with_offset(history.timeline.moments[-1].timestamp),
        **({"vcs": {"type": "git", "revision": revision}} if revision else {}),
        "tool": {"name": "aiserver", "version": __version__},
        "files": [{"path": path, "conversations": conversations}],
        "metadata": {"aiserver": {"contributors": details}},
    }
    # The same record has the same id.
    id_ = uuid.uuid5(uuid.NAMESPACE_URL, history.notebook_id + json.dumps(record))
    return {"version": VERSION, "id": str(id_), **record}


def _key(author: Author) -> tuple[str | None, ...]:
    kind = "existing" if author.is_existing else author.kind
    return kind, author.name, author.run, author.request, author.model


def _contributor(contributor: dict[str, Any]) -> dict[str, str]:
    kind, model = contributor["kind"], contributor["model"]
    type_ = kind if kind == "mixed" else _TYPES.get(kind, "unknown")
    # The specification's form is “provider/model”.
    return {"type": type_} | ({"model_id": model.replace(":", "/", 1)[:250]} if model else {})


def with_offset(timestamp: str) -> str:
    """Return a stored time as RFC 3339: without an offset, it is in UTC."""
    date, time = timestamp[:10], timestamp[11:]
    has_offset = time[-1:] in "Zz" or "+" in time or "-" in time
    return f"{date}T{time}" + ("" if has_offset else "Z")
