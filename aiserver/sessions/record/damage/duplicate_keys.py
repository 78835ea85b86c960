"""Read JSON objects with duplicate keys, as careless merges leave them. Pure.

Invariants:

- Each occurrence of a duplicate part of a session becomes a session of its own.
- For any other duplicate key, ``ObjectReader`` uses one value: the first in version 0, the second
  in version 1. So reading a text once per version gives every value, with related ones together.
"""

from __future__ import annotations

from typing import Any

from ..codec import PARTS

_MAX_VERSIONS = 8  # values of one key that are read


class _DuplicateDict(dict[str, Any]):
    """An object with duplicate keys that isn't a record."""


class ObjectReader:
    """Creates the objects of a JSON text, with one value for each duplicate key."""

    def __init__(self, version: int, *, drop_ambiguous: bool = False) -> None:
        """``drop_ambiguous``: leave out all records with duplicate keys."""
        self.versions = 1
        """The highest number of values of any key."""
        self.is_mixed = False
        """Whether a record has duplicate keys but one time, so it mixes two records."""
        self._version, self._drops_twice = version, drop_ambiguous

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
        """Return an object, or the sessions in it if parts of a session are duplicates."""
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
            versions = values.setdefault(name, [])
            if value not in versions and len(versions) < _MAX_VERSIONS:
                versions.append(value)
        for versions in values.values():  # a merge by lines writes common lines once
            versions[:] = [_fill_missing(value, versions[-1]) for value in versions]
        if any(len(values.get(part, [])) > 1 for part in PARTS):
            return _split_sessions(pairs, plain)
        self.versions = max(self.versions, *map(len, values.values()))
        for name, versions in values.items():
            plain[name] = versions[min(self._version, len(versions) - 1)]
        return plain


def _fill_missing(value: Any, other: Any) -> Any:
    both_objects = isinstance(value, dict) and isinstance(other, dict)
    return other | value if both_objects else value


def _split_sessions(pairs: list[tuple[str, Any]], plain: dict[str, Any]) -> list[dict[str, Any]]:
    metas, turns, events = ([value for name, value in pairs if name == part] for part in PARTS)
    others = {name: value for name, value in plain.items() if name not in PARTS}
    sessions: list[dict[str, Any]] = [
        {"interactions": items, "events": []} for items in turns or [[]]
    ]
    for index, items in enumerate(events):
        if len(events) != len(turns):
            index = _best_match(items, turns)
        sessions[index]["events"].append(items)
    return [*({"meta": meta} for meta in metas), sessions[0] | others, *sessions[1:]]


def _best_match(events: Any, turns: list[Any]) -> int:
    """Return the index of the list of turns to which most events refer."""
    turn_ids = _turn_ids(events)
    overlaps = [len(turn_ids & _turn_ids(items)) for items in turns]
    return overlaps.index(max(overlaps)) if overlaps else 0


def _turn_ids(records: Any) -> set[int]:
    items = records if isinstance(records, list) else []
    turn_ids = (item.get("turn_id") for item in items if isinstance(item, dict))
    return {turn_id for turn_id in turn_ids if isinstance(turn_id, int)}
