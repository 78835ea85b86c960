"""Export the authors of a notebook's lines as a record of Agent Trace 0.1.0. Pure.

Source: https://github.com/cursor/agent-trace

Agent Trace knows people, AI, mixed and unknown contributors. Which agent, model or program
it was, and which run, is in ``metadata``: the items of ``contributors`` belong to those of
``conversations``. There are no hashes of contents, because short secrets can be guessed from them.
"""

from __future__ import annotations

import json
import uuid
from typing import Any, NamedTuple

from .... import __version__
from ....notebooks.history import History
from .lines import Author, LineAuthors, ranges_of

VERSION = "0.1.0"
_TYPES = {"person": "human", "model": "ai", "agent": "ai", "mixed": "mixed"}


class _Contributor(NamedTuple):
    kind: str
    name: str | None = None
    run: str | None = None
    request: str | None = None
    model: str | None = None


def agent_trace(
    history: History, path: str, authors: LineAuthors, revision: str | None = None
) -> dict[str, Any]:
    """Return the record of a file. ``path`` and ``revision`` are those in git, if it has it."""
    lines: dict[_Contributor, list[int]] = {}
    for number, line_authors in authors.items():
        contributors = set(map(_contributor, line_authors))
        contributor = contributors.pop() if len(contributors) == 1 else _Contributor("mixed")
        lines.setdefault(contributor, []).append(number)
    conversations = [
        {
            "contributor": _described(contributor),
            "ranges": [{"start_line": a, "end_line": b} for a, b in ranges_of(numbers)],
        }
        for contributor, numbers in lines.items()
    ]
    details = [{key: value for key, value in each._asdict().items() if value} for each in lines]
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


def _contributor(author: Author) -> _Contributor:
    kind = "existing" if author.is_existing else author.kind
    return _Contributor(kind, author.name, author.run, author.request, author.model)


def _described(contributor: _Contributor) -> dict[str, str]:
    type_, model = _TYPES.get(contributor.kind, "unknown"), contributor.model
    # The specification's form is “provider/model”.
    return {"type": type_} | ({"model_id": model.replace(":", "/", 1)[:250]} if model else {})


def with_offset(timestamp: str) -> str:
    """Return a stored time as RFC 3339: without an offset, it is in UTC."""
    date, time = timestamp[:10], timestamp[11:]
    has_offset = time[-1:] in "Zz" or "+" in time or "-" in time
    return f"{date}T{time}" + ("" if has_offset else "Z")
