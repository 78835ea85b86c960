"""Find the origin of each line of a cell: the turn, person, agent or program. Pure.

Invariants:

- There is one origin for each line of the text (``text.split("\\n")``), for any session.
- The origin of a line is the step at which it appeared first in the versions that it was carried
  through. A version that comes back (by a restore, an undo, a late accept) keeps its origins.
- A suggestion is the model's, except for lines that were there when the model was asked.
- A line by a model, an agent or a program does not become a person's when that person brings it
  back: a page without the line overwrote it with older text, or it was deleted and undone (P40).
- A line that no step contains has no step: it isn't recorded yet, and its author is unknown (P40).
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

    ``copied_from`` (``brought`` when sent) is the step that wrote the line if that is a step of
    another cell, which was merged into this one or whose version was restored here. ``step`` and
    ``seq`` are then of the step that copied the line, the other fields of the origin. ``name`` is
    the name of the agent or program, if recorded. ``is_existing``: the line was there before
    anything was recorded of the cell.
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


class _Version:
    """A text and the origins of its lines."""

    def __init__(
        self, text: str, origins: Origins, former_lines: Mapping[str, Origin] | None = None
    ) -> None:
        self.text, self.origins = text, origins
        self.former_lines = former_lines or {}
        """Lines not by a person that the cell contained in any version up to this one."""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")


_EMPTY = _Version("", [UNRECORDED])


def blame(
    session: Session,
    *,
    step: int | None = None,
    source: str | None = None,
    others: Mapping[str, Session] | None = None,
) -> list[Origin]:
    """Return the origin of each line of ``source``, or of the cell's source after a step.

    The default step is the last one. Lines of ``source`` that no step contains have an unknown
    author. ``others`` are the sessions of the notebook by cell id, for lines from other cells.
    Raises IndexError if there is no such step.
    """
    steps = replay(session)
    if step is not None:
        steps = [*steps[:step], steps[step]]
    tracer = trace(session.meta.cell_id, steps, others or {})
    if source is None:
        return list(tracer.current.origins)
    return list(tracer.replaced_by(source, UNRECORDED).origins)


def trace(cell_id: str, steps: Sequence[Step], others: Mapping[str, Session]) -> Tracer:
    """Trace the lines of a cell through its steps."""
    tracer = Tracer(cell_id, others)
    for step in steps:
        tracer.add(step)
    return tracer


class Tracer:
    """Follows the steps of a cell and traces the lines of each version to their origins."""

    def __init__(
        self, cell_id: str, others: Mapping[str, Session], visited: frozenset[str] = frozenset()
    ) -> None:
        self._cell_id, self._others, self._visited = cell_id, others, visited | {cell_id}
        self.versions: list[_Version] = []
        """The code of each step; that of a turn is its suggestion, also if it was not accepted."""
        self._by_text: dict[str, _Version] = {}
        self._former_lines: dict[str, Origin] = {}
        self._last: Step | None = None
        self.current = _EMPTY
        """The cell's source after the last step."""

    def add(self, step: Step) -> _Version:
        """Add the next step; return the version of its code."""
        before = self.current
        if step.kind == "turn":
            version = self._suggestion(step)
        elif step.code == before.text and before is not _EMPTY:
            version = before
        else:
            version = self._changed(step)
        self.versions.append(version)
        self._by_text[version.text] = version
        if step.applied:
            self._add_former_lines(version)
            self.current = version
        self._last = step
        return version

    def _add_former_lines(self, version: _Version) -> None:
        """Remember the lines that are new to the cell."""
        new = set(version.lines).difference(self.current.lines)
        if new:
            for line, origin in zip(version.lines, version.origins, strict=True):
                if line in new and origin.author != "person" and is_distinctive(line):
                    self._former_lines[line.strip()] = origin

    def replaced_by(self, text: str, origin: Origin, *sources: _Version) -> _Version:
        """Return the version of a text that replaces the cell's source.

        An earlier version of the same text came back unchanged: by an undo, or as a copy.
        """
        existing = self._by_text.get(text)
        if existing is not None:
            return existing
        last = self._last
        if last is not None and last.kind == "turn" and not last.applied:
            sources = (*sources, self.versions[last.index])  # perhaps copied in part, by hand
        elif last is not None and (last.data or {}).get("again") is True:
            # Another page put its older text here; this page still has the text from before.
            sources = (*sources, self._by_text.get(last.before, _EMPTY))
        return _carry_over(text, [self.current, *sources], origin, self._former_lines, self.current)

    def _suggestion(self, step: Step) -> _Version:
        sources = [self.current]
        if step.base is not None:
            base_sources = [self.current]
            if step.parent is not None:
                base_sources.insert(0, self.versions[step.parent])
            unknown = Origin(step=step.index, seq=step.seq, timestamp=step.timestamp)
            sources.insert(0, _carry_over(step.base, base_sources, unknown))
        return _carry_over(step.code, sources, _origin(step))

    def _changed(self, step: Step) -> _Version:
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
        if step.event == "accept" and self._last is not None and self._last.applied:
            # The lines of rejected hunks are still those from before the answer.
            rejected = self._by_text.get(self._last.before, _EMPTY)
            return self.replaced_by(step.code, origin, rejected)
        return self.replaced_by(step.code, origin)

    def _copied_versions(self, step: Step) -> list[_Version]:
        """Return the versions of other cells that a merge or a restore copied, if recorded."""
        data = step.data or {}
        if step.kind == "merge" and isinstance(data.get("parents"), list):
            versions = [(parent, self._version_of(parent)) for parent in data["parents"]]
        elif step.kind == "restore":
            cell_id = data.get("from_cell")
            versions = [(cell_id, self._version_of(cell_id, step))]
        else:
            return []
        return [_copied(version, cell_id, step) for cell_id, version in versions if version]

    def _version_of(self, cell_id: object, restore: Step | None = None) -> _Version | None:
        """Return the version of another cell that was restored, or merged into this one.

        The version with the restored text has precedence over the one with the recorded seq, which
        a merge of branches may have changed.
        """
        session = self._others.get(cell_id) if isinstance(cell_id, str) else None
        if session is None or cell_id in self._visited:
            return None
        text, seq = "", None
        if restore is not None:
            data = restore.data or {}
            text, seq = restore.code, data.get("from_seq")
            if type(seq) is int:
                seq = current_seq(session.meta.merged, data.get("merged"), seq)
        tracer = Tracer(session.meta.cell_id, self._others, self._visited)
        at_seq: _Version | None = None
        for step in replay(session):
            version = tracer.add(step)
            if seq is not None and step.seq == seq:
                at_seq = version
                if version.text == text:
                    return version
            if step.kind == "merge" and (step.data or {}).get("into") == self._cell_id:
                break
        if at_seq is not None:
            return tracer._by_text.get(text, at_seq)
        return _Version(tracer.current.text, tracer.current.origins, tracer._former_lines)


