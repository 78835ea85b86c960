"""Find who wrote each line of a notebook's file. Pure.

In an ``.ipynb`` file as Jupyter writes it, each line of a cell's source is one line of the file.
Its author is that of the source's line (``replay/blame.py``). Lines of the file without source,
such as those of outputs and metadata, have no author. A line of the file may contain several lines
of source, as in files of other tools; it then has all their authors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ....notebooks.history import History
from ....notebooks.restored_ids import cell_source
from ....redact import redact
from ....replay import Origin, blame
from ....replay.step import ContributorKind
from ....requests import MAX_SOURCE

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]|[^\s\[\]{},:"]+')

Range = tuple[int, int]
"""The first and the last of consecutive lines, from 1."""


@dataclass(frozen=True)
class Author:
    """The author of lines. ``change`` identifies the step that wrote them, in any notebook."""

    kind: ContributorKind
    change: str
    name: str | None = None
    """Of an agent or program."""
    run: str | None = None
    """The id of the agent's run."""
    request: str | None = None
    """The request that a model answered: the ids of the notebook, the cell and the turn."""
    model: str | None = None
    is_existing: bool = False
    """Whether the lines are older than the history."""


LineAuthors = Mapping[int, frozenset[Author]]
"""The authors of the lines of a file, by their numbers from 1."""


def authors_of_lines(text: str, notebook: Mapping[str, Any], history: History) -> LineAuthors:
    """Return who wrote the lines of a notebook's file.

    ``notebook`` is the content of ``text``, in which the cells have the ids of their histories.
    """
    authors: dict[int, set[Author]] = {}
    strings = _source_strings(text)
    for index, cell in enumerate(notebook["cells"]):
        cell_id, source = str(cell.get("id")), cell_source(cell)
        placed = strings.get(index, [])
        is_recorded = cell_id in history.sessions and len(source) <= MAX_SOURCE
        if not is_recorded or "".join(item for _, item in placed) != source:
            continue
        origins = _origins(cell_id, source, history)
        lines = [_author(history.notebook_id, cell_id, origin) for origin in origins]
        position = 0
        for number, item in placed:
            last = position + item.count("\n")
            end = last if item.endswith("\n") or not item else last + 1
            authors.setdefault(number, set()).update(lines[position:end])
            position = last
    return {
        number: frozenset(line_authors)
        for number, line_authors in sorted(authors.items())
        if line_authors
    }


def ranges_of(numbers: Iterable[int]) -> list[Range]:
    """Return the ranges of consecutive numbers, which are sorted."""
    groups = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    lists = [[number for _, number in group] for _, group in groups]
    return [(numbers[0], numbers[-1]) for numbers in lists]


def _origins(cell_id: str, source: str, history: History) -> list[Origin]:
    # The history has marks instead of secrets.
    redacted = redact(source)
    source = redacted if redacted.count("\n") == source.count("\n") else source
    session = history.sessions[cell_id]
    return blame(session, source=source, session_by_cell=history.sessions)


def _author(notebook_id: str, cell_id: str, origin: Origin) -> Author:
    copied = origin.copied_from
    origin_cell, seq = (copied.cell_id, copied.seq) if copied else (cell_id, origin.seq)
    place = f"{notebook_id}/{origin_cell}"
    is_answer = origin.author == "model" and origin.turn_id is not None
    return Author(
        kind=origin.author,
        change=f"{place}/{seq}",
        name=origin.name,
        run=origin.run,
        request=f"{place}/{origin.turn_id}" if is_answer else None,
        model=origin.model,
        is_existing=bool(origin.is_existing),
    )


def _source_strings(text: str) -> dict[int, list[tuple[int, str]]]:
    """Return the strings of each cell's source, with their lines in the file, by cell index.

    ``text`` is valid JSON.
    """
    strings: dict[int, list[tuple[int, str]]] = {}
    for number, path, value in _values(text):
        match path:
            case ["cells", int(cell), "source"] | ["cells", int(cell), "source", int()]:
                if isinstance(value, str):
                    strings.setdefault(cell, []).append((number, value))
    return strings


def _values(text: str) -> Iterator[tuple[int, list[str | int | None], object]]:
    """Yield the strings in JSON, with their lines and their paths of keys and indexes."""
    path: list[str | int | None] = []  # None where a key comes next
    number, position = 1, 0
    for match in _TOKEN.finditer(text):
        lexeme = match[0]
        number += text.count("\n", position, match.start())
        position = match.start()
        if lexeme in "[{":
            path.append(0 if lexeme == "[" else None)
        elif lexeme in "]}":
            path.pop()
        elif lexeme == ",":
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else None
        elif lexeme[0] == '"' and path and path[-1] is None:
            path[-1] = json.loads(lexeme)
        elif lexeme[0] == '"':
            yield number, path, json.loads(lexeme)
