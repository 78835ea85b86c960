"""Import the ``.ipyhistory`` files of Verdant, an extension that records edits of notebooks.

A file contains lists of "artifacts". An artifact contains versions of one cell. Version n of the
artifact ``c1`` is named ``c1.n``. When a cell's type changes, Verdant starts a new artifact for the
cell. The new artifact's ``origin`` is the previous artifact.
"Checkpoints" record when cells were edited, run and deleted.

Each cell becomes one session with the events ``edit`` (with the exact source), ``run`` (with the
outputs) and ``delete``, in the order of the checkpoints.

If the notebook itself is in the same folder and has an id, the sessions get this notebook id. If
the last source of a cell in the history is the source of a cell in the notebook, the session gets
the id of the notebook's cell. All other ids are derived from the time of the first checkpoint and
the names of artifacts.
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
    # The time of the first checkpoint identifies the history even if the file is renamed.
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
    """Return the id of a notebook, and the id and source of each cell with an id."""
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
    """The artifacts and checkpoints of a file. An artifact is identified by its name."""

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
        """Yield the artifacts of each cell, with the oldest artifact first."""
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
        """Return the events of the cell with these artifacts, in the order of the checkpoints."""
        # Each event, preceded by the index of its checkpoint.
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
        """Return the ids of cells by artifact, each once: those with an artifact's last source.

        ``cells`` are the ids and sources of the notebook's cells.
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
        """Return the event for the run or deletion that a checkpoint records about a cell, or None.

        The names of the outputs and edited versions of a run are added to ``recorded_names``.
        """
        outputs = [str(name) for name in change.get("output") or []]
        data: dict[str, Any] = {"name": version, "imported": {"format": FORMAT, "change": change}}
        if change.get("changeType") == "removed":
            return _create_event("delete", time, data)
        # If the cell ran, `change` has an `output`, which may be an empty list. But checkpoints of
        # later changes to other cells repeat that `output`, so only new names indicate a run.
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
        """Return the index of the last checkpoint until this time, or 0."""
        if not isinstance(time, int):
            return 0
        if time in self._index_by_time:  # most do; going through all takes linear time
            return self._index_by_time[time]
        return max((n for other, n in self._index_by_time.items() if other < time), default=0)

    def _origin(self, artifact: str) -> str | None:
        origins = (raw.get("origin") for raw in self._versions[artifact].values())
        origin = next((str(value).rpartition(".")[0] for value in origins if value), None)
        return origin if origin in self._versions and origin != artifact else None

    def _valid_artifacts(
        self, content: dict[str, Any], list_name: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name and the versions of each complete artifact; report the incomplete ones."""
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
