"""Import Verdant's ``.ipyhistory``: the versions of a notebook's cells, edited by hand.

Each cell becomes a session of events in the order of its versions: ``edit`` with the exact source,
``run`` with its outputs, ``delete``. Verdant starts a new record when a cell's type changes; here
these are one session. Cells of the last version get the cell ids of the notebook in the same folder
if their sources match; the ids of the others are derived from the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...models import is_id
from .base import Read, Source, UnreadableSource, create_session, derive_id, load_json, to_timestamp

FORMAT = "verdant"
_KINDS = {"codeCells": "code", "markdownCells": "markdown", "rawCells": "raw"}
_SOURCES = ("literal", "markdown")


def read(source: Source) -> Read:
    """Read all cells of a file."""
    content = load_json(source.data)
    if not isinstance(content, dict) or not isinstance(content.get("checkpoints"), list):
        raise UnreadableSource("not a Verdant history")
    history = _History(content)
    notebook = _notebook(source.notebook)
    name = f"{history.first_time}"
    notebook_id = notebook.notebook_id or derive_id(FORMAT, name)
    ids = history.match_ids(notebook.cells)
    read = Read(unreadable=history.problems)
    for cell in history.cells():
        items = history.items(cell)
        if items:
            origin = {"format": FORMAT, "name": cell[0], "file": source.path.stem}
            cell_id = next((ids[record] for record in cell if record in ids), None)
            cell_id = cell_id or derive_id(FORMAT, name, cell[0])
            read.sessions.append(create_session(notebook_id, cell_id, items, origin=origin))
    return read


class _Notebook(NamedTuple):
    notebook_id: str | None = None
    cells: list[tuple[str, str]] = []  # noqa: RUF012 - id and source of those with an id


def _notebook(data: bytes | None) -> _Notebook:
    """Read the ids in the notebook; empty if there is none or it can't be read."""
    try:
        content = load_json(data or b"")
        cells = [
            (cell["id"], "".join(cell["source"]))
            for cell in content["cells"]
            if isinstance(cell.get("id"), str) and is_id(cell["id"])
        ]
        metadata = content["metadata"].get("aiserver") or {}
        notebook_id = metadata.get("notebook_id")
    except (UnreadableSource, KeyError, TypeError, AttributeError):
        return _Notebook()
    is_valid = isinstance(notebook_id, str) and is_id(notebook_id)
    return _Notebook(notebook_id if is_valid else None, cells)


