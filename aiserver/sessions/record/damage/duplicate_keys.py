"""Read JSON objects with duplicate keys, which merging files line by line can produce. Pure.

Invariants:

- If ``meta``, ``interactions`` or ``events`` occurs several times in a session, each occurrence
  becomes a session of its own.
- For any other duplicate key, an ``ObjectReader`` uses one value: the first value if its ``choice``
  is 0, the second if it is 1, and so on. So reading a text once per choice returns all values, and
  the values that belong together are read together.
"""

from __future__ import annotations

from typing import Any

from ..codec import SESSION_KEYS

_MAX_VALUES = 8  # values of one key that are read


class _DuplicateDict(dict[str, Any]):
    """An object with duplicate keys, in itself or in an object inside, that isn't a record."""


class ObjectReader:
    """Creates the objects of a JSON text, with one value for each duplicate key."""

    def __init__(self, choice: int, *, drop_ambiguous: bool = False) -> None:
        """``drop_ambiguous``: leave out all records with duplicate keys."""
        self.choice_count = 1
        """The highest number of values of any key."""
        self.is_mixed = False
        """Whether a record has duplicate keys but only one timestamp, so it mixes two records."""
        self._choice, self._drops_ambiguous = choice, drop_ambiguous

    def build_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
        """Return an object, or several sessions if it is a session with duplicate keys."""
        plain = dict(pairs)
        has_duplicates = len(plain) < len(pairs)
        if has_duplicates or any(isinstance(value, _DuplicateDict) for value in plain.values()):
            if "timestamp" not in plain:
                plain = _DuplicateDict(plain)
            elif self._drops_ambiguous:
                return {}
            else:
                self.is_mixed |= [name for name, _ in pairs].count("timestamp") == 1
        if not has_duplicates:
            return plain
        values: dict[str, list[Any]] = {}
        for name, value in pairs:
            choices = values.setdefault(name, [])
            if value not in choices and len(choices) < _MAX_VALUES:
                choices.append(value)
        for choices in values.values():
            # A merge by lines writes lines that both sides share only once, so in the last value.
            choices[:] = [_fill_missing(value, choices[-1]) for value in choices]
        if any(len(values.get(key, [])) > 1 for key in SESSION_KEYS):
            return _split_sessions(pairs, plain)
        self.choice_count = max(self.choice_count, *map(len, values.values()))
        for name, choices in values.items():
            plain[name] = choices[min(self._choice, len(choices) - 1)]
        return plain


def _fill_missing(value: Any, other: Any) -> Any:
    """Return an object with the keys of another object that it lacks; else the value itself."""
    both_objects = isinstance(value, dict) and isinstance(other, dict)
    return other | value if both_objects else value


def _split_sessions(pairs: list[tuple[str, Any]], plain: dict[str, Any]) -> list[dict[str, Any]]:
    metas, turns, events = ([value for name, value in pairs if name == key] for key in SESSION_KEYS)
    unknown_keys = {name: value for name, value in plain.items() if name not in SESSION_KEYS}
    sessions: list[dict[str, Any]] = [
        {"interactions": items, "events": []} for items in turns or [[]]
    ]
    for index, items in enumerate(events):
        if len(events) != len(turns):
            index = _best_match(items, turns)
        sessions[index]["events"].append(items)
    return [*({"meta": meta} for meta in metas), sessions[0] | unknown_keys, *sessions[1:]]


def _best_match(events: Any, turns: list[Any]) -> int:
    """Return the index of the list of turns to which most events refer."""
    turn_ids = _turn_ids(events)
    overlaps = [len(turn_ids & _turn_ids(items)) for items in turns]
    return overlaps.index(max(overlaps)) if overlaps else 0


def _turn_ids(records: Any) -> set[int]:
    items = records if isinstance(records, list) else []
    turn_ids = (item.get("turn_id") for item in items if isinstance(item, dict))
    return {turn_id for turn_id in turn_ids if isinstance(turn_id, int)}
