"""Read JSON objects with duplicate keys, which git produces if it merges a file by lines. Pure.

Invariants:

- If ``meta``, ``interactions`` or ``events`` occurs several times in a session, with different
  values, the session is split. Each ``meta`` and each list of turns (``interactions``) becomes an
  object of its own. Each list of events is added to an object with turns. If there are as many
  lists of events as lists of turns, they are paired in their order. Otherwise, a list of events is
  added to the list of turns with which it has the most turn ids in common.
- For any other duplicate key, an ``ObjectReader`` uses only one of the values. Its ``choice`` is
  the index of this value. If the key has fewer values, the reader uses the last one. To get all
  values, the caller reads the text several times, with the choices 0, 1, 2, … So each reading
  returns the values from one side of the merge.
"""

from __future__ import annotations

from typing import Any

from ..codec import SESSION_KEYS

_MAX_VALUES = 8  # further values of the same key are ignored


class _DuplicateDict(dict[str, Any]):
    """An object that isn't a record, but has duplicate keys or contains a ``_DuplicateDict``."""


class ObjectReader:
    """Creates the objects of a JSON text, and chooses one value for each duplicate key."""

    def __init__(self, choice: int, *, drop_ambiguous: bool = False) -> None:
        """Create a reader. With ``drop_ambiguous``, records with duplicate keys become ``{}``."""
        self.choice_count = 1
        """The largest number of different values that one key has in the objects built so far."""
        self.is_mixed = False
        """Whether an object mixes two records: it has duplicate keys but only one timestamp."""
        self._choice, self._drops_ambiguous = choice, drop_ambiguous

    def build_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
        """Return the object with these keys and values.

        If it is a session with duplicate keys, return the objects into which it is split.
        """
        content = dict(pairs)
        has_duplicates = len(content) < len(pairs)
        if has_duplicates or any(isinstance(value, _DuplicateDict) for value in content.values()):
            if "timestamp" not in content:  # only records have a timestamp
                content = _DuplicateDict(content)
            elif self._drops_ambiguous:
                return {}
            else:
                self.is_mixed |= [name for name, _ in pairs].count("timestamp") == 1
        if not has_duplicates:
            return content
        values: dict[str, list[Any]] = {}
        for name, value in pairs:
            key_values = values.setdefault(name, [])
            if value not in key_values and len(key_values) < _MAX_VALUES:
                key_values.append(value)
        for key_values in values.values():
            # If both sides have the same lines, git writes these lines only once. They are in the
            # last value, and the other values may lack them.
            key_values[:] = [_fill_missing(value, key_values[-1]) for value in key_values]
        if any(len(values.get(key, [])) > 1 for key in SESSION_KEYS):
            return _split_sessions(pairs, content)
        self.choice_count = max(self.choice_count, *map(len, values.values()))
        for name, key_values in values.items():
            content[name] = key_values[min(self._choice, len(key_values) - 1)]
        return content


def _fill_missing(value: Any, other: Any) -> Any:
    """Return ``value``; if both are objects, include the keys that only ``other`` has."""
    are_objects = isinstance(value, dict) and isinstance(other, dict)
    return other | value if are_objects else value


def _split_sessions(pairs: list[tuple[str, Any]], content: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a session that has a key of ``SESSION_KEYS`` several times; return the objects."""
    metas, turn_lists, event_lists = (
        [value for name, value in pairs if name == key] for key in SESSION_KEYS
    )
    unknown_keys = {name: value for name, value in content.items() if name not in SESSION_KEYS}
    sessions: list[dict[str, Any]] = [
        {"interactions": items, "events": []} for items in turn_lists or [[]]
    ]
    for index, items in enumerate(event_lists):
        # If there are as many lists of events as lists of turns, the first list of events belongs
        # to the first list of turns, and so on.
        if len(event_lists) != len(turn_lists):
            index = _best_match(items, turn_lists)
        sessions[index]["events"].append(items)
    return [*({"meta": meta} for meta in metas), sessions[0] | unknown_keys, *sessions[1:]]


def _best_match(events: Any, turn_lists: list[Any]) -> int:
    """Return the index of the list of turns that has the most turn ids in common with events."""
    turn_ids = _turn_ids(events)
    overlaps = [len(turn_ids & _turn_ids(items)) for items in turn_lists]
    return overlaps.index(max(overlaps)) if overlaps else 0


def _turn_ids(records: Any) -> set[int]:
    items = records if isinstance(records, list) else []
    turn_ids = (item.get("turn_id") for item in items if isinstance(item, dict))
    return {turn_id for turn_id in turn_ids if isinstance(turn_id, int)}
