"""The stored document about corrections: which substitutions a person made in which turns. Pure.

Invariants:

- A turn counts once for a substitution. Its substitutions replace those that were stored for it, so
  that repeated edits of a cell don't count twice, and a change that is taken back doesn't count.
- A substitution that has led to a proposal, or that the person has forgotten, isn't stored any
  longer. Only a hash and a date remain, so that only newer turns count for it.
- What is older than ``PERIOD`` is removed by ``prune``, and only the newest ``MAX_TURNS`` are
  stored.
- A cell that somebody else has edited counts nothing during ``PERIOD``. Its older turns don't count
  afterwards, either, and the edits come before its newer turns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args, get_type_hints

from ..entries import TurnSource
from .compare import Substitution

PERIOD = 30 * 24 * 3600.0  # seconds
MIN_TURNS, MIN_CELLS = 3, 2  # in which the same substitution leads to a proposal
MAX_TURNS = 200
MAX_FOREIGN = 1000  # cells; if there are more, nothing counts, because the oldest aren't stored
_MAX_DISMISSED = 500
_MAX_NAME = 250
_HASH_LENGTH = 16
_KINDS = get_args(get_type_hints(Substitution)["kind"])
_Key = TypeVar("_Key")


@dataclass(frozen=True)
class TurnCounts:
    """The substitutions of a turn. ``at`` is the time of the turn in seconds."""

    at: float
    substitutions: frozenset[Substitution]


@dataclass(frozen=True)
class Repeated:
    """A substitution that leads to a proposal, with its turns, the newest one last."""

    substitution: Substitution
    turns: tuple[TurnSource, ...]


@dataclass
class Counts:
    """The document about corrections.

    ``foreign`` are the cells that somebody else has edited, with the time of the last edit.
    ``dismissed`` are hashes of the groups that were proposed or forgotten, with the time of the
    newest turn that doesn't count for them.
    """

    turns: dict[TurnSource, TurnCounts] = field(default_factory=dict)
    foreign: dict[tuple[str, str], float] = field(default_factory=dict)
    dismissed: dict[str, float] = field(default_factory=dict)

    def prune(self, now: float) -> None:
        """Remove what is too old, and the oldest of what is too much."""
        recent = [(source, c) for source, c in self.turns.items() if c.at > now - PERIOD]
        recent.sort(key=lambda item: item[1].at)
        self.turns = dict(recent[-MAX_TURNS:])
        self.foreign = newest(self.foreign, MAX_FOREIGN, now - PERIOD)
        self.dismissed = newest(self.dismissed, _MAX_DISMISSED, now - PERIOD)

    def set_foreign(self, cell: tuple[str, str], at: float) -> None:
        """Let a cell count nothing after an edit by somebody else."""
        self.foreign[cell] = max(at, self.foreign.get(cell, at))
        self.set_cell(cell, {}, at)

    def set_cell(
        self,
        cell: tuple[str, str],
        turns: Mapping[int, tuple[float, Iterable[Substitution]]],
        now: float,
    ) -> None:
        """Replace the turns of a cell by others, with their times and substitutions.

        A turn of the future, which a wrong clock has recorded, doesn't count yet.
        """
        self.drop([s for s in self.turns if (s.notebook_id, s.cell_id) == cell])
        if cell in self.foreign or len(self.foreign) >= MAX_FOREIGN:
            return
        for turn_id, (at, substitutions) in turns.items():
            if at <= now:
                counts = TurnCounts(at, frozenset(substitutions))
                self.turns[TurnSource(*cell, turn_id)] = counts
        self._drop_dismissed()

    def drop(self, sources: Iterable[TurnSource]) -> None:
        """Remove turns, for example those that were deleted."""
        for source in sources:
            self.turns.pop(source, None)

    def dismiss(self, group: str) -> None:
        """Let all turns that count for a group now count for it no longer."""
        self._dismiss(
            group,
            max((c.at for c in self.turns.values() if group in _groups(c)), default=0.0),
        )

    def forget(self, is_forgotten: Callable[[Substitution], bool], now: float) -> None:
        """Let no present turn count for the groups of some substitutions."""
        distinct = {s for counts in self.turns.values() for s in counts.substitutions}
        for group in {s.group for s in distinct if is_forgotten(s)}:
            self._dismiss(group, now)

    def _dismiss(self, group: str, at: float) -> None:
        key = _hash(group)
        self.dismissed[key] = max(at, self.dismissed.get(key, at))
        self._drop_dismissed()

    def _drop_dismissed(self) -> None:
        """Remove the substitutions that are dismissed, and turns without substitutions."""
        for source, counts in list(self.turns.items()):
            counting = frozenset(
                s
                for s in counts.substitutions
                if counts.at > self.dismissed.get(_hash(s.group), float("-inf"))
            )
            if not counting:
                del self.turns[source]
            elif counting != counts.substitutions:
                self.turns[source] = TurnCounts(counts.at, counting)

    def repeated(self) -> list[Repeated]:
        """Return the substitutions that lead to proposals now.

        Of substitutions that say nearly the same, the one in most turns is returned, and of those
        with equally many, the most detailed.
        """
        best: dict[str, Repeated] = {}
        for repeated in self._all_repeated():
            group = repeated.substitution.group
            if group not in best or _rank(best[group]) < _rank(repeated):
                best[group] = repeated
        return list(best.values())

    def _all_repeated(self) -> Iterable[Repeated]:
        sources: dict[Substitution, list[TurnSource]] = {}
        for source, counts in sorted(self.turns.items(), key=lambda item: item[1].at):
            for substitution in counts.substitutions:
                sources.setdefault(substitution, []).append(source)
        for substitution, turns in sources.items():
            cells = {(turn.notebook_id, turn.cell_id) for turn in turns}
            if len(turns) >= MIN_TURNS and len(cells) >= MIN_CELLS:
                yield Repeated(substitution, tuple(turns))

    def encode(self) -> bytes | None:
        """Return the document as it is stored; None if it is empty."""
        if not (self.turns or self.foreign or self.dismissed):
            return None
        turns = [
            source.to_dict()
            | {
                "at": counts.at,
                "substitutions": [
                    [s.kind, s.new, s.old, s.function] for s in sorted(counts.substitutions)
                ],
            }
            for source, counts in self.turns.items()
        ]
        fields = {
            "turns": turns,
            "foreign": [[*cell, at] for cell, at in self.foreign.items()],
            "dismissed": self.dismissed,
        }
        return (json.dumps(fields, indent=1) + "\n").encode()


def parse(data: bytes | None) -> Counts:
    """Return the stored document. What is invalid in it is left out."""
    try:
        stored = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return Counts()
    fields = stored if isinstance(stored, dict) else {}
    counts = Counts()
    for turn in _list(fields.get("turns"))[-MAX_TURNS:]:
        source = TurnSource.from_dict(turn)
        distinct = frozenset(
            filter(None, map(_substitution, _list(turn.get("substitutions")))) if source else ()
        )
        if source and distinct and _is_time(turn.get("at")):
            counts.turns[source] = TurnCounts(float(turn["at"]), distinct)
    for cell in _list(fields.get("foreign"))[-MAX_FOREIGN:]:
        if isinstance(cell, list) and _is_texts(cell[:2], 2) and _is_time(*cell[2:]):
            counts.foreign[cell[0], cell[1]] = float(cell[2])
    dismissed = fields.get("dismissed")
    for key, at in dismissed.items() if isinstance(dismissed, dict) else ():
        if len(key) == _HASH_LENGTH and _is_time(at):
            counts.dismissed[key] = float(at)
    return counts


def newest(times: Mapping[_Key, float], limit: int, after: float) -> dict[_Key, float]:
    """Return at most ``limit`` items, the newest of those after a time, oldest first."""
    recent = sorted((item for item in times.items() if item[1] > after), key=lambda item: item[1])
    return dict(recent[-limit:])


def _groups(counts: TurnCounts) -> Collection[str]:
    return {substitution.group for substitution in counts.substitutions}


def _hash(group: str) -> str:
    return hashlib.sha256(group.encode()).hexdigest()[:_HASH_LENGTH]


def _rank(repeated: Repeated) -> tuple[int, int, Substitution]:
    substitution = repeated.substitution
    return len(repeated.turns), len(substitution.new + substitution.old), substitution


def _substitution(fields: Any) -> Substitution | None:
    if not _is_texts(fields, 4) or fields[0] not in _KINDS:
        return None
    return Substitution(*fields)


def _is_texts(value: Any, length: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == length
        and all(isinstance(text, str) and len(text) <= _MAX_NAME for text in value)
    )


def _is_time(*values: Any) -> bool:
    return (
        len(values) == 1
        and isinstance(values[0], int | float)
        and not isinstance(values[0], bool)
        and abs(values[0]) < 1e12
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
