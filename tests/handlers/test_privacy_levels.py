"""P15, P43: the values of DataFrames at each privacy level, on the wire and on disk."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from ..conftest import request

# No part of a time of day: the files that are searched contain times.
NUMBERS = {"rows": 891, "missing": 7, "distinct": 88, "min": 0.42, "max": 80, "mean": 4711.5} | {
    "quartiles": [20.1, 28, 38]
}
KEY = "AKIAQ7WERTYU8IOP9ASD"
ROWS = [["canary-row-1", "31337", None], [f"canary-row-2 {KEY}", "5.5", "2024-01-02 00:00:00"]]
VALUES = ("canary-example", "canary-row-1", "canary-row-2", "31337")
STATISTICS = ("88 distinct", "0.42 to 80", "mean 4711.5", "20.1 28 38", "2024-01-01 to 2024-12-31")
SMALL_GROUP = ("1234.5", "4321")  # statistics of a column with fewer than five values
FORBIDDEN = {"AIServer": {"features": {"data_values": "forbidden"}}}


def column(name: str, dtype: str, **statistics: Any) -> dict[str, Any]:
    return {"name": name, "dtype": dtype, "statistics": statistics or None}


def frame(level: str | None, name: str = "sales", /, **more: Any) -> dict[str, Any]:
    """Return a DataFrame with all values that a client can send."""
    dates = {"rows": 891, "missing": 0, "min": "2024-01-01", "max": "2024-12-31", "mean": 987.6}
    columns = [
        column("city", "object", **(NUMBERS | {"distinct": 12})) | {"examples": ["canary-example"]},
        column("price", "float64", **NUMBERS),
        column("day", "datetime64[ns]", **dates),
        column("rare", "float64", rows=891, missing=887, distinct=4, min=1234.5, max=4321),
    ]
    index = [column("label", "object", **NUMBERS) | {"examples": ["canary-example"]}]
    chosen = {} if level is None else {"level": level}
    chosen |= more
    values = {"columns": columns, "index": index, "sample": {"rows": ROWS}}
    return {"name": name, "rowCount": 891, "columnCount": 4, **(values | chosen)}


def body(level: str | None, **more: Any) -> dict[str, Any]:
    return request("mean price", context={"dataframes": [frame(level)]}, **more)


def sent_text(scripted: Any) -> str:
    return "\n".join(message["content"] for message in scripted.requests[-1]["body"]["messages"])


def on_disk(root: Path, *, with_prompts: bool = False) -> str:
    folder = root / ".aiserver_sessions"
    paths = [path for path in folder.rglob("*") if path.is_file()]
    if not with_prompts:
        paths = [path for path in paths if "blobs" not in path.parts]
    return "\n".join(path.read_text("utf-8", "replace") for path in paths)


def present(texts: tuple[str, ...], text: str) -> list[str]:
    return [item for item in texts if item in text]


def items_of(reply: Any) -> list[tuple[str, int]]:
    return [
        (item["level"], item["count"])
        for item in reply.data["items"]
        if item["kind"] == "dataframe" and item["included"]
    ]


SCHEMA = ("schema", 1)
STATISTICS_ITEM = ("statistics", 1)
ROWS_ITEM = ("sample", 2)


@pytest.mark.parametrize(
    ("level", "items"),
    [
        (None, [SCHEMA]),
        ("schema", [SCHEMA]),
        ("statistics", [SCHEMA, STATISTICS_ITEM]),
        ("sample", [SCHEMA, STATISTICS_ITEM, ROWS_ITEM]),
    ],
)
async def test_a_remote_model_gets_the_values_of_the_level_and_no_others(
    call, scripted, remote_model, jp_root_dir, level, items
):
    """P15: on the wire, in the turn and in all files. The preview and the receipt agree."""
    preview = await call("POST", "generate/preview", body(level))
    turn = await call("POST", "generate", body(level))
    text = sent_text(scripted)
    assert [message["text"] for message in preview.data["messages"]] == [
        message["content"] for message in scripted.requests[-1]["body"]["messages"]
    ]
    assert items_of(preview) == items
    stored_levels = [
        item.get("level") for item in turn.data["context"] if item["kind"] == "dataframe"
    ]
    assert stored_levels == [None, "statistics", "sample"][: len(items)]
    assert "'city': object" in text and "'day': datetime64[ns]" in text
    has_statistics, has_rows = STATISTICS_ITEM in items, ROWS_ITEM in items
    assert present(STATISTICS, text) == (list(STATISTICS) if has_statistics else [])
    assert ("12 distinct" in text) == ("887 missing" in text) == has_statistics
    assert present(SMALL_GROUP, text) == [] and "987.6" not in text
    city = next(line for line in text.splitlines() if "'city'" in line)
    counts = "; 7 missing, 12 distinct" if has_statistics else ""
    assert city.strip() == f"'city': object{counts}"
    assert present(VALUES, text) == (list(VALUES[1:]) if has_rows else [])
    if has_rows:
        first, second = text.split("First 2 rows of sales:\n")[1].splitlines()[:2]
        assert first == "  'canary-row-1', 31337, None"
        assert second.startswith("  'canary-row-2 ")
        assert second.endswith(", 5.5, 2024-01-02 00:00:00")
    assert KEY not in text  # P16

    stored = on_disk(jp_root_dir)
    assert present((*VALUES, *SMALL_GROUP, KEY), stored) == []  # rows are in the stored prompt only
    assert ("4711.5" in stored) == has_statistics
    everything = on_disk(jp_root_dir, with_prompts=True)
    assert present(VALUES, everything) == (list(VALUES[1:]) if has_rows else [])
    assert KEY not in everything
    [stored_frame] = turn.data["dataframes"]
    assert stored_frame.get("level", "schema") == (level or "schema")
    assert "sample" not in stored_frame


@pytest.mark.parametrize(
    ("level", "items"),
    [
        ("schema", [SCHEMA]),
        ("statistics", [SCHEMA, STATISTICS_ITEM]),
        ("sample", [SCHEMA, STATISTICS_ITEM, ROWS_ITEM]),
    ],
)
async def test_a_turn_leads_to_the_profile_that_the_model_saw(
    call, scripted, remote_model, extension, level, items
):
    """P43: by the hash of its prompt. Nothing else of the profile is stored a second time."""
    turn = await call("POST", "generate", body(level))
    prompt = await call("GET", f"sessions/nb/c1/turns/{turn.data['turn_id']}/prompt")
    assert items_of(prompt) == items
    text = "\n".join(message["text"] for message in prompt.data["messages"])
    assert present((*STATISTICS, *VALUES), text) == [
        *(STATISTICS if STATISTICS_ITEM in items else ()),
        *(VALUES[1:] if ROWS_ITEM in items else ()),
    ]
    assert await extension.sessions.list_blobs() == [turn.data["prompt"]]
    blob = await extension.sessions.get_blob(turn.data["prompt"])
    assert hashlib.sha256(blob).hexdigest() == turn.data["prompt"]
    assert [message["text"] for message in json.loads(blob)["messages"]] == [
        message["text"] for message in prompt.data["messages"]
    ]
    # The names and dtypes of the columns are in the turn itself, for the replay.
    stored = [(column["name"], column["dtype"]) for column in turn.data["dataframes"][0]["columns"]]
    assert all(f"'{name}': {dtype}" in text for name, dtype in stored)
    step = (await call("GET", "sessions/nb/c1/replay")).data["steps"][-1]
    assert step["dataframes"] == ["sales"] and step["receipt"]["hasPrompt"] is True


async def test_the_replay_has_the_changes_of_the_data(call, scripted, remote_model):
    await call("POST", "generate", body("sample"))
    changed = frame(None, rowCount=1011, columns=[column("price", "int64")], columnCount=1)
    await call("POST", "generate", request("again", context={"dataframes": [changed]}))
    first, second = (await call("GET", "sessions/nb/c1/replay")).data["steps"]
    assert "schemaChanges" not in first
    [change] = second["schemaChanges"]
    assert [item["name"] for item in change["removed"]] == ["city", "day", "rare"]
    assert change["retyped"] == [{"name": "price", "before": "float64", "after": "int64"}]
    assert change["rows"] == {"before": 891, "after": 1011}


@pytest.mark.parametrize("level", ["schema", "statistics", "sample"])
async def test_without_stored_prompts_no_row_is_on_disk(
    call, scripted, remote_model, jp_root_dir, level
):
    """P15"""
    await call("POST", "generate", body(level, storesPrompt=False))
    everything = on_disk(jp_root_dir, with_prompts=True)
    assert present((*VALUES, *SMALL_GROUP), everything) == []
    assert ("4711.5" in everything) == (level != "schema")


@pytest.mark.parametrize("server_config", [{"ModelRegistry": {"local_servers": ["*"]}}])
async def test_a_local_model_gets_values_at_any_level(call, scripted, jp_root_dir, server_config):
    """A level is about models on other machines, so the turn of such a request has no values."""
    await call("POST", "generate", body("schema"))
    text = sent_text(scripted)
    assert present(STATISTICS, text) == list(STATISTICS) and present(VALUES, text) == list(VALUES)
    assert present(SMALL_GROUP, text) == []
    assert present((*VALUES, "4711.5"), on_disk(jp_root_dir)) == []


async def test_the_level_is_for_one_request(call, scripted, remote_model):
    """P15: the next request uses the turn's DataFrames again, without their values."""
    await call("POST", "generate", body("sample"))
    assert "canary-row-1" in sent_text(scripted)
    reply = await call("POST", "generate", request("and the median", source="x = 1"))
    assert reply.status == 200
    text = sent_text(scripted)
    assert "'price': float64" in text
    assert present((*VALUES, *STATISTICS), text) == []


