"""Verdant's ``.ipyhistory``: the versions of a notebook's cells, as a person made them by hand.

Each cell becomes a session of events in the order of its versions: ``edit`` with the source byte
for byte, ``run`` with its outputs, ``delete``. A cell whose type was changed goes on in another
record of the file; here it is one. Cells of the last version get the ids of the notebook beside it
where that has any and their sources agree; the others' are made up, always the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...models import is_id
from .base import NotUnderstood, Read, Source, decoded, loads, made_id, session_of, time_of

FORMAT = "verdant"
_KINDS = {"codeCells": "code", "markdownCells": "markdown", "rawCells": "raw"}
_SOURCES = ("literal", "markdown")


class _Version(NamedTuple):
    artifact: str
    number: int
    kind: str
    source: str
    raw: dict[str, Any]


def read(source: Source) -> Read:
    """All cells of a file."""
    content = loads(decoded(source.data))
    if not isinstance(content, dict) or not isinstance(content.get("checkpoints"), list):
        raise NotUnderstood("not a Verdant history")
    history = _History(content)
    notebook = _notebook(source.notebook)
    name = f"{history.began}"
    notebook_id = notebook.notebook_id or made_id(FORMAT, name)
    ids = history.matched(notebook.cells)
    read = Read(not_understood=history.complaints)
    for cell in history.cells():
        items = history.items(cell)
        if items:
            origin = {"format": FORMAT, "name": cell[0], "file": source.path.stem}
            cell_id = next((ids[one] for one in cell if one in ids), None)
            made = cell_id or made_id(FORMAT, name, cell[0])
            read.sessions.append(session_of(notebook_id, made, items, origin=origin))
    return read


class _Notebook(NamedTuple):
    notebook_id: str | None = None
    cells: list[tuple[str, str]] = []  # noqa: RUF012 - id and source of those with an id


def _notebook(data: bytes | None) -> _Notebook:
    """What the notebook beside it knows; nothing if there is none that can be read."""
    try:
        content = loads(decoded(data or b""))
        cells = [
            (cell["id"], "".join(cell["source"]))
            for cell in content["cells"]
            if isinstance(cell.get("id"), str) and is_id(cell["id"])
        ]
        metadata = content["metadata"].get("aiserver") or {}
        known = metadata.get("notebook_id")
    except (NotUnderstood, KeyError, TypeError, AttributeError):
        return _Notebook()
    return _Notebook(known if isinstance(known, str) and is_id(known) else None, cells)


class _History:
    """The records of one file, by name."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.complaints: list[str] = []
        self._versions: dict[str, list[_Version]] = {}
        self._checkpoints = [one for one in content["checkpoints"] if isinstance(one, dict)]
        times = [one.get("timestamp") for one in self._checkpoints]
        self._order = {time: n for n, time in enumerate(times) if isinstance(time, int)}
        self.began = self._checkpoints[0].get("timestamp", 0) if self._checkpoints else 0
        for group, kind in _KINDS.items():
            for record in self._records(content.get(group), group):
                name = str(record["artifact_name"])
                self._versions[name] = [
                    _Version(name, number, kind, _source(raw), raw)
                    for number, raw in enumerate(record["versions"])
                    if isinstance(raw, dict)
                ]
        self._outputs = {
            f"{record['artifact_name']}.{number}": raw
            for record in self._records(content.get("output"), "output")
            for number, raw in enumerate(record["versions"])
        }
        self._last = self._last_cells(content.get("notebook"))

    def cells(self) -> Iterator[list[str]]:
        """The names of the records that are one cell, each cell's oldest first."""
        groups: dict[str, list[str]] = {}
        for name in self._versions:
            head, passed = name, {name}
            while (before := self._origin(head)) and before not in passed:
                head = before
                passed.add(head)
            groups.setdefault(head, []).append(name)
        for head, names in groups.items():
            yield [head, *(name for name in names if name != head)]

    def items(self, cell: list[str]) -> list[dict[str, Any]]:
        """The events of a cell, in the order of the checkpoints that they belong to."""
        found: list[tuple[int, int, int, dict[str, Any]]] = []
        for name in cell:
            for version in self._versions[name]:
                at = self._place(version.raw.get("start_checkpoint"))
                data: dict[str, Any] = {
                    "name": f"{name}.{version.number}",
                    "cell_type": version.kind,
                }
                rest = {k: v for k, v in version.raw.items() if k not in _SOURCES}
                data["imported"] = {"format": FORMAT, "version": rest}
                item = self._event("edit", version.raw.get("start_checkpoint"), data)
                found.append((at, 0, len(found), item | {"source": version.source}))
        seen: set[str] = set()
        for at, checkpoint in enumerate(self._checkpoints):
            for target in checkpoint.get("targetCells") or []:
                name = str(target.get("cell", "")) if isinstance(target, dict) else ""
                if name.rpartition(".")[0] not in cell:
                    continue
                event = self._done(name, target, checkpoint.get("timestamp"), seen)
                if event:
                    found.append((at, 1, len(found), event))
        return [item for _, _, _, item in sorted(found, key=lambda row: row[:3])]

    def matched(self, notebook: list[tuple[str, str]]) -> dict[str, str]:
        """The notebook's ids of the last version's cells, where the sources agree."""
        left = list(notebook)
        ids: dict[str, str] = {}
        for artifact, source in self._last:
            place = next((n for n, (_, text) in enumerate(left) if text == source), None)
            if place is not None:
                ids[artifact] = left.pop(place)[0]
        return ids

    def _done(
        self, name: str, target: dict[str, Any], when: Any, seen: set[str]
    ) -> dict[str, Any] | None:
        """What a checkpoint says was done to a cell, beside editing it."""
        outputs = [str(one) for one in target.get("output") or []]
        data: dict[str, Any] = {"name": name, "imported": {"format": FORMAT, "change": target}}
        if target.get("changeType") == "removed":
            return self._event("delete", when, data)
        # A cell that was run has `output`, if only an empty one. What was said of it is said again
        # with each change of another cell, so only what is new counts.
        edited = {name} if target.get("changeType") == "edited" else set()
        if "output" not in target or seen.issuperset({*outputs, *edited}):
            return None
        seen.update(outputs, edited)
        data["outputs"] = [self._outputs.get(one) for one in outputs]
        source = self._source(name)
        event = self._event("run", when, data)
        return event if source is None else event | {"source": source}

    def _source(self, name: str) -> str | None:
        artifact, _, number = name.rpartition(".")
        versions = self._versions.get(artifact, [])
        return next((one.source for one in versions if str(one.number) == number), None)

    def _event(self, type_: str, when: Any, data: dict[str, Any]) -> dict[str, Any]:
        timestamp = time_of(when)
        return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})

    def _place(self, when: Any) -> int:
        """The checkpoint that a version belongs to; the last one before it, if it has none."""
        if when in self._order:
            return self._order[when]
        before = [n for time, n in self._order.items() if isinstance(when, int) and time < when]
        return max(before, default=0)

    def _origin(self, name: str) -> str | None:
        """The record that this one goes on from: one that is there, and not itself."""
        origins = (version.raw.get("origin") for version in self._versions[name])
        found = next((str(one).rpartition(".")[0] for one in origins if one), None)
        return found if found in self._versions and found != name else None

    def _records(self, value: Any, group: str) -> Iterator[dict[str, Any]]:
        if not isinstance(value, list | None):
            self.complaints.append(f"{group}: not a Verdant list")
        for number, record in enumerate(value if isinstance(value, list) else [], 1):
            whole = isinstance(record, dict) and isinstance(record.get("versions"), list)
            if whole and "artifact_name" in record:
                yield record
            else:
                self.complaints.append(f"{group} {number}: not a Verdant record")

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
