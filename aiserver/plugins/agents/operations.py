"""Changes of a notebook by an agent, and how they are made in a file. Pure."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field

from ...models import Id
from ...notebooks.cell_match import is_positional
from ...notebooks.restored_ids import cell_source
from ...requests import Body, CellType, Source


def digest(source: str) -> str:
    """Return the SHA-256 of a source: the ``base`` of an edit."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


class Edit(Body):
    """Replace the source of a cell, if it is still the one with this SHA-256."""

    op: Literal["edit"] = "edit"
    cell: Id
    base: str
    source: Source


class Insert(Body):
    """Insert a cell below another one, or at the top."""

    op: Literal["insert"] = "insert"
    cell: Id
    type: CellType = "code"
    source: Source = ""
    after: Id | None = None


class Delete(Body):
    """Delete a cell, if its source is still the one with this SHA-256."""

    op: Literal["delete"] = "delete"
    cell: Id
    base: str


class Move(Body):
    """Move a cell below another one, or to the top."""

    op: Literal["move"] = "move"
    cell: Id
    after: Id | None = None


Operation = Annotated[Edit | Insert | Delete | Move, Field(discriminator="op")]


class Split(Body):
    """Split a cell before some lines, from 2. The last part stays the cell, as in JupyterLab."""

    op: Literal["split"] = "split"
    cell: Id
    base: str
    lines: list[int]
    pieces: list[Id]
    """The ids of the new cells above it: as many as ``lines``."""


class Merge(Body):
    """Merge cells, each below the other, into the new cell ``cell``."""

    op: Literal["merge"] = "merge"
    cell: Id
    cells: list[Id]
    bases: list[str]


class Stale(Exception):
    """A cell isn't as the agent saw it. ``sources`` are those of now; None for a missing cell."""

    def __init__(self, sources: Mapping[str, str | None]) -> None:
        super().__init__("stale")
        self.sources = dict(sources)


class Locked(Exception):
    """The metadata of a cell protect it."""


class NotChanged(Exception):
    """The notebook can't be changed. The message is a sentence."""


def parts_of(
    operation: Operation | Split | Merge, cells: Sequence[Mapping[str, Any]]
) -> list[Operation]:
    """Return the operations that split or merge cells. Raises Stale, NotChanged."""
    if not isinstance(operation, Split | Merge):
        return [operation]
    ids = [operation.cell] if isinstance(operation, Split) else operation.cells
    bases = [operation.base] if isinstance(operation, Split) else operation.bases
    now = {str(cell["id"]): cell_source(cell) for cell in cells}
    wanted = dict(zip(ids, bases, strict=True))
    if stale := {id_: text for id_ in ids if _differs(text := now.get(id_), wanted[id_])}:
        raise Stale(stale)
    first = [*now].index(ids[0])
    if [*now][first : first + len(ids)] != ids or len(ids) != len({*ids}):
        raise NotChanged("Only cells that are below each other, in their order, can be merged.")
    types: set[Any] = {cell["cell_type"] for cell in cells if cell["id"] in wanted}
    if len(types) > 1:
        raise NotChanged("Only cells of the same type can be merged.")
    (type_,) = types
    above = [*now][first - 1] if first else None
    if isinstance(operation, Merge):
        text = "\n\n".join(now[id_] for id_ in ids)
        deletions = [Delete(cell=id_, base=base) for id_, base in wanted.items()]
        return [Insert(cell=operation.cell, type=type_, source=text, after=above), *deletions]
    lines = now[operation.cell].split("\n")
    starts = [1, *operation.lines, len(lines) + 1]
    texts = ["\n".join(lines[a - 1 : b - 1]).strip("\n") for a, b in pairwise(starts)]
    if starts != sorted(starts) or not all(map(str.strip, texts)):
        raise NotChanged("Each part of a split must have text: “lines” are the first ones, from 2.")
    parts: list[Operation] = []
    for piece, text in zip(operation.pieces, texts, strict=False):
        parts.append(Insert(cell=piece, type=type_, source=text, after=above))
        above = piece
    return [*parts, Edit(cell=operation.cell, base=operation.base, source=texts[-1])]


def _differs(source: str | None, base: str) -> bool:
    return source is None or digest(source) != base