@pytest.mark.parametrize("server_config", [FORBIDDEN])
@pytest.mark.parametrize("level", ["schema", "statistics", "sample"])
async def test_the_administrator_can_forbid_values_for_remote_models(
    call, scripted, remote_model, jp_root_dir, server_config, level
):
    """P43: the receipt says so. Nothing of what isn't sent is stored."""
    asked = body(level) | {"dataframes": [frame(level, "chosen")]}
    preview = await call("POST", "generate/preview", asked)
    await call("POST", "analyze-dataframe", asked)
    text = sent_text(scripted)
    assert "chosen: " in text and "sales: " in text
    assert present((*VALUES, *STATISTICS), text) == []
    forbidden = [
        (item["name"], item["level"]) for item in preview.data["items"] if item["forbidden"]
    ]
    assert forbidden == ([] if level == "schema" else [("chosen", level), ("sales", level)])
    assert present((*VALUES, "4711.5"), on_disk(jp_root_dir, with_prompts=True)) == []


@pytest.mark.parametrize(
    "server_config", [{**FORBIDDEN, "ModelRegistry": {"local_servers": ["*"]}}]
)
async def test_forbidden_values_are_still_given_to_local_models(call, scripted, server_config):
    preview = await call("POST", "generate/preview", body("sample"))
    assert items_of(preview) == [SCHEMA, STATISTICS_ITEM, ROWS_ITEM]


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": "all"},
        {"sample": {"rows": []}},
        {"sample": {"rows": [["x"]] * 21}},
        {"sample": {"rows": [["x" * 61]]}},
        {"sample": {"rows": [["x"] * 201]}},
        {"sample": {"rows": [["价" * 60] * 200] * 2}},
        {"sample": {"rows": [[1]]}},
        {"columns": [column("a", "object", rows=9, min="canary text")]},
        {"columns": [column("a", "int64", rows=9, quartiles=[1, 2])]},
        {"columns": [column("a", "int64", rows=-1)]},
        {"columns": [column("a", "int64", rows=1, top=["x"])]},
    ],
)
async def test_values_are_limited(call, scripted, wrong):
    """P6: a text can't be a bound, and a sample is limited in rows, columns and bytes."""
    asked = request("x", context={"dataframes": [frame(None, **wrong)]})
    reply = await call("POST", "generate/preview", asked)
    assert reply.status == 400 and "canary" not in json.dumps(reply.data)
