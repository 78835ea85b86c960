"""Find the origin of each line of a cell: the step that added the line, and its author. Pure.

Invariants:

- Each line gets exactly one origin, for any session: the step whose version was the first to
  contain it. If an earlier version comes back, its lines keep their origins.
- The author of a suggestion's lines, even corrected by AI Server, is the model, except for lines
  that the cell contained before.
- If a person brings back a distinctive line by a model, an agent or a program, it keeps its author.
- A line that no step contains has no step and an unknown author.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from ..merged_numbers import Renumberings
from ..models import Session
from ..payload import Payload, nullable
from .lines import is_distinctive, match_lines
from .step import Attempt, ContributorKind, Step
from .steps import replay


@dataclass(frozen=True)
class Origin(Payload):
    """The origin of a line.

    For a line from another cell (by a merge or a restore), ``copied_from`` is
    the step that wrote it there, and ``step`` and ``seq`` are those of the step that copied it.
    ``name`` is that of the agent or program, ``run`` the id of the agent's run, and ``intent`` that
    of the request or of the agent. ``is_existing``: the cell had the line before anything was
    recorded.
    """

    author: ContributorKind = "unknown"
    step: int | None = nullable()
    seq: int | None = nullable()
    turn_id: int | None = None
    model: str | None = None
    intent: str | None = None
    timestamp: str | None = None
    copied_from: CellStep | None = None
    name: str | None = None
    is_existing: Literal[True] | None = None
    run: str | None = None


@dataclass(frozen=True)
class CellStep(Payload):
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
        """The origins of earlier lines by others than people, by their stripped texts."""

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

    ``step`` is the last one to read. Lines of other cells are found in ``session_by_cell``. Raises
    IndexError without such a step.
    """
    steps = replay(session)
    if step is not None:
        steps = [*steps[:step], steps[step]]
    tracer = trace(session.meta.cell_id, steps, session_by_cell or {})
    if source is None:
        return list(tracer.current.origins)
    return list(tracer.version_for(source, UNRECORDED).origins)


def trace(cell_id: str, steps: Sequence[Step], session_by_cell: Mapping[str, Session]) -> Tracer:
    """Return a ``Tracer`` that has read these steps."""
    tracer = Tracer(cell_id, session_by_cell)
    for step in steps:
        tracer.add(step)
    return tracer