def _carry_over(
    text: str,
    sources: Sequence[_Version],
    origin: Origin,
    former_lines: Mapping[str, Origin] | None = None,
    current: _Version | None = None,
) -> _Version:
    """Create the version of a new text; a line has the origin of the first source that matches it.

    Each source only matches lines that the sources before it left: a merged cell may contain the
    same line twice. The remaining lines have their origin in ``former_lines``, unless they are
    additional copies of lines of ``current``, or else the new ``origin``.
    """
    version = _Version(text, ())
    lines = version.lines
    origins: list[Origin | None] = [None] * len(lines)
    rest = list(range(len(lines)))
    for source in sources:
        if not rest or not source.text:
            continue
        matches = match_lines(source.lines, [lines[j] for j in rest])
        for j, i in zip(rest, matches, strict=True):
            if i is not None:
                origins[j] = source.origins[i]
        rest = [j for j in rest if origins[j] is None]
    if former_lines and rest:
        counts = Counter(line.strip() for line in current.lines) if current else Counter()
        moved = counts - Counter(lines[j].strip() for j in range(len(lines)) if origins[j])
        for j in rest:
            bare = lines[j].strip()
            if bare not in counts or moved[bare] > 0:
                moved[bare] -= 1
                origins[j] = former_lines.get(bare)
    version.origins = [match or origin for match in origins]
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
    """Return a version of another cell with origins that name the step that copied it."""
    copies = {origin: _copied_origin(origin, cell_id, step) for origin in set(version.origins)}
    former_lines = {
        line: _copied_origin(origin, cell_id, step) for line, origin in version.former_lines.items()
    }
    return _Version(version.text, [copies[origin] for origin in version.origins], former_lines)


def _copied_origin(origin: Origin, cell_id: str, step: Step) -> Origin:
    copied_from = origin.copied_from or CellStep(cell_id, origin.step, origin.seq)
    return replace(origin, step=step.index, seq=step.seq, copied_from=copied_from)
