"""A reference model of a store, built from dictionaries without code of ``aiserver``.

Times are omitted, since nothing depends on clocks. Where a store raises, the model returns None, or
raises ``Stale`` with the revision that StaleRevision must contain.
"""

from __future__ import annotations

import copy
import json
from collections import defaultdict
from typing import Any

Item = dict[str, Any]
Key = tuple[str, str, str]
NUMBERS = ("turn_id", "seq", "parent_turn_id")


class Stale(Exception):
    """The write must be rejected; the argument is the current revision."""


class PlainSession:
    """The turns and events of a cell, in order."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.revision = 0
        self.forked_from: Item | None = None
        self.has_events = False

    @property
    def turns(self) -> list[Item]:
        return [item for item in self.items if "user_request" in item]

    @property
    def events(self) -> list[Item]:
        return [item for item in self.items if "user_request" not in item]

    def add(self, item: Item) -> Item:
        added = item | {"seq": len(self.items) + 1}
        if "user_request" in item:
            added["turn_id"] = len(self.turns) + 1
        else:
            self.has_events = True
        self.items.append(added)
        return added

    def history(self) -> list[Item]:
        remaining: list[Item] = []
        for item in self.items:
            if "user_request" in item:
                remaining.append(item)
            elif item["type"] == "context_reset":
                remaining.clear()
        return remaining

    def row(self) -> Item:
        turns = self.turns
        codes = [
            item["ai_response"]["suggestion"] if "user_request" in item else item.get("source")
            for item in self.items
        ]
        newest = [code for code in codes if code][-1:] or [""]
        return {
            "turns": len(turns),
            "failed": sum(turn["ai_response"]["status"] != "success" for turn in turns),
            "events": len(self.events),
            "revision": self.revision,
            "last_intent": turns[-1]["user_request"]["intent"] if turns else "",
            "last_status": turns[-1]["ai_response"]["status"] if turns else None,
            "last_source": newest[0],
        }


class Plain:
    """All data of a store."""

    def __init__(self) -> None:
        self.sessions: dict[Key, PlainSession] = {}
        self.logs: dict[tuple[str, str], list[Item]] = {}
        self.blobs: set[tuple[str, bytes]] = set()

    def save(self, key: Key, turn: Item, if_revision: int | None) -> tuple[Item, int]:
        session = self._writing(key, if_revision)
        saved = session.add(turn)
        session.revision += 1
        self.sessions[key] = session
        return saved, session.revision

    def record(
        self, key: Key, events: list[Item], if_revision: int | None
    ) -> tuple[list[Item], int]:
        session = self._writing(key, if_revision)
        size, saved = len(session.items), []
        for event in events:
            existing = [e for e in session.events if "id" in event and e.get("id") == event["id"]]
            saved.append(existing[0] if existing else session.add(event))
        if len(session.items) > size:
            session.revision += 1
            self.sessions[key] = session
        return saved, session.revision

    def fork(self, source: Key, target: Key) -> PlainSession | None:
        if target not in self.sessions:
            if source not in self.sessions:
                return None
            session = copy.deepcopy(self.sessions[source])
            origin = {"notebook_id": source[1], "cell_id": source[2], "revision": session.revision}
            session.forked_from, session.revision = origin, 1
            self.sessions[target] = session
        return self.sessions[target]

    def merge_copy(self, key: Key, other: PlainSession, skip: int) -> bool:
        ours = self.sessions.get(key)
        merged_digests = {_content_key(item) for item in other.items[:skip]}
        if ours is None and not merged_digests:
            self.sessions[key] = copy.deepcopy(other)
            self.sessions[key].revision = other.revision or (0 if other.items else 1)
            return True
        ours = ours or PlainSession()
        existing: dict[str, list[int | None]] = defaultdict(list)
        for item in ours.items:
            existing[_content_key(item)].append(_turn(item))
        numbers: dict[int, int | None] = {}
        before = len(ours.items)
        for item in other.items:
            if alike := existing[_content_key(item)]:
                number = alike.pop(0)
            elif _content_key(item) in merged_digests:
                continue
            else:
                number = _turn(ours.add(_renumbered(item, numbers)))
            if "user_request" in item:
                numbers[item["turn_id"]] = number
        if len(ours.items) == before:
            return False
        ours.revision += 1
        self.sessions[key] = ours
        return True

    def delete(self, key: Key, if_revision: int | None) -> bool:
        if key not in self.sessions:
            return False
        self._writing(key, if_revision)
        del self.sessions[key]
        return True

    def rows(self, owner: str, notebook_id: str | None) -> list[Item]:
        return [
            {"notebook_id": key[1], "cell_id": key[2]} | session.row()
            for key, session in sorted(self.sessions.items())
            if key[0] == owner and notebook_id in (None, key[1])
        ]

    def owners(self) -> set[str]:
        keys: list[tuple[Any, ...]] = [*self.sessions, *self.logs, *self.blobs]
        return {key[0] for key in keys}

    def _writing(self, key: Key, if_revision: int | None) -> PlainSession:
        session = self.sessions.get(key) or PlainSession()
        if if_revision not in (None, session.revision):
            raise Stale(session.revision)
        return session


def _content_key(item: Item) -> str:
    return json.dumps({k: v for k, v in item.items() if k not in NUMBERS}, sort_keys=True)


def _turn(item: Item) -> int | None:
    return item["turn_id"] if "user_request" in item else None


def _renumbered(item: Item, numbers: dict[int, int | None]) -> Item:
    """Return an item of another store with the new numbers of turns, to be appended."""
    name = "parent_turn_id" if "user_request" in item else "turn_id"
    fresh = {k: v for k, v in item.items() if k not in NUMBERS}
    if item.get(name) is not None and numbers.get(item[name]) is not None:
        fresh[name] = numbers[item[name]]
    return fresh
