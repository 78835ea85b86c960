"""The changes of DataFrames between the turns of a cell."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.replay import Step

from .session_builder import SessionBuilder


def frame(
    columns: dict[str, str], rows: int = 10, name: str = "sales", **more: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "pandas.DataFrame",
        "row_count": rows,
        "column_count": len(columns),
        "columns": [{"name": column, "dtype": dtype} for column, dtype in columns.items()],
        **more,
    }


OLD = {"city": "object", "price": "int64"}
NEW = {"price": "float64", "region": "object"}


def steps_of(*turns: list[dict[str, Any]] | None) -> list[Step]:
    """Return the steps of accepted turns with these DataFrames."""
    builder = SessionBuilder()
    code = ""
    for number, frames in enumerate(turns):
        fields = {} if frames is None else {"dataframes": frames}
        builder.accepted_turn(code, f"v{number}", **fields)
        code = f"v{number}"
    return builder.replay()


def test_columns_dtypes_and_rows_are_compared() -> None:
    first, last = steps_of([frame(OLD)], [frame(NEW, rows=130)])
    assert first.schema_changes is None
    assert first.to_wire()["dataframes"] == ["sales"]
    assert last.to_wire()["schemaChanges"] == [
        {
            "name": "sales",
            "added": [{"name": "region", "dtype": "object"}],
            "removed": [{"name": "city", "dtype": "object"}],
            "retyped": [{"name": "price", "before": "int64", "after": "float64"}],
            "addedCount": 1,
            "removedCount": 1,
            "retypedCount": 1,
            "rows": {"before": 10, "after": 130},
        }
    ]


def test_unchanged_and_new_frames_have_no_changes() -> None:
    first, second, third = steps_of([frame(OLD)], [frame(OLD), frame(NEW, name="new")], None)
    assert (first.schema_changes, second.schema_changes, third.schema_changes) == (None,) * 3
    assert second.dataframes == ["sales", "new"]
    assert {"dataframes", "schemaChanges"}.isdisjoint(third.to_wire())


def test_a_frame_is_compared_with_the_nearest_turn_that_has_it() -> None:
    steps = steps_of(
        [frame(OLD, rows=1)], [frame(OLD, rows=2)], None, [frame(OLD, name="other")], [frame(OLD)]
    )
    [change] = steps[-1].schema_changes or []
    assert change["rows"] == {"before": 2, "after": 10}


def test_turns_of_another_branch_are_not_compared() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a", dataframes=[frame(OLD, rows=1)])
    builder.accepted_turn("a", "b", dataframes=[frame(OLD, rows=2)])
    builder.event("restore", source="a", data={"from_seq": 1, "replaced": "b"})
    builder.turn("a", "c", dataframes=[frame(OLD, rows=3)])
    builder.turn("", "x", repeats_turn_id=1, dataframes=[frame(OLD, rows=4)])
    steps = builder.replay()
    [change] = steps[3].schema_changes or []
    assert change["rows"] == {"before": 1, "after": 3}
    assert steps[4].schema_changes is None


def test_failed_turns_count_too() -> None:
    builder = SessionBuilder()
    builder.turn("", "", status="error", intent="first", dataframes=[frame(OLD)])
    builder.turn("", "a", dataframes=[frame(NEW)])
    assert [bool(step.schema_changes) for step in builder.replay()] == [False, True]


def test_of_a_wide_frame_only_certain_changes_are_reported() -> None:
    wide = frame(OLD, column_count=500)
    _, step = steps_of([wide], [frame(NEW, column_count=503)])
    [change] = step.schema_changes or []
    assert (change["added"], change["removed"], change["retypedCount"]) == ([], [], 1)
    assert change["columns"] == {"before": 500, "after": 503}
    assert (
        steps_of([wide], [frame(dict(reversed(OLD.items())), column_count=500)])[1].schema_changes
        is None
    )


def test_dtypes_of_another_library_are_not_compared() -> None:
    _, step = steps_of([frame(OLD)], [frame({**OLD, "price": "Int64"}, kind="polars.DataFrame")])
    [change] = step.schema_changes or []
    assert change["retyped"] == []
    assert change["kind"] == {"before": "pandas.DataFrame", "after": "polars.DataFrame"}


def test_columns_with_the_same_name_count_as_one() -> None:
    def twice(dtype: str) -> dict[str, Any]:
        columns = [{"name": "a", "dtype": "int64"}, {"name": "a", "dtype": dtype}]
        return frame({}) | {"columns": columns, "column_count": 2}

    assert steps_of([twice("object")], [twice("object")])[1].schema_changes is None
    [change] = steps_of([twice("object")], [twice("bool")])[1].schema_changes or []
    assert change["retyped"] == [{"name": "a", "before": "int64, object", "after": "int64, bool"}]


def test_the_lists_are_bounded() -> None:
    many = {f"c{number}": "int64" for number in range(300)}
    frames = [frame(OLD, name=f"df{number}") for number in range(30)]
    changed = [frame(many, name=f"df{number}") for number in range(30)]
    _, step = steps_of(frames, changed)
    assert len(step.schema_changes or []) == 20
    change = (step.schema_changes or [])[0]
    assert (len(change["added"]), change["addedCount"], change["removedCount"]) == (20, 300, 2)


def test_names_of_long_ago_are_no_longer_compared() -> None:
    """So that many turns with many names don't need quadratic memory."""
    others = [[frame(OLD, name=f"df{number}")] for number in range(40)]
    assert steps_of([frame(OLD)], *others[:39], [frame(NEW)])[-1].schema_changes
    assert steps_of([frame(OLD)], *others, [frame(NEW)])[-1].schema_changes is None


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "sales", "price", "int64"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "kind", "dtype", "columns", "row_count", "column_count"]),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


FRAMES = st.lists(st.dictionaries(st.sampled_from(sorted(frame({}))), anything), max_size=3)


@given(st.lists(FRAMES, max_size=4))
def test_any_stored_frames_have_a_replay(turns: list[list[dict[str, Any]]]) -> None:
    for step in steps_of([frame(OLD)], *turns, [frame(OLD)]):
        json.dumps(step.to_wire(), allow_nan=False)


@pytest.mark.parametrize("count", [True, -1, 1.5, "3", 2**60, None])
def test_numbers_that_are_no_counts_are_ignored(count: object) -> None:
    _, step = steps_of([frame(OLD)], [frame(OLD, row_count=count)])
    assert step.schema_changes is None
