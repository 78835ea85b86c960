"""Who wrote each line of a cell: which turn, person, agent or program. Pure.

What must hold:

- There is one origin for each line of the text (``text.split("\\n")``), whatever the session.
- An origin is the step at which the line came up first in the versions that it was carried
  through; a version that comes back (by a restore, an undo, a late accept) brings its own along.
- What a turn suggested is the model's, but for the lines that were there when it was asked.
- A line that a model, an agent or a program wrote is not the person's who brings it back: a window
  that did not know of it put its older text in its place, or it was deleted and undone (P40).
- A line that no step knows has no step, for nobody has noted it yet. Its author is
  unknown (P40).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..models import Session
from ..renumbering import current_seq
from .contributors import ContributorKind
from .lines import is_telling, matched
from .step import Step
from .steps import replay


@dataclass(frozen=True)
class Origin:
    """Where a line comes from; ``to_wire`` gives the ``BlameLine`` of ``rest-api.yml``.

    ``brought`` is where the line was written if that was in another cell (one that was merged into
    this one, or whose version was put here): then ``step`` and ``seq`` are those of the step that
    brought it, and the rest tells of the origin. ``name`` is the agent's or program's, where it is
    recorded. ``is_existing``: the line was there before anything was recorded of the cell.
    """

    author: ContributorKind = "unknown"
    step: int | None = None
    seq: int | None = None
    turn_id: int | None = None
    model: str | None = None
    intent: str | None = None
    timestamp: str | None = None
    brought: Brought | None = None
    name: str | None = None
    is_existing: bool = False

    def to_wire(self) -> dict[str, Any]:
        """The origin as sent: camelCase, without what does not apply."""
        optional = {
            "turnId": self.turn_id,
            "model": self.model,
            "intent": self.intent,
            "timestamp": self.timestamp,
            "brought": self.brought.to_wire() if self.brought else None,
            "name": self.name,
            "existing": self.is_existing or None,
        }
        known = {name: value for name, value in optional.items() if value is not None}
        return {"author": self.author, "step": self.step, "seq": self.seq, **known}


@dataclass(frozen=True)
class Brought:
    """A step of another cell."""

    cell_id: str
    step: int | None
    seq: int | None

    def to_wire(self) -> dict[str, Any]:
        """As sent: camelCase."""
        return {"cellId": self.cell_id, "step": self.step, "seq": self.seq}


Origins = Sequence[Origin]
NOT_NOTED = Origin()


class _Version:
    """A text and where its lines come from."""

    __slots__ = ("_lines", "earlier", "origins", "text")

    def __init__(
        self, text: str, origins: Origins, earlier: Mapping[str, Origin] | None = None
    ) -> None:
        self.text, self.origins = text, origins
        self.earlier = earlier or {}
        """Lines of others than the person that the cell held at any time up to this version."""
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines


_EMPTY = _Version("", [NOT_NOTED])


def blame(
    session: Session,
    *,
    step: int | None = None,
    source: str | None = None,
    others: Mapping[str, Session] | None = None,
    steps: Sequence[Step] | None = None,
) -> list[Origin]:
    """The origin of each line: of what the cell held after a step, or of ``source``, else now.

    ``source`` is what the cell holds now, which no step may know yet: what none knows has an
    unknown author. ``others`` are sessions of
    the notebook by cell, in which lines that came from there are looked up. ``steps`` saves reading
    them from the session once more. Raises IndexError if there is no such step.
    """
    steps = replay(session) if steps is None else steps
    if step is not None:
        steps = [*steps[:step], steps[step]]
    book = _Book(session.meta.cell_id, others or {})
    for one in steps:
        book.follow(one)
    if source is None:
        return list(book.held.origins)
    return list(book.written(source, NOT_NOTED).origins)


def held_by(cell_id: str, steps: Sequence[Step], others: Mapping[str, Session]) -> Sequence[Origin]:
    """The origin of each line that a cell held after the last of its steps."""
    book = _Book(cell_id, others)
    for one in steps:
        book.follow(one)
    return book.held.origins


def blames(
    session: Session,
    *,
    others: Mapping[str, Session] | None = None,
    steps: Sequence[Step] | None = None,
) -> list[list[Origin]]:
    """For each step the origin of each line of the ``code`` that it shows, read in one go.

    Of a turn that is its suggestion, whether the cell came to hold it or not.
    """
    book = _Book(session.meta.cell_id, others or {})
    return [list(book.follow(one).origins) for one in (replay(session) if steps is None else steps)]


class _Book:
    """Follows the steps of a cell, and knows of each version that there was who wrote it."""

    def __init__(
        self, cell_id: str, others: Mapping[str, Session], passed: frozenset[str] = frozenset()
    ) -> None:
        self._cell_id, self._others, self._passed = cell_id, others, passed | {cell_id}
        self._shown: list[_Version] = []
        self._by_text: dict[str, _Version] = {}
        self._earlier: dict[str, Origin] = {}
        self._last: Step | None = None
        self.held = _EMPTY
        """What the cell held after the last step."""

    @property
    def shown(self) -> _Version:
        """What the last step shows, which may be an answer that nobody accepted."""
        return self._shown[-1] if self._shown else _EMPTY

    def follow(self, step: Step) -> _Version:
        """Take in one more step; return what it shows."""
        before = self.held
        if step.kind == "turn":
            shown = self._suggested(step)
        elif step.code == before.text and before is not _EMPTY:
            shown = before
        else:
            shown = self._put(step)
        self._shown.append(shown)
        self._by_text[shown.text] = shown
        if step.applied:
            self._remember(shown)
            self.held = shown
        self._last = step
        return shown

    def _remember(self, version: _Version) -> None:
        """Take in the lines that are new to what the cell held."""
        fresh = set(version.lines).difference(self.held.lines)
        if fresh:
            for line, origin in zip(version.lines, version.origins, strict=True):
                if line in fresh and origin.author != "person" and is_telling(line):
                    self._earlier[line.strip()] = origin

    def written(self, text: str, origin: Origin, *beside: _Version) -> _Version:
        """A text that was put in place of what the cell held.

        One that there was before came back as it was: an undo, or a copy of it.
        """
        known = self._by_text.get(text)
        if known is not None:
            return known
        last = self._last
        if last is not None and last.kind == "turn" and not last.applied:
            beside = (*beside, self._shown[last.index])  # taken over by hand, perhaps in part
        elif last is not None and (last.data or {}).get("again") is True:
            # Another window put its older text here; this one still has what was here before.
            beside = (*beside, self._by_text.get(last.before, _EMPTY))
        return _carried(text, [self.held, *beside], origin, self._earlier, self.held)

    def _suggested(self, step: Step) -> _Version:
        sources = [self.held]
        if step.base is not None:
            asked_from = [self.held]
            if step.parent is not None:
                asked_from.insert(0, self._shown[step.parent])
            unknown = Origin(step=step.index, seq=step.seq, timestamp=step.timestamp)
            sources.insert(0, _carried(step.base, asked_from, unknown))
        return _carried(step.code, sources, _origin(step))

    def _put(self, step: Step) -> _Version:
        origin = _origin(step)
        if step.from_step is not None:
            from_version = self._shown[step.from_step]
            return _carried(step.code, [from_version, self.held], origin)
        brought = self._brought(step)
        if brought:
            earlier = self._earlier.copy()
            for version in brought:
                earlier |= version.earlier
            return _carried(step.code, [*brought, self.held], origin, earlier)
        if step.event == "accept" and self._last is not None and self._last.applied:
            # Hunks that were refused: their lines are still those from before the answer.
            refused = self._by_text.get(self._last.before, _EMPTY)
            return self.written(step.code, origin, refused)
        return self.written(step.code, origin)

    def _brought(self, step: Step) -> list[_Version]:
        """The versions of other cells that a merge or a restore has brought, if they are known."""
        data = step.data or {}
        if step.kind == "merge" and isinstance(data.get("parents"), list):
            found = [(parent, self._of_other(parent)) for parent in data["parents"]]
        elif step.kind == "restore":
            parent = data.get("from_cell")
            seq = self._seq_of_other(parent, data)
            found = [(parent, self._of_other(parent, seq=seq, text=step.code))]
        else:
            return []
        return [_told(version, parent, step) for parent, version in found if version]

    def _seq_of_other(self, cell_id: object, data: dict[str, Any]) -> object:
        """The record of another cell that a restore names, after merges of branches."""
        session = self._others.get(cell_id) if isinstance(cell_id, str) else None
        seq = data.get("from_seq")
        if session is None or type(seq) is not int:
            return seq
        return current_seq(session.meta.merged, data.get("merged"), seq)

    def _of_other(self, cell_id: object, *, seq: object = None, text: str = "") -> _Version | None:
        """What another cell held when it was merged into this one, or showed at a record.

        A merge of branches may have given the record another number: then the text finds it.
        """
        session = self._others.get(cell_id) if isinstance(cell_id, str) else None
        if session is None or cell_id in self._passed:
            return None
        book = _Book(session.meta.cell_id, self._others, self._passed)
        named: _Version | None = None
        for step in replay(session):
            book.follow(step)
            if seq is not None and step.seq == seq:
                named = book.shown
                if named.text == text:
                    return named
            if step.kind == "merge" and (step.data or {}).get("into") == self._cell_id:
                break
        if named is not None:
            return book._by_text.get(text, named)
        return _Version(book.held.text, book.held.origins, book._earlier)


def _carried(
    text: str,
    sources: Sequence[_Version],
    origin: Origin,
    earlier: Mapping[str, Origin] | None = None,
    held: _Version | None = None,
) -> _Version:
    """A new text: each line with the origin that the first of the sources has for it.

    Each source explains lines that those before it have left: a merged cell may hold the same line
    twice. What none explains is looked up in ``earlier``, unless it is one more of the lines that
    ``held`` has. Else it has the new ``origin``.
    """
    version = _Version(text, ())
    lines = version.lines
    origins: list[Origin | None] = [None] * len(lines)
    rest = list(range(len(lines)))
    for source in sources:
        if not rest or not source.text:
            continue
        for j, i in zip(rest, matched(source.lines, [lines[j] for j in rest]), strict=True):
            if i is not None:
                origins[j] = source.origins[i]
        rest = [j for j in rest if origins[j] is None]
    if earlier and rest:
        there = Counter(line.strip() for line in held.lines) if held else Counter()
        moved = there - Counter(lines[j].strip() for j in range(len(lines)) if origins[j])
        for j in rest:
            bare = lines[j].strip()
            if bare not in there or moved[bare] > 0:
                moved[bare] -= 1
                origins[j] = earlier.get(bare)
    version.origins = [known or origin for known in origins]
    return version


def _origin(step: Step) -> Origin:
    is_models = step.kind == "turn"
    return Origin(
        author=step.author,
        step=step.index,
        seq=step.seq,
        turn_id=step.turn_id if is_models else None,
        model=step.model if is_models else None,
        intent=step.title if is_models else None,
        timestamp=step.timestamp,
        name=step.name,
        is_existing=step.is_existing,
    )


def _told(version: _Version, cell_id: str, step: Step) -> _Version:
    """A version of another cell as this one has it: the step that brought it, and the origin."""
    made = {origin: _brought(origin, cell_id, step) for origin in set(version.origins)}
    earlier = {line: _brought(origin, cell_id, step) for line, origin in version.earlier.items()}
    return _Version(version.text, [made[origin] for origin in version.origins], earlier)


def _brought(origin: Origin, cell_id: str, step: Step) -> Origin:
    brought = origin.brought or Brought(cell_id, origin.step, origin.seq)
    return replace(origin, step=step.index, seq=step.seq, brought=brought)
