"""Find the origin of each line of a cell: the turn, person, agent or program. Pure.

Invariants:

- There is one origin for each line of the text (``text.split("\\n")``), for any session.
- The origin of a line is the step whose version was the first to contain it; later versions carried
  the line over. A version that comes back (by a restore, an undo, a late accept) keeps the origins
  of its lines.
- The lines of a suggestion are the model's, except for those that the cell already contained when
  the model was asked.
- A line by a model, an agent or a program doesn't become a person's line when a person restores it
  after it was deleted, or after another page overwrote the cell with an older text.
- The origin of a line that no step contains has no step and an unknown author: the change that
  added the line isn't recorded yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ..models import Session
from ..renumbering import current_seq
from .contributors import ContributorKind
from .lines import is_distinctive, match_lines
from .step import Step
from .steps import replay


@dataclass(frozen=True)
class Origin:
    """The origin of a line; ``to_wire`` gives the ``BlameLine`` of ``rest-api.yml``.

    A line may have been written in another cell, which was merged into this cell or whose version
    was restored here. Then ``copied_from`` (sent as ``brought``) is the step of the other cell that
    wrote the line, ``step`` and ``seq`` identify the step of this cell that copied it, and all
    other fields describe the step that wrote it.

    ``name`` is the name of the agent or program, if recorded. ``is_existing`` means that the cell
    contained the line before anything about the cell was recorded.
    """

    author: ContributorKind = "unknown"
    step: int | None = None
    seq: int | None = None
    turn_id: int | None = None
    model: str | None = None
    intent: str | None = None
    timestamp: str | None = None
    copied_from: CellStep | None = None
    name: str | None = None
    is_existing: bool = False

    def to_wire(self) -> dict[str, Any]:
        """Return the origin as sent: camelCase, without None values except ``step`` and ``seq``."""
        source = self.copied_from
        optional = {
            "turnId": self.turn_id,
            "model": self.model,
            "intent": self.intent,
            "timestamp": self.timestamp,
            "brought": source
            and {"cellId": source.cell_id, "step": source.step, "seq": source.seq},
            "name": self.name,
            "existing": self.is_existing or None,
        }
        present = {name: value for name, value in optional.items() if value is not None}
        return {"author": self.author, "step": self.step, "seq": self.seq, **present}


class CellStep(NamedTuple):
    """A step of another cell."""

    cell_id: str
    step: int | None
    seq: int | None


Origins = Sequence[Origin]
UNRECORDED = Origin()
"""The origin of a line that no step contains."""


class _Version:
    """A text and the origins of its lines."""

    def __init__(
        self, text: str, origins: Origins, former_lines: Mapping[str, Origin] | None = None
    ) -> None:
        self.text, self.origins = text, origins
        self.former_lines = former_lines or {}
        """The origins of the lines, without indentation, that no person wrote and that this or an
        earlier version of the cell contained."""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")


_EMPTY = _Version("", [UNRECORDED])


def blame(
    session: Session,
    *,
    step: int | None = None,
    source: str | None = None,
    session_by_cell: Mapping[str, Session] | None = None,
) -> list[Origin]:
    """Return the origin of each line of ``source``, or of the cell's source after a step.

    ``step`` is the index of the last step to read; by default, all steps are read. Lines of
    ``source`` that no step contains have an unknown author. ``session_by_cell`` are the sessions of
    the notebook, for lines that came from other cells. Raises IndexError if there is no such step.
    """
    steps = replay(session)
    if step is not None:
        steps = [*steps[:step], steps[step]]
    tracer = trace(session.meta.cell_id, steps, session_by_cell or {})
    if source is None:
        return list(tracer.current.origins)
    return list(tracer.version_for(source, UNRECORDED).origins)


def trace(cell_id: str, steps: Sequence[Step], session_by_cell: Mapping[str, Session]) -> Tracer:
    """Trace the lines of a cell through its steps."""
    tracer = Tracer(cell_id, session_by_cell)
    for step in steps:
        tracer.add(step)
    return tracer


class Tracer:
    """Reads the steps of a cell one by one and finds the origins of the lines of each version."""

    def __init__(
        self,
        cell_id: str,
        session_by_cell: Mapping[str, Session],
        visited: frozenset[str] = frozenset(),
    ) -> None:
        self._cell_id, self._session_by_cell = cell_id, session_by_cell
        self._visited = visited | {cell_id}  # cells whose lines may not be followed in a circle
        self.versions: list[_Version] = []
        """The code of each step. The code of a turn is its suggestion, even if not accepted."""
        self._version_by_text: dict[str, _Version] = {}
        self._former_lines: dict[str, Origin] = {}
        self._last_step: Step | None = None
        self.current = _EMPTY
        """The cell's source after the last step."""

    def add(self, step: Step) -> _Version:
        """Add the next step, and return the version of its code."""
        previous = self.current
        if step.kind == "turn":
            version = self._suggested_version(step)
        elif step.code == previous.text and previous is not _EMPTY:
            version = previous
        else:
            version = self._changed_version(step)
        self.versions.append(version)
        self._version_by_text[version.text] = version
        if step.applied:
            self._add_former_lines(version)
            self.current = version
        self._last_step = step
        return version

    def _add_former_lines(self, version: _Version) -> None:
        """Remember the origins of lines that are new in this version and by no person."""
        new_lines = set(version.lines).difference(self.current.lines)
        if new_lines:
            for line, origin in zip(version.lines, version.origins, strict=True):
                if line in new_lines and origin.author != "person" and is_distinctive(line):
                    self._former_lines[line.strip()] = origin

    def version_for(self, text: str, origin: Origin, *sources: _Version) -> _Version:
        """Return the version for a text that replaces the cell's source.

        If an earlier version has the same text, it came back unchanged, by an undo or as a copy,
        and is returned. Otherwise, lines may come from the cell's current version and from
        ``sources``; ``origin`` is the origin of all other lines.
        """
        earlier_version = self._version_by_text.get(text)
        if earlier_version is not None:
            return earlier_version
        last = self._last_step
        if last is not None and last.kind == "turn" and not last.applied:
            # The person may have copied lines of the suggestion.
            sources = (*sources, self.versions[last.index])
        elif last is not None and (last.data or {}).get("again") is True:
            # In the last step, another page saved its older text over the text of this page, from
            # which lines may now come back.
            sources = (*sources, self._version_by_text.get(last.before, _EMPTY))
        return _carry_over(text, [self.current, *sources], origin, self._former_lines, self.current)

    def _suggested_version(self, step: Step) -> _Version:
        sources = [self.current]
        if step.base is not None:
            base_sources = [self.current]
            if step.parent is not None:
                base_sources.insert(0, self.versions[step.parent])
            base_origin = Origin(step=step.index, seq=step.seq, timestamp=step.timestamp)
            sources.insert(0, _carry_over(step.base, base_sources, base_origin))
        return _carry_over(step.code, sources, _origin(step))

    def _changed_version(self, step: Step) -> _Version:
        origin = _origin(step)
        if step.from_step is not None:
            from_version = self.versions[step.from_step]
            return _carry_over(step.code, [from_version, self.current], origin)
        copied = self._copied_versions(step)
        if copied:
            former_lines = self._former_lines.copy()
            for version in copied:
                former_lines |= version.former_lines
            return _carry_over(step.code, [*copied, self.current], origin, former_lines)
        if step.event == "accept" and self._last_step is not None and self._last_step.applied:
            # Where a hunk was rejected, the lines are still those from before the answer.
            version_before = self._version_by_text.get(self._last_step.before, _EMPTY)
            return self.version_for(step.code, origin, version_before)
        return self.version_for(step.code, origin)

    def _copied_versions(self, step: Step) -> list[_Version]:
        """Return the versions of other cells that a merge or restore copied, if recorded."""
        data = step.data or {}
        if step.kind == "merge" and isinstance(data.get("parents"), list):
            versions = [(parent, self._version_in_cell(parent)) for parent in data["parents"]]
        elif step.kind == "restore":
            cell_id = data.get("from_cell")
            versions = [(cell_id, self._version_in_cell(cell_id, step))]
        else:
            return []
        return [_copied(version, cell_id, step) for cell_id, version in versions if version]

    def _version_in_cell(self, cell_id: object, restore: Step | None = None) -> _Version | None:
        """Return the version of another cell that ``restore`` copied.

        Without ``restore``, return the version of the other cell when it was merged into this cell.
        The version at the recorded seq may have another text than the restored text, because a
        merge of git branches may have changed the seq. Then a version with the restored text is
        preferred.
        """
        session = self._session_by_cell.get(cell_id) if isinstance(cell_id, str) else None
        if session is None or cell_id in self._visited:
            return None
        text, seq = "", None
        if restore is not None:
            data = restore.data or {}
            text, seq = restore.code, data.get("from_seq")
            if type(seq) is int:
                seq = current_seq(session.meta.merged, data.get("merged"), seq)
        tracer = Tracer(session.meta.cell_id, self._session_by_cell, self._visited)
        version_at_seq: _Version | None = None
        for step in replay(session):
            version = tracer.add(step)
            if seq is not None and step.seq == seq:
                version_at_seq = version
                if version.text == text:
                    return version
            if step.kind == "merge" and (step.data or {}).get("into") == self._cell_id:
                break
        if version_at_seq is not None:
            return tracer._version_by_text.get(text, version_at_seq)
        return _Version(tracer.current.text, tracer.current.origins, tracer._former_lines)


