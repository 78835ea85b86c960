"""The data files that a request names, and the receipt of the prompt, through the HTTP API."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ..conftest import request
from ..data_files.binary_files import excel
from .test_rules_files import NoFiles

CANARY = "canary-value-5c2"
CODE = {"text": "```python\nx = 1\n```"}


def write_files(root: Path) -> None:
    """Write files of each format, with a value that mustn't be sent to a remote model."""
    (root / "sub").mkdir()
    (root / "sub" / "销售.csv").write_text(f"城市,金额\n{CANARY},1\n上海,2\n", "gb18030")
    (root / "sub" / "bare.csv").write_text(f"{CANARY},1\nBob,2\n")
    (root / "sub" / "r.json").write_text(json.dumps([{"city": CANARY}, {"city": "上海"}]))
    (root / "sub" / "book.xlsx").write_bytes(excel([["name", "n"], [CANARY, 1]]))
    (root / "sub" / ".secret.csv").write_text("hidden_column\n1\n")
    (root.parent / "outside.csv").write_text("outside_column\n1\n")


def sent_text(scripted: Any) -> str:
    return "\n".join(message["content"] for message in scripted.requests[-1]["body"]["messages"])


def body(intent: str, **more: Any) -> dict[str, Any]:
    return request(intent, notebookPath="sub/n.ipynb") | more


ALL = "读取销售.csv，和 bare.csv, r.json, 'book.xlsx', .secret.csv, ../../outside.csv"


async def test_a_remote_model_gets_names_and_dtypes_but_no_value(
    call, scripted, remote_model, jp_root_dir
):
    """P15, P5: not even of a file without a header; hidden files and files outside are ignored."""
    write_files(jp_root_dir)
    scripted.script(CODE)
    reply = await call("POST", "generate", body(ALL))
    assert reply.status == 200
    text = sent_text(scripted)
    assert "'销售.csv': CSV file" in text and "encoding='gb18030'" in text
    assert "'城市': object" in text and "'金额': int64" in text
    assert "'bare.csv': CSV file" in text and "header=None" in text
    assert "'city': object" in text and "'n': int64" in text
    assert CANARY not in text and "上海" not in text
    assert "hidden_column" not in text and "outside_column" not in text
    stored = (jp_root_dir / ".aiserver_sessions" / "nb_c1.json").read_text("utf-8")
    assert CANARY not in stored


async def test_a_remote_model_gets_the_tables_of_a_database_but_no_value(
    call, scripted, remote_model, jp_root_dir
):
    """P15: secrets in names are hidden, too."""
    key = "sk-ant-" + "api03-" + "a" * 40
    with closing(sqlite3.connect(jp_root_dir / "shop.db")) as connection, connection:
        connection.execute(f"create table sales (city text default '{CANARY}', [{key}] real)")
        connection.execute(f"create table [{key}] (id integer)")
        connection.execute("insert into sales (city) values (?)", [CANARY])
    scripted.script(CODE)
    asked = request("count the sales in shop.db", notebookPath="n.ipynb")
    reply = await call("POST", "generate", asked)
    assert reply.status == 200
    text = sent_text(scripted)
    assert "'shop.db': SQLite file" in text and "table 'sales', 1 rows" in text
    assert "'city': TEXT" in text.replace("text", "TEXT")
    assert CANARY not in text and key not in text


async def test_the_preview_of_files_equals_the_sent_messages_and_has_a_receipt(
    call, scripted, remote_model, jp_root_dir
):
    """P15"""
    write_files(jp_root_dir)
    asked = body(ALL, source="df = 1", context={"cells": [{"cellId": "c0", "source": "y = 2"}]})
    preview = await call("POST", "generate/preview", asked)
    scripted.script(CODE)
    reply = await call("POST", "generate", asked)
    sent = scripted.requests[-1]["body"]["messages"]
    shown = [{"role": m["role"], "content": m["text"]} for m in preview.data["messages"]]
    assert [{"role": m["role"], "content": m["content"]} for m in sent] == shown
    items = preview.data["items"]
    assert [(item["kind"], item["name"]) for item in items] == [
        ("rules", ""),
        ("cell", ""),
        *(("file", name) for name in ("销售.csv", "bare.csv", "r.json", "book.xlsx")),
        ("source", ""),
        ("request", ""),
    ]
    assert items[1]["cellIds"] == ["c0"]
    assert all(item["included"] and item["tokens"] > 0 for item in items)
    stored = reply.data["context"]
    assert [(item["kind"], item.get("name", "")) for item in stored] == [
        (item["kind"], item["name"]) for item in items
    ]
    assert [item["tokens"] for item in stored] == [item["tokens"] for item in items]


async def test_nothing_of_a_removed_dataframe_is_sent(call, scripted, jp_root_dir):
    """P15: neither its columns in an earlier request, nor those of its file."""
    (jp_root_dir / "a.csv").write_text("id,price\n1,2\n")
    frame = {"name": "sales", "rowCount": 1, "columnCount": 1}
    frame["columns"] = [{"name": "price", "dtype": "int64"}]
    cells = [{"source": "sales = pd.read_csv('a.csv')"}]
    for fields, is_sent in (({"dataframes": [frame]}, True), ({"detached": ["sales"]}, False)):
        scripted.script(CODE)
        context: dict[str, Any] = {"cells": cells, **fields}
        await call("POST", "generate", request("the mean", notebookPath="n.ipynb", context=context))
        assert ("int64" in sent_text(scripted)) is is_sent


async def test_a_file_of_the_cell_above_counts_unless_dataframes_are_attached(
    call, scripted, jp_root_dir
):
    (jp_root_dir / "a.csv").write_text("id,price\n1,2\n")
    cells = [{"source": "PATH = 'a.csv'"}]
    for frames, is_described in (([], True), ([{"name": "d", "rowCount": 1}], False)):
        frames = [frame | {"columnCount": 0} for frame in frames]
        context = {"cells": cells, "dataframes": frames}
        asked = request("show the data", notebookPath="n.ipynb", context=context)
        preview = await call("POST", "generate/preview", asked)
        kinds = [item["kind"] for item in preview.data["items"]]
        assert ("file" in kinds) is is_described


async def test_without_a_path_of_the_notebook_no_file_is_described(call, scripted, jp_root_dir):
    (jp_root_dir / "a.csv").write_text("id\n1\n")
    preview = await call("POST", "generate/preview", request("read a.csv"))
    assert "file" not in [item["kind"] for item in preview.data["items"]]


@pytest.mark.parametrize("server_config", [{"ServerApp": {"authorizer_class": NoFiles}}])
async def test_users_who_may_not_read_files_get_no_description(
    call, scripted, jp_root_dir, server_config
):
    """P2"""
    (jp_root_dir / "a.csv").write_text("secret_column\n1\n")
    asked = request("read a.csv", notebookPath="n.ipynb")
    preview = await call("POST", "generate/preview", asked)
    assert preview.status == 200 and "secret_column" not in json.dumps(preview.data)
    scripted.script(CODE)
    await call("POST", "generate", asked)
    assert "secret_column" not in sent_text(scripted)
