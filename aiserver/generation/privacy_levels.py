"""The values of a DataFrame that a model may get, by the privacy level that the person has chosen.

Invariants:

- A model on another machine gets no statistics at the level ``schema``, and no rows below
  ``sample``, whatever else the client sends. It never gets examples.
- Statistics contain no value of a column that isn't of numbers or dates. If fewer than
  ``MIN_VALUES`` values of a column aren't missing, or their number is unknown, nothing but the
  numbers of rows and of missing values is given.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from ..models import Interaction
from ..prompts.data_texts import is_date, is_number
from ..requests import ColumnProfile, ColumnStatistics, DataFrameProfile

MIN_VALUES = 5


def permitted_values(frame: DataFrameProfile, *, on_this_machine: bool) -> DataFrameProfile:
    """Return a DataFrame's profile with the values that the model may get."""
    has_statistics = on_this_machine or frame.level != "schema"
    has_rows = on_this_machine or frame.level == "sample"
    columns = [
        column.model_copy(
            update={
                "examples": column.examples if on_this_machine else [],
                "statistics": safe_statistics(column) if has_statistics else None,
            }
        )
        for column in frame.columns
    ]
    index = [
        level.model_copy(
            update={"examples": level.examples if on_this_machine else [], "statistics": None}
        )
        for level in frame.index
    ]
    sample = frame.sample if has_rows else None
    return frame.model_copy(update={"columns": columns, "index": index, "sample": sample})


def safe_statistics(column: ColumnProfile) -> ColumnStatistics | None:
    """Return the statistics of a column that say nothing about single values."""
    statistics = column.statistics
    if statistics is None:
        return None
    rows, missing = statistics.rows, statistics.missing
    if missing is None or rows - missing < MIN_VALUES:
        return ColumnStatistics(rows=rows, missing=missing)
    distinct = statistics.distinct
    if is_number(column.dtype):
        return _without_texts(statistics)
    if is_date(column.dtype):
        bounds = {"min": _text(statistics.min), "max": _text(statistics.max)}
        return ColumnStatistics(rows=rows, missing=missing, distinct=distinct, **bounds)
    return ColumnStatistics(rows=rows, missing=missing, distinct=distinct)


def _without_texts(statistics: ColumnStatistics) -> ColumnStatistics:
    bounds = {"min": statistics.min, "max": statistics.max}
    numbers = {name: None if isinstance(bound, str) else bound for name, bound in bounds.items()}
    if statistics.rows - (statistics.missing or 0) < 4 * MIN_VALUES:
        numbers["quartiles"] = None  # each quarter must be a group of `MIN_VALUES`
    return statistics.model_copy(update=numbers)


def _text(bound: float | str | None) -> str | None:
    return bound if isinstance(bound, str) else None


def schema_only(frame: DataFrameProfile) -> DataFrameProfile:
    """Return a DataFrame's profile without any value."""
    schema = frame.model_copy(update={"level": "schema"})
    return permitted_values(schema, on_this_machine=False)


def stored_frame(frame: DataFrameProfile) -> dict[str, Any]:
    """Return a DataFrame's profile as the turn stores it: without rows, statistics by its level."""
    safe = permitted_values(frame, on_this_machine=False)
    fields = safe.model_dump(exclude={"sample": True, "level": frame.level == "schema"})
    for column in [*fields["columns"], *fields["index"]]:
        del column["examples"]
        if column["statistics"] is None:
            del column["statistics"]
        else:
            given = column["statistics"].items()
            column["statistics"] = {name: value for name, value in given if value is not None}
    return fields


def last_frames(history: list[Interaction]) -> list[DataFrameProfile]:
    """Return the DataFrames of the newest turn that has valid ones, without values; or []."""
    for turn in reversed(history):
        if turn.dataframes:
            # Another tool or a later version may have stored other fields or values. These must not
            # prevent a request in the cell.
            try:
                names = DataFrameProfile.model_fields
                frames = [
                    DataFrameProfile.model_validate({k: v for k, v in frame.items() if k in names})
                    for frame in turn.dataframes
                ]
                return [schema_only(frame) for frame in frames]
            except ValidationError:
                return []
    return []
