"""The tables in data files, through the HTTP API."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.data_files import context, reader
from aiserver.plugins.data_files.folder import open_below
from aiserver.plugins.rules import handler, recipes, rules_files

from .test_features import setting
from .test_rules_files import NoFiles

CANARY = "canary-9c4e"


@pytest.fixture
def folder(jp_root_dir: Path) -> Path:
    folder = jp_root_dir / "sub"
    folder.mkdir()
    (folder / "销售.csv").write_text(f"日期,价格,city\n2024-01-01,1.5,{CANARY}\n", "utf-8")
    (folder / "plain.csv").write_text(f"1,{CANARY}\n2,b\n")
    (folder / "notes.txt").write_text(CANARY)
    (folder / ".hidden.csv").write_text(f"{CANARY},b\nx,1\n")
    (jp_root_dir.parent / "outside.csv").write_text(f"{CANARY},b\nx,1\n")
    (folder / "link.csv").symlink_to(jp_root_dir.parent / "outside.csv")
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        connection.executescript(
            f"create table orders (id integer primary key, city varchar(9) default '{CANARY}');"
            "create view big as select * from orders;"
            f"insert into orders values (1, '{CANARY}');"
        )
    return folder


def table(name: str, columns: dict[str, str], *, has_header: bool = True) -> dict[str, Any]:
    fields = [{"name": column, "dtype": dtype} for column, dtype in columns.items()]
    return {"name": name, "hasHeader": has_header, "columns": fields}


def body(*names: str) -> dict[str, Any]:
    return {"path": "sub/n.ipynb", "names": list(names)}


async def test_the_columns_of_files_are_described_without_values(call, scripted, folder):
    """P15: nothing is sent to a model, either."""
    reply = await call("POST", "data-files", body("销售.csv", "shop.db", "plain.csv"))
    sales = {"日期": "object", "价格": "float64", "city": "object"}
    assert reply.data == {
        "files": [
            {"name": "销售.csv", "tables": [table("", sales)]},
            {
                "name": "shop.db",
                "tables": [table("orders", {"id": "integer", "city": "varchar(9)"})],
            },
            {
                "name": "plain.csv",
                "tables": [table("", {"0": "int64", "1": "object"}, has_header=False)],
            },
        ]
    }
    assert not scripted.requests


async def test_other_files_are_ignored(call, folder):
    """P5"""
    names = ["notes.txt", ".hidden.csv", "../../outside.csv", "link.csv", "missing.csv"]
    assert (await call("POST", "data-files", body(*names))).data == {"files": []}
    absolute = str(folder / "销售.csv")
    assert (await call("POST", "data-files", body(absolute))).data == {"files": []}
    for wrong in (body(), body(*"abcdef"), {"path": "", "names": ["a.csv"]}):
        assert (await call("POST", "data-files", wrong)).status == 400


@pytest.mark.parametrize(
    "server_config",
    [setting(files="forbidden"), {"ServerApp": {"authorizer_class": NoFiles}}],
)
async def test_no_file_is_described_if_files_are_not_allowed(call, folder):
    """P2"""
    assert (await call("POST", "data-files", body("销售.csv"))).data == {"files": []}


@pytest.fixture
def hanging_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let each file that is opened hang, except ``sub/销售.csv``, until the event is set."""
    responds, real = threading.Event(), open_below

    @contextmanager
    def hang(root: str, parts: list[str], **options: Any) -> Iterator[Any]:
        if parts[-1] != "销售.csv":
            responds.wait(60)
        with real(root, parts, **options) as file:
            yield file

    monkeypatch.setattr(context, "_TIMEOUT", 0.05)
    monkeypatch.setattr(handler, "TIMEOUT", 0.05, raising=False)
    for module in (reader, rules_files, recipes):
        monkeypatch.setattr(module, "open_below", hang)
    monkeypatch.setattr(recipes, "list_below", lambda *_, **__: ["a.md"])
    yield responds
    responds.set()


@pytest.mark.parametrize("address", ["data-files", "rules-files", "recipes"])
async def test_a_disk_that_hangs_stops_no_other_request(call, folder, hanging_disk, address):
    """The number of threads that wait for it is limited, and nothing else needs them."""
    thread_count = threading.active_count()
    sent = body("shop.db") if address == "data-files" else {"path": "sub/n.ipynb"}
    hung = [asyncio.ensure_future(call("POST", address, sent)) for _ in range(40)]
    await asyncio.wait(hung, timeout=5)
    assert threading.active_count() - thread_count < 20
    # The pool of ``asyncio.to_thread`` is free.
    await asyncio.wait_for(asyncio.to_thread(int), 10)
    assert (await asyncio.wait_for(call("GET", "health"), 10)).status == 200
    assert [list((await task).data.values()) for task in hung] == [[[]]] * 40
    hanging_disk.set()
    while not (await call("POST", "data-files", body("销售.csv"))).data["files"]:
        await asyncio.sleep(0.01)  # until the threads are free