def apply_operations(cells: list[dict[str, Any]], operations: Sequence[Operation]) -> None:
    """Apply operations to the cells of a notebook, all or none. Raises Stale, Locked."""
    result = [dict(cell) for cell in cells]
    places = {str(cell.get("id")): cell for cell in result}
    stale: dict[str, str | None] = {}
    for operation in operations:
        cell = places.get(operation.cell)
        if isinstance(operation, Insert):
            if cell is not None:
                stale[operation.cell] = cell_source(cell)
        elif cell is None:
            stale[operation.cell] = None
        elif not isinstance(operation, Move) and _differs(cell_source(cell), operation.base):
            stale[operation.cell] = cell_source(cell)
        above = operation.after if isinstance(operation, Insert | Move) else None
        if above is not None and above not in places:
            stale[above] = None
        if isinstance(operation, Insert):
            places[operation.cell] = {"source": operation.source}
        elif cell is not None and _is_locked(cell, operation):
            raise Locked
    if stale:
        raise Stale(stale)
    for operation in operations:
        _apply(result, operation)
    cells[:] = result


def cells_that_stay(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> dict[int, int]:
    """Return which cell before a write is the one after it, by indices: ``{after: before}``.

    That is the cell with the same id in the file. If it has none, or one by its place, it is the
    cell with the same content, or else the only one that was between the same two cells.
    """
    old, new = list(map(_file_key, before)), list(map(_file_key, after))
    counts, new_counts = Counter(old), Counter(new)
    places = {key: place for place, key in enumerate(old) if counts[key] == 1}
    pairs = {i: places[key] for i, key in enumerate(new) if key in places and new_counts[key] == 1}
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        rest = sorted({*range(start, end)}.difference(pairs.values()))
        new_rest = [i for i in range(new_start, new_end) if i not in pairs]
        has_ids = any(old[i][0] for i in rest) or any(new[i][0] for i in new_rest)
        if tag == "equal" or (len(rest) == len(new_rest) == 1 and not has_ids):
            pairs.update(zip(new_rest, rest, strict=True))
    return pairs


def _file_key(cell: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the id of a cell in a file, or else its type and content."""
    id_ = cell.get("id")
    if isinstance(id_, str) and id_ and not is_positional(id_):
        return id_, "", ""
    return "", str(cell.get("cell_type")), cell_source(cell)


def operations_between(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> list[Operation]:
    """Return the operations that make the cells of one version those of another one.

    Both have ids, and each only once; the order of the cells that stay isn't compared.
    """
    old = {str(cell["id"]): cell_source(cell) for cell in before}
    new = {str(cell["id"]) for cell in after}
    operations: list[Operation] = [
        Delete(cell=id_, base=digest(source)) for id_, source in old.items() if id_ not in new
    ]
    above: str | None = None
    for cell in after:
        id_, source = str(cell["id"]), cell_source(cell)
        if id_ not in old:
            type_: Any = cell.get("cell_type", "code")
            operations.append(Insert(cell=id_, type=type_, source=source, after=above))
        elif source != old[id_]:
            operations.append(Edit(cell=id_, base=digest(old[id_]), source=source))
        above = id_
    return operations


def _is_locked(cell: Mapping[str, Any], operation: Operation) -> bool:
    metadata = cell.get("metadata")
    key = {"edit": "editable", "delete": "deletable"}.get(operation.op, "")
    return isinstance(metadata, dict) and metadata.get(key) is False


def _apply(cells: list[dict[str, Any]], operation: Operation) -> None:
    if isinstance(operation, Insert):
        cell = new_cell(operation.cell, operation.type, operation.source)
        cells.insert(_place_below(cells, operation.after), cell)
        return
    index = next(i for i, cell in enumerate(cells) if cell.get("id") == operation.cell)
    if isinstance(operation, Edit):
        cells[index]["source"] = operation.source
    else:
        cell = cells.pop(index)
        if isinstance(operation, Move):
            cells.insert(_place_below(cells, operation.after), cell)


def _place_below(cells: Sequence[Mapping[str, Any]], after: str | None) -> int:
    places = (i for i, cell in enumerate(cells) if after is not None and cell.get("id") == after)
    return next(places, -1) + 1


def new_cell(cell_id: str, type_: CellType, source: str) -> dict[str, Any]:
    """Return a new cell of nbformat."""
    cell: dict[str, Any] = {"id": cell_id, "cell_type": type_, "metadata": {}, "source": source}
    return cell | ({"outputs": [], "execution_count": None} if type_ == "code" else {})


def new_cell_id(run: str, call: str) -> str:
    """Return an id for a new cell: the same one if an agent repeats its call."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{run}\n{call}") if call else uuid.uuid4())
