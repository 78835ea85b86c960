"""Find out which DataFrames have changed between two turns of a cell. Pure.

A DataFrame is compared with that of the same name in the nearest earlier turn on the branch. A
change is reported only if it is certain: a turn may have only the first columns. Invalid data of
other tools is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..models import Interaction
from .step import Step

_MAX_FRAMES = 20  # DataFrames reported for a turn
_MAX_FOLLOWED = 40  # names compared with a later turn
_MAX_COLUMNS = 20  # columns in each list; the counts contain all
_MAX_COUNT = 2**53  # larger numbers aren't exact in the page


def add_dataframes(steps: Sequence[Step], turns: Iterable[Interaction]) -> None:
    """Set the DataFrames of steps, and how they have changed. Needs ``parent``."""
    stored = {turn.turn_id: turn.dataframes for turn in turns if turn.dataframes}
    if not stored:
        return
    # For each step, the DataFrames of the latest turns up to it, by name.
    latest: list[dict[str, _Frame]] = []
    for step in steps:
        former = {} if step.parent is None else latest[step.parent]
        turn_id = step.turn_id if step.kind == "turn" else None
        frames = _frames(stored.get(turn_id) if turn_id is not None else None)
        if frames:
            step.dataframes = list(frames)
            changes = [
                change
                for name, frame in frames.items()
                if name in former and (change := _change(name, former[name], frame))
            ]
            step.schema_changes = changes[:_MAX_FRAMES] or None
        latest.append(_latest(former, frames) if frames else former)


def _latest(former: dict[str, _Frame], frames: dict[str, _Frame]) -> dict[str, _Frame]:
    older = {name: frame for name, frame in former.items() if name not in frames}
    return dict(list({**older, **frames}.items())[-_MAX_FOLLOWED:])


@dataclass(frozen=True, slots=True)
class _Frame:
    kind: str | None
    columns: list[Any]
    row_count: int | None
    column_count: int | None

    @property
    def has_all_columns(self) -> bool:
        return self.column_count is None or self.column_count <= len(self.columns)


def _frames(stored: object) -> dict[str, _Frame]:
    frames = {}
    for item in stored if isinstance(stored, list) else []:
        if isinstance(item, dict) and isinstance(item.get("columns"), list):
            name, kind = item.get("name"), item.get("kind")
            if isinstance(name, str) and name and name not in frames:
                frames[name] = _Frame(
                    kind if isinstance(kind, str) else None,
                    item["columns"],
                    _count(item.get("row_count")),
                    _count(item.get("column_count")),
                )
    return frames


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < _MAX_COUNT else None


def _dtypes(columns: Iterable[object]) -> dict[str, str]:
    """Return the dtype of each column; columns with the same name count as one."""
    dtypes: dict[str, str] = {}
    for column in columns:
        if isinstance(column, dict):
            name, dtype = column.get("name"), column.get("dtype")
            if isinstance(name, str) and isinstance(dtype, str):
                dtypes[name] = f"{dtypes[name]}, {dtype}" if name in dtypes else dtype
    return dtypes


def _change(name: str, before: _Frame, after: _Frame) -> dict[str, Any] | None:
    lists: dict[str, list[dict[str, str]]] = {"added": [], "removed": [], "retyped": []}
    is_certain = before.has_all_columns and after.has_all_columns
    is_same_kind = before.kind == after.kind
    if before.columns != after.columns:
        old, new = _dtypes(before.columns), _dtypes(after.columns)
        if is_certain:
            lists["added"] = _missing_columns(new, old)
            lists["removed"] = _missing_columns(old, new)
        if is_same_kind:  # another library has other names for the same dtypes
            lists["retyped"] = [
                {"name": column, "before": dtype, "after": new[column]}
                for column, dtype in old.items()
                if new.get(column, dtype) != dtype
            ]
    pairs: dict[str, tuple[object, object]] = {
        "kind": (before.kind, after.kind),
        "rows": (before.row_count, after.row_count),
    }
    if not is_certain:
        pairs["columns"] = (before.column_count, after.column_count)
    changed = {
        key: {"before": first, "after": last}
        for key, (first, last) in pairs.items()
        if first != last and None not in (first, last)
    }
    if not changed and not any(lists.values()):
        return None
    return {
        "name": name,
        **{key: columns[:_MAX_COLUMNS] for key, columns in lists.items()},
        **{f"{key}Count": len(columns) for key, columns in lists.items()},
        **changed,
    }


def _missing_columns(dtypes: dict[str, str], others: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "dtype": dtype} for name, dtype in dtypes.items() if name not in others]
