"""Import the ``.ipyhistory`` files of Verdant, an extension that records edits of notebooks.

An "artifact" contains versions of one cell: ``c1.n`` is version n of ``c1``. When a cell's type
changes, a new artifact begins, whose ``origin`` is the previous one. "Checkpoints" record when
cells were edited, run and deleted.

Each cell becomes a session with events ``edit``, ``run`` (with outputs) and ``delete``, in the
order of the checkpoints.

A notebook in the same folder gives its id, if it has one, and those of cells whose source is the
last one in the history. All other ids are derived from the time of the first checkpoint and the
artifacts' names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....models import is_id
from .base import (
    InputFile,
    ReadResult,
    UnreadableInput,
    create_session,
    derive_id,
    load_json,
    to_timestamp,
)

FORMAT = "verdant"
_CELL_TYPE_BY_LIST = {"codeCells": "code", "markdownCells": "markdown", "rawCells": "raw"}
_SOURCE_FIELDS = ("literal", "markdown")


def read(file: InputFile) -> ReadResult:
    """Convert each cell of a Verdant history to a session."""
    content = load_json(file.data)
    if not isinstance(content, dict) or not isinstance(content.get("checkpoints"), list):
        raise UnreadableInput("not a Verdant history")
    history = _History(content)
    notebook_id, notebook_cells = _parse_notebook(file.notebook)
    # The first time identifies the history even if the file is renamed.
    name = f"{history.first_time}"
    id_by_artifact = history.match_ids(notebook_cells)
    result = ReadResult(unreadable=history.problems)
    for artifacts in history.cells():
        events = history.events_of(artifacts)
        if events:
            origin = {"format": FORMAT, "name": artifacts[0], "file": file.path.stem}
            matched_ids = (id_by_artifact[each] for each in artifacts if each in id_by_artifact)
            cell_id = next(matched_ids, None) or derive_id(FORMAT, name, artifacts[0])
            session_id = notebook_id or derive_id(FORMAT, name)
            result.sessions.append(create_session(session_id, cell_id, events, origin=origin))
    return result


def _parse_notebook(data: bytes | None) -> tuple[str | None, list[tuple[str, str]]]:
    try:
        content = load_json(data or b"")
        cells = [
            (cell["id"], "".join(cell["source"]))
            for cell in content["cells"]
            if isinstance(cell.get("id"), str) and is_id(cell["id"])
        ]
        notebook_id = (content["metadata"].get("aiserver") or {}).get("notebook_id")
    except (UnreadableInput, KeyError, TypeError, AttributeError):
        return None, []
    return notebook_id if isinstance(notebook_id, str) and is_id(notebook_id) else None, cells


class _History:
    """A file's artifacts, by name, and checkpoints."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.problems: list[str] = []
        self._cell_types: dict[str, str] = {}
        """The cell type of each artifact."""
        self._versions: dict[str, dict[str, dict[str, Any]]] = {}
        """The versions of each artifact, by the version's name (``c1.0``, ``c1.1``, …)."""
        self._checkpoints = [value for value in content["checkpoints"] if isinstance(value, dict)]
        times = [checkpoint.get("timestamp") for checkpoint in self._checkpoints]
        self._index_by_time = {time: n for n, time in enumerate(times) if isinstance(time, int)}
        self.first_time = self._checkpoints[0].get("timestamp", 0) if self._checkpoints else 0
        for list_name, cell_type in _CELL_TYPE_BY_LIST.items():
            for name, versions in self._valid_artifacts(content, list_name):
                self._cell_types[name] = cell_type
                valid = {key: raw for key, raw in versions.items() if isinstance(raw, dict)}
                self._versions[name] = valid
        self._outputs: dict[str, Any] = {}
        for _, versions in self._valid_artifacts(content, "output"):
            self._outputs |= versions
        self._notebook: Any = content.get("notebook")

    def cells(self) -> Iterator[list[str]]:
        artifacts_by_oldest: dict[str, list[str]] = {}
        for artifact in self._versions:
            oldest, visited = artifact, {artifact}
            while (earlier := self._origin(oldest)) and earlier not in visited:
                oldest = earlier
                visited.add(oldest)
            artifacts_by_oldest.setdefault(oldest, []).append(artifact)
        for oldest, artifacts in artifacts_by_oldest.items():
            yield [oldest, *(artifact for artifact in artifacts if artifact != oldest)]

    def events_of(self, artifacts: list[str]) -> list[dict[str, Any]]:
        # Each event with the index of its checkpoint.
        numbered_events: list[tuple[int, dict[str, Any]]] = []
        for artifact in artifacts:
            for version, raw in self._versions[artifact].items():
                time = raw.get("start_checkpoint")
                other_fields = {k: v for k, v in raw.items() if k not in _SOURCE_FIELDS}
                data = {
                    "name": version,
                    "cell_type": self._cell_types[artifact],
                    "imported": {"format": FORMAT, "version": other_fields},
                }
                event = _create_event("edit", time, data) | {"source": _source_in(raw)}
                numbered_events.append((self._checkpoint_index(time), event))
        recorded_names: set[str] = set()
        for index, checkpoint in enumerate(self._checkpoints):
            for change in checkpoint.get("targetCells") or []:
                version = str(change.get("cell", "")) if isinstance(change, dict) else ""
                if version.rpartition(".")[0] not in artifacts:
                    continue
                time = checkpoint.get("timestamp")
                run_or_deletion = self._run_or_deletion(version, change, time, recorded_names)
                if run_or_deletion:
                    numbered_events.append((index, run_or_deletion))
        return [event for _, event in sorted(numbered_events, key=lambda pair: pair[0])]

    def match_ids(self, cells: list[tuple[str, str]]) -> dict[str, str]:
        """Return cell ids by artifact, each once: a cell must have the artifact's last source.

        ``cells`` are the notebook's ids and sources.
        """
        try:
            last_versions = [str(name) for name in self._notebook["versions"][-1]["cells"]]
        except (KeyError, TypeError, IndexError):
            return {}
        unmatched_cells = list(cells)
        id_by_artifact: dict[str, str] = {}
        for version in last_versions:
            source = self._source_of(version)
            match = next((cell for cell in unmatched_cells if cell[1] == source), None)
            if match:
                unmatched_cells.remove(match)
                id_by_artifact[version.rpartition(".")[0]] = match[0]
        return id_by_artifact

    def _run_or_deletion(
        self, version: str, change: dict[str, Any], time: Any, recorded_names: set[str]
    ) -> dict[str, Any] | None:
        """Return the event of a run or deletion, or None.

        Names of a run's outputs and edited versions are added to ``recorded_names``.
        """
        outputs = [str(name) for name in change.get("output") or []]
        data: dict[str, Any] = {"name": version, "imported": {"format": FORMAT, "change": change}}
        if change.get("changeType") == "removed":
            return _create_event("delete", time, data)
        # After a run, there is an `output`, perhaps empty. Checkpoints of other cells repeat it, so
        # only new names mean a run.
        edited = {version} if change.get("changeType") == "edited" else set()
        if "output" not in change or recorded_names.issuperset({*outputs, *edited}):
            return None
        recorded_names.update(outputs, edited)
        data["outputs"] = [self._outputs.get(output) for output in outputs]
        source = self._source_of(version)
        event = _create_event("run", time, data)
        return event if source is None else event | {"source": source}

    def _source_of(self, version: str) -> str | None:
        raw = self._versions.get(version.rpartition(".")[0], {}).get(version)
        return None if raw is None else _source_in(raw)

    def _checkpoint_index(self, time: Any) -> int:
        if not isinstance(time, int):
            return 0
        if time in self._index_by_time:  # most times are in it; going through all takes longer
            return self._index_by_time[time]
        return max((n for other, n in self._index_by_time.items() if other < time), default=0)

    def _origin(self, artifact: str) -> str | None:
        origins = (raw.get("origin") for raw in self._versions[artifact].values())
        origin = next((str(value).rpartition(".")[0] for value in origins if value), None)
        return origin if origin in self._versions and origin != artifact else None

    def _valid_artifacts(
        self, content: dict[str, Any], list_name: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        artifacts = content.get(list_name)
        if not isinstance(artifacts, list | None):
            self.problems.append(f"{list_name}: not a Verdant list")
        for number, artifact in enumerate(artifacts if isinstance(artifacts, list) else [], 1):
            versions = artifact.get("versions") if isinstance(artifact, dict) else None
            if isinstance(versions, list) and "artifact_name" in artifact:
                name = str(artifact["artifact_name"])
                yield name, {f"{name}.{index}": raw for index, raw in enumerate(versions)}
            else:
                self.problems.append(f"{list_name} {number}: not a Verdant record")


def _create_event(type_: str, time: Any, data: dict[str, Any]) -> dict[str, Any]:
    timestamp = to_timestamp(time)
    return {"type": type_, "data": data} | ({"timestamp": timestamp} if timestamp else {})


def _source_in(raw: dict[str, Any]) -> str:
    return next((raw[name] for name in _SOURCE_FIELDS if isinstance(raw.get(name), str)), "")
