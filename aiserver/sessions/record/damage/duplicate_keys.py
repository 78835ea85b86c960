"""Reads JSON objects in which keys are there several times, as careless merges leave them. Pure.

Invariants:

- Where a part of a session is there several times, each occurrence becomes a session of its own.
- Of any other key, ``Objects`` takes one value: the first in version 0, the second in version 1.
  So reading a text once for each version gives every value, and those that belong together in one.
"""

from __future__ import annotations

from typing import Any

from ..codec import PARTS

_MAX_VERSIONS = 8  # values of one key that are read


class _DuplicateDict(dict[str, Any]):
    """An object that is no record, in which a key is there several times."""


class ObjectReader:
    """Makes the objects of a JSON text; of keys that are there several times, one value each."""

    def __init__(self, version: int, *, drop_ambiguous: bool = False) -> None:
        """``drops_twice``: leave out all records in which a key is there several times."""
        self.versions = 1
        """How many values a key has at most."""
        self.is_mixed = False
        """Whether a record has a key several times, but its time once: it is of two records."""
        self._version, self._drops_twice = version, drop_ambiguous

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
        """An object; the sessions in it, where a part of a session is there twice."""
        plain = dict(pairs)
        has_duplicates = len(plain) < len(pairs)
        if has_duplicates or any(isinstance(value, _DuplicateDict) for value in plain.values()):
            if "timestamp" not in plain:
                plain = _DuplicateDict(plain)
            elif self._drops_twice:
                return {}
            else:
                self.is_mixed |= [name for name, _ in pairs].count("timestamp") == 1
        if not has_duplicates:
            return plain
        values: dict[str, list[Any]] = {}
        for name, value in pairs:
            some = values.setdefault(name, [])
            if value not in some and len(some) < _MAX_VERSIONS:
                some.append(value)
        for some in values.values():  # a merge by lines writes once what both sides have
            some[:] = [_fill_missing(value, some[-1]) for value in some]
        if any(len(values.get(part, [])) > 1 for part in PARTS):
            return _split_sessions(pairs, plain)
        self.versions = max(self.versions, *map(len, values.values()))
        for name, some in values.items():
            plain[name] = some[min(self._version, len(some) - 1)]
        return plain


def _fill_missing(value: Any, other: Any) -> Any:
    both_objects = isinstance(value, dict) and isinstance(other, dict)
    return other | value if both_objects else value


def _split_sessions(pairs: list[tuple[str, Any]], plain: dict[str, Any]) -> list[dict[str, Any]]:
    metas, turns, events = ([value for name, value in pairs if name == part] for part in PARTS)
    others = {name: value for name, value in plain.items() if name not in PARTS}
    sessions: list[dict[str, Any]] = [{"interactions": one, "events": []} for one in turns or [[]]]
    for place, some in enumerate(events):
        if len(events) != len(turns):
            place = _best_match(some, turns)
        sessions[place]["events"].append(some)
    return [*({"meta": meta} for meta in metas), sessions[0] | others, *sessions[1:]]


def _best_match(events: Any, turns: list[Any]) -> int:
    """The list of turns of which the events say most."""
    about = _turn_ids(events)
    overlaps = [len(about & _turn_ids(some)) for some in turns]
    return overlaps.index(max(overlaps)) if overlaps else 0


def _turn_ids(records: Any) -> set[int]:
    items = records if isinstance(records, list) else []
    found = (item.get("turn_id") for item in items if isinstance(item, dict))
    return {number for number in found if isinstance(number, int)}