class Tracer:
    """Reads a cell's steps one by one, and finds the origins of each version's lines."""

    def __init__(
        self,
        cell_id: str,
        session_by_cell: Mapping[str, Session],
        visited: frozenset[str] = frozenset(),
    ) -> None:
        self._cell_id, self._session_by_cell = cell_id, session_by_cell
        # Two cells may have copied lines from each other.
        self._visited = visited | {cell_id}
        self.versions: list[_Version] = []
        self._version_by_text: dict[str, _Version] = {}
        self._former_lines: dict[str, Origin] = {}
        self._last_step: Step | None = None
        self._origin_by_turn: dict[int | None, Origin] = {}
        self._text_before_accept = ""
        self._attempt_versions: list[_Version] = []
        self.current = _EMPTY
        """The version of the cell's source after the last step."""

    def add(self, step: Step) -> _Version:
        """Read the next step, and return its version."""
        previous = self.current
        if step.kind == "turn":
            sources = self._sources_of_request(step)
            version = _carry_over(step.code, sources, _origin(step))
            self._attempt_versions = [
                self._attempt_version(step, attempt, sources) for attempt in step.attempts or ()
            ]
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
        if step.kind == "turn":
            self._origin_by_turn[step.turn_id] = _origin(step)
        if step.kind in ("turn", "accept"):
            self._text_before_accept = step.before
        return version

    def _add_former_lines(self, version: _Version) -> None:
        new_lines = set(version.lines).difference(self.current.lines)
        if new_lines:
            for line, origin in zip(version.lines, version.origins, strict=True):
                if line in new_lines and origin.author != "person" and is_distinctive(line):
                    self._former_lines[line.strip()] = origin

    def version_for(self, text: str, origin: Origin, *sources: _Version) -> _Version:
        """Return the version for a text that replaces the cell's source.

        A text that comes back has its earlier version. Otherwise, lines of the current version, of
        ``sources`` and of ``_former_lines`` keep their origins; others get ``origin``.
        """
        earlier_version = self._version_by_text.get(text)
        if earlier_version is not None:
            return earlier_version
        last = self._last_step
        if last is not None and last.kind == "turn" and not last.applied:
            sources = (*sources, self.versions[last.index], *self._attempt_versions)
        elif last is not None and (last.data or {}).get("again") is True:
            # Another page overwrote it with an older text, whose lines may now come back.
            sources = (*sources, self._version_by_text.get(last.before, _EMPTY))
        return _carry_over(text, [self.current, *sources], origin, self._former_lines, self.current)

    def _attempt_version(
        self, step: Step, attempt: Attempt, sources: Sequence[_Version]
    ) -> _Version:
        origin = replace(_origin(step), turn_id=attempt.turn_id, model=attempt.model)
        version = _carry_over(attempt.code, sources, origin)
        self._origin_by_turn[attempt.turn_id] = origin
        self._version_by_text.setdefault(attempt.code, version)
        return version

    def _sources_of_request(self, step: Step) -> list[_Version]:
        sources = [self.current]
        if step.base is not None:
            base_sources = [self.current]
            if step.parent is not None:
                base_sources.insert(0, self.versions[step.parent])
            # It isn't recorded who changed the code that was sent.
            base_origin = Origin(step=step.index, seq=step.seq, timestamp=step.timestamp)
            sources.insert(0, _carry_over(step.base, base_sources, base_origin))
        return sources

    def _changed_version(self, step: Step) -> _Version:
        origin = _origin(step)
        if step.from_step is not None:
            from_version = self.versions[step.from_step]
            if from_version.text != step.code:  # it may be an answer that the step doesn't show
                from_version = self._version_by_text.get(step.code, from_version)
            return _carry_over(step.code, [from_version, self.current], origin)
        copied = self._copied_versions(step)
        if copied:
            former_lines = self._former_lines.copy()
            for version in copied:
                former_lines |= version.former_lines
            return _carry_over(step.code, [*copied, self.current], origin, former_lines)
        if step.kind == "edit" and step.event == "accept":
            suggested = self._origin_by_turn.get(step.turn_id)
            if step.is_correction and suggested is not None:
                return self.version_for(step.code, suggested)
            # Rejected hunks have the lines from before the suggestion.
            version_before = self._version_by_text.get(self._text_before_accept, _EMPTY)
            return self.version_for(step.code, origin, version_before)
        return self.version_for(step.code, origin)

    def _copied_versions(self, step: Step) -> list[_Version]:
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
        """Return another cell's version that was copied into this cell, or None.

        It is what ``restore`` restored, or the last one before a merge. A merge of git branches may
        have changed its seq; then a version with the restored text is preferred.
        """
        session = self._session_by_cell.get(cell_id) if isinstance(cell_id, str) else None
        if session is None or cell_id in self._visited:
            return None
        text, seq = "", None
        if restore is not None:
            data = restore.data or {}
            text, seq = restore.code, data.get("from_seq")
            if type(seq) is int:
                seq = Renumberings(session.meta.merged).current_seq(data.get("merged"), seq)
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
    """Determine the origins of a new text's lines.

    The lines are compared with one source after another; matching lines keep the origin. Of the
    others, those in ``former_lines`` get that origin, except for surplus copies of lines of
    ``current``, and the rest gets ``origin``.
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
        # How often each line of ``current`` has no match in the text.
        unmatched_counts = current_counts - matched_counts
        for j in unmatched:
            stripped = lines[j].strip()
            if stripped not in current_counts or unmatched_counts[stripped] > 0:
                unmatched_counts[stripped] -= 1
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
        intent=step.title if is_turn else step.title or None,
        timestamp=step.timestamp,
        name=step.name,
        is_existing=step.is_existing or None,
        run=step.run,
    )


def _copied(version: _Version, cell_id: str, step: Step) -> _Version:
    copies = {origin: _copied_origin(origin, cell_id, step) for origin in set(version.origins)}
    former_lines = {
        line: _copied_origin(origin, cell_id, step) for line, origin in version.former_lines.items()
    }
    return _Version(version.text, [copies[origin] for origin in version.origins], former_lines)


def _copied_origin(origin: Origin, cell_id: str, step: Step) -> Origin:
    copied_from = origin.copied_from or CellStep(cell_id, origin.step, origin.seq)
    return replace(origin, step=step.index, seq=step.seq, copied_from=copied_from)
