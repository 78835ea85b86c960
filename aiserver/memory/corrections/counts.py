"""The stored document about corrections: which substitutions a person made in which turns. Pure.

Invariants:

- A turn counts once for a substitution. Its substitutions replace those that were stored for it, so
  that repeated edits of a cell don't count twice, and a change that is taken back doesn't count.
- A turn that has led to a proposal doesn't count for the same proposal again.
- Only turns of the last ``PERIOD`` count, and only the newest ``MAX_TURNS`` are stored.
- A cell that somebody else has edited counts nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_type_hints

from ..entries import TurnSource
from .compare import Substitution

PERIOD = 30 * 24 * 3600.0  # seconds
MIN_TURNS, MIN_CELLS = 3, 2  # in which the same substitution leads to a proposal
MAX_TURNS = 200
MAX_FOREIGN = 1000  # cells
_MAX_NAME = 250
_KINDS = get_args(get_type_hints(Substitution)["kind"])


@dataclass(frozen=True)
class TurnCounts:
    """The substitutions of a turn, and the groups of those that have led to a proposal."""

    at: float
    substitutions: frozenset[Substitution]
    proposed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Repeated:
    """A substitution that leads to a proposal, with its turns, the newest one last."""

    substitution: Substitution
    turns: tuple[TurnSource, ...]


@dataclass
class Counts:
    """The document. ``foreign`` are the cells that somebody else has edited."""

    turns: dict[TurnSource, TurnCounts] = field(default_factory=dict)
    foreign: dict[tuple[str, str], None] = field(default_factory=dict)

    def set_foreign(self, cell: tuple[str, str]) -> None:
        """Let a cell count nothing from now on."""
        self.foreign.setdefault(cell)
        self.set_cell(cell, {}, 0.0)

    def set_cell(
        self,
        cell: tuple[str, str],
        turns: Mapping[int, tuple[float, Iterable[Substitution]]],
        now: float,
    ) -> None:
        """Replace the turns of a cell by others, with their times and substitutions."""
        old = {
            source: self.turns.pop(source)
            for source in list(self.turns)
            if (source.notebook_id, source.cell_id) == cell
        }
        for turn_id, (at, substitutions) in turns.items() if cell not in self.foreign else ():
            source = TurnSource(*cell, turn_id)
            proposed = old[source].proposed if source in old else frozenset()
            distinct = frozenset(substitutions)
            if distinct or proposed:
                self.turns[source] = TurnCounts(min(at, now), distinct, proposed)
        if turns:
            recent = [item for item in self.turns.items() if item[1].at > now - PERIOD]
            recent.sort(key=lambda item: item[1].at)
            self.turns = dict(recent[-MAX_TURNS:])

    def take_repeated(self) -> list[Repeated]:
        """Return the substitutions that lead to proposals now, and mark their turns.

        Of substitutions that say nearly the same, the one in most turns is returned, and of those
        with equally many, the most detailed.
        """
        best: dict[str, Repeated] = {}
        for repeated in self._repeated():
            group = repeated.substitution.group
            if group not in best or _rank(best[group]) < _rank(repeated):
                best[group] = repeated
        for source, counts in self.turns.items():
            groups = {s.group for s in counts.substitutions} & best.keys()
            if groups:
                proposed = counts.proposed | groups
                self.turns[source] = TurnCounts(counts.at, counts.substitutions, proposed)
        return list(best.values())

    def _repeated(self) -> Iterable[Repeated]:
        sources: dict[Substitution, list[TurnSource]] = {}
        for source, counts in sorted(self.turns.items(), key=lambda item: item[1].at):
            for substitution in counts.substitutions:
                if substitution.group not in counts.proposed:
                    sources.setdefault(substitution, []).append(source)
        for substitution, turns in sources.items():
            cells = {(turn.notebook_id, turn.cell_id) for turn in turns}
            if len(turns) >= MIN_TURNS and len(cells) >= MIN_CELLS:
                yield Repeated(substitution, tuple(turns))

    def encode(self) -> bytes | None:
        """Return the document as it is stored; None if it is empty."""
        if not self.turns and not self.foreign:
            return None
        turns = [
            source.to_dict()
            | {
                "at": counts.at,
                "substitutions": [
                    [s.kind, s.new, s.old, s.function] for s in sorted(counts.substitutions)
                ],
                "proposed": sorted(counts.proposed),
            }
            for source, counts in self.turns.items()
        ]
        foreign = [list(cell) for cell in list(self.foreign)[-MAX_FOREIGN:]]
        return (json.dumps({"turns": turns, "foreign": foreign}, indent=1) + "\n").encode()


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
        at = turn.get("at") if source else None
        if source and isinstance(at, int | float) and abs(at) < 1e12:
            counts.turns[source] = TurnCounts(
                float(at),
                frozenset(filter(None, map(_substitution, _list(turn.get("substitutions"))))),
                frozenset(text for text in _list(turn.get("proposed")) if isinstance(text, str)),
            )
    for cell in _list(fields.get("foreign"))[-MAX_FOREIGN:]:
        if _is_texts(cell, 2):
            counts.foreign[cell[0], cell[1]] = None
    return counts


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


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