class _History:
    """The records of a file, by name."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.problems: list[str] = []
        self._kinds: dict[str, str] = {}
        self._versions: dict[str, dict[str, dict[str, Any]]] = {}
        """The versions of each record by name; the n-th is called ``record.n``."""
        self._checkpoints = [item for item in content["checkpoints"] if isinstance(item, dict)]
        times = [item.get("timestamp") for item in self._checkpoints]
        self._order = {time: n for n, time in enumerate(times) if isinstance(time, int)}
        self.first_time = self._checkpoints[0].get("timestamp", 0) if self._checkpoints else 0
        for group, kind in _KINDS.items():
            for record in self._records(content.get(group), group):
                name = str(record["artifact_name"])
                self._kinds[name] = kind
                self._versions[name] = {
                    f"{name}.{number}": raw
                    for number, raw in enumerate(record["versions"])
                    if isinstance(raw, dict)
                }
        self._outputs = {
            f"{record['artifact_name']}.{number}": raw
            for record in self._records(content.get("output"), "output")
            for number, raw in enumerate(record["versions"])
        }
        self._last = self._last_cells(content.get("notebook"))

    def cells(self) -> Iterator[list[str]]:
        """Yield the names of each cell's records, oldest first."""
        groups: dict[str, list[str]] = {}
        for name in self._versions:
            head, visited = name, {name}
            while (before := self._origin(head)) and before not in visited:
                head = before
                visited.add(head)
            groups.setdefault(head, []).append(name)
        for head, names in groups.items():
            yield [head, *(name for name in names if name != head)]

    def items(self, cell: list[str]) -> list[dict[str, Any]]:
        """Return a cell's events in the order of their checkpoints."""
        events: list[tuple[int, dict[str, Any]]] = []
        for name in cell:
            for version, raw in self._versions[name].items():
                at = self._checkpoint_index(raw.get("start_checkpoint"))
                rest = {k: v for k, v in raw.items() if k not in _SOURCES}
                data = {
                    "name": version,
                    "cell_type": self._kinds[name],
                    "imported": {"format": FORMAT, "version": rest},
                }
                item = self._event("edit", raw.get("start_checkpoint"), data)
                events.append((at, item | {"source": _source(raw)}))
        seen: set[str] = set()
        for at, checkpoint in enumerate(self._checkpoints):
            for target in checkpoint.get("targetCells") or []:
                name = str(target.get("cell", "")) if isinstance(target, dict) else ""
                if name.rpartition(".")[0] not in cell:
                    continue
                event = self._checkpoint_event(name, target, checkpoint.get("timestamp"), seen)
                if event:
                    events.append((at, event))
        return [item for _, item in sorted(events, key=lambda row: row[0])]

    def match_ids(self, notebook: list[tuple[str, str]]) -> dict[str, str]:
        """Map records of the last version to the notebook's cell ids, by equal sources."""
        remaining = list(notebook)
        ids: dict[str, str] = {}
        for artifact, source in self._last:
            index = next((n for n, (_, text) in enumerate(remaining) if text == source), None)
            if index is not None:
                ids[artifact] = remaining.pop(index)[0]
        return ids

    def _checkpoint_event(
        self, name: str, target: dict[str, Any], when: Any, seen: set[str]
    ) -> dict[str, Any] | None:
        """Return the run or deletion of a cell that a checkpoint records."""
        outputs = [str(name) for name in target.get("output") or []]
        data: dict[str, Any] = {"name": name, "imported": {"format": FORMAT, "change": target}}
        if target.get("changeType") == "removed":
            return self._event("delete", when, data)
        # A cell that ran has `output`, possibly empty. Checkpoints of other cells repeat it, so
        # only new outputs count.
        edited = {name} if target.get("changeType") == "edited" else set()
        if "output" not in target or seen.issuperset({*outputs, *edited}):
            return None
        seen.update(outputs, edited)
        data["outputs"] = [self._outputs.get(output) for output in outputs]
        source = self._source(name)
        event = self._event("run", when, data)
        return event if source is None else event | {"source": source}

    def _source(self, version: str) -> str | None:
        raw = self._versions.get(version.rpartition(".")[0], {}).get(version)
        return None if raw is None else _source(raw)

    def _event(self, type_: str, when: Any, data: dict[str, Any]) -> dict[str, Any]:
        timestamp = to_timestamp(when)
        return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})

    def _checkpoint_index(self, when: Any) -> int:
        """Return the index of a version's checkpoint, or of the last one before it."""
        if when in self._order:
            return self._order[when]
        before = [n for time, n in self._order.items() if isinstance(when, int) and time < when]
        return max(before, default=0)

    def _origin(self, name: str) -> str | None:
        """Return the existing record that this one continues, if any."""
        origins = (raw.get("origin") for raw in self._versions[name].values())
        origin = next((str(value).rpartition(".")[0] for value in origins if value), None)
        return origin if origin in self._versions and origin != name else None

    def _records(self, value: Any, group: str) -> Iterator[dict[str, Any]]:
        if not isinstance(value, list | None):
            self.problems.append(f"{group}: not a Verdant list")
        for number, record in enumerate(value if isinstance(value, list) else [], 1):
            is_record = isinstance(record, dict) and isinstance(record.get("versions"), list)
            if is_record and "artifact_name" in record:
                yield record
            else:
                self.problems.append(f"{group} {number}: not a Verdant record")

    def _last_cells(self, notebook: Any) -> list[tuple[str, str]]:
        try:
            names = [str(name) for name in notebook["versions"][-1]["cells"]]
        except (KeyError, TypeError, IndexError):
            return []
        return [
            (name.rpartition(".")[0], source)
            for name in names
            if (source := self._source(name)) is not None
        ]


def _source(raw: dict[str, Any]) -> str:
    # An empty cell has none of these keys.
    return next((raw[name] for name in _SOURCES if isinstance(raw.get(name), str)), "")