def _carry_over(
    text: str,
    sources: Sequence[_Version],
    origin: Origin,
    former_lines: Mapping[str, Origin] | None = None,
    current: _Version | None = None,
) -> _Version:
    """Create the version for a new text, with the origins of the lines that it took over.

    The lines are matched with those of each source in turn, and a line gets the origin of the line
    that it matches. Each source is only compared with lines that no earlier source matched: if two
    merged cells contain the same line, the merged cell contains it twice. A line that no source
    matches has its origin in ``former_lines``, unless it is an additional copy of a line of
    ``current``. All other lines have the new ``origin``.
    """
    version = _Version(text, ())
    lines = version.lines
    origins: list[Origin | None] = [None] * len(lines)
    unmatched = list(range(len(lines)))
    for source in sources:
        if not unmatched or not source.text:
            continue
        matches = match_lines(source.lines, [lines[j] for j in unmatched])
        for j, i in zip(unmatched, matches, strict=True):
            if i is not None:
                origins[j] = source.origins[i]
        unmatched = [j for j in unmatched if origins[j] is None]
    if former_lines and unmatched:
        current_counts = Counter(line.strip() for line in current.lines) if current else Counter()
        matched_counts = Counter(lines[j].strip() for j in range(len(lines)) if origins[j])
        moved_counts = current_counts - matched_counts
        for j in unmatched:
            stripped = lines[j].strip()
            if stripped not in current_counts or moved_counts[stripped] > 0:
                moved_counts[stripped] -= 1
                origins[j] = former_lines.get(stripped)
    version.origins = [line_origin or origin for line_origin in origins]
    return version


def _origin(step: Step) -> Origin:
    is_turn = step.kind == "turn"
    return Origin(
        author=step.author,
        step=step.index,
        seq=step.seq,
        turn_id=step.turn_id if is_turn else None,
        model=step.model if is_turn else None,
        intent=step.title if is_turn else None,
        timestamp=step.timestamp,
        name=step.name,
        is_existing=step.is_existing,
    )


def _copied(version: _Version, cell_id: str, step: Step) -> _Version:
    """Return a version of another cell whose origins name the step of this cell that copied it."""
    copies = {origin: _copied_origin(origin, cell_id, step) for origin in set(version.origins)}
    former_lines = {
        line: _copied_origin(origin, cell_id, step) for line, origin in version.former_lines.items()
    }
    return _Version(version.text, [copies[origin] for origin in version.origins], former_lines)


def _copied_origin(origin: Origin, cell_id: str, step: Step) -> Origin:
    copied_from = origin.copied_from or CellStep(cell_id, origin.step, origin.seq)
    return replace(origin, step=step.index, seq=step.seq, copied_from=copied_from)
