"""Record changes of cells and pictures of outputs, over HTTP."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aiserver.models import Contributor
from aiserver.notebooks.tool_calls import noted

from ..conftest import request

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
URL = "notebooks/nb/changes"


def body(**more: Any) -> dict[str, Any]:
    return {"id": "batch-1", "cells": []} | more


def edit(source: str, **more: Any) -> dict[str, Any]:
    return {"type": "edit", "source": source, "data": {"trigger": "save"}} | more


async def test_a_batch_that_is_sent_again_is_recorded_once(call):
    """P36: this includes events without an id."""
    await call("POST", "generate", request())
    sent = body(
        timestamp="2026-01-27T10:00:00.000Z",
        saved=True,
        order=[{"id": "c1", "type": "code"}, {"id": "c2", "type": "markdown"}],
        cells=[
            {"cellId": "c1", "events": [edit("x = 1"), {"type": "run", "data": {"status": "ok"}}]},
            {
                "cellId": "c2",
                "forkOf": {"notebookId": "nb", "cellId": "c1"},
                "events": [{"type": "split", "source": "y"}],
            },
        ],
    )
    first = await call("POST", URL, sent)
    assert first.status == 201
    assert first.data == {
        "cells": {"c1": {"revision": 2, "seq": 3}, "c2": {"revision": 2, "seq": 2}},
        "seq": 2,
    }
    assert (await call("POST", URL, sent)).data == first.data
    stored = (await call("GET", "sessions/nb/c2")).data
    assert stored["meta"]["forked_from"]["cell_id"] == "c1"
    assert [event["type"] for event in stored["events"]] == ["split"]
    assert stored["events"][0]["timestamp"] == sent["timestamp"]


async def test_secrets_in_outputs_are_redacted(call):
    """P16"""
    key = "sk-proj-" + "a1B2c3D4" * 6
    run = {"type": "run", "data": {"status": "ok", "outputs": {"text": f"key: {key}"}}}
    cells = [{"cellId": "c1", "events": [run]}]
    await call("POST", URL, body(cells=cells))
    stored = await call("GET", "sessions/nb/c1")
    assert key.encode() not in stored.raw and b"key: " in stored.raw


async def test_events_of_a_cell_that_is_listed_twice_stay_in_order(call):
    cells = [{"cellId": "c1", "events": [edit(source)]} for source in ("x = 1", "x = 2")]
    reply = await call("POST", URL, body(cells=cells, order=[{"id": "c1", "type": "code"}] * 2))
    assert reply.data["cells"] == {"c1": {"revision": 1, "seq": 2}}
    stored = await call("GET", "sessions/nb/c1")
    assert [event["source"] for event in stored.data["events"]] == ["x = 1", "x = 2"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"id": "../x"}, "id"),
        ({"cells": [{"cellId": "../../x"}]}, "cells"),
        ({"cells": [{"cellId": f"c{n}"} for n in range(201)]}, "cells"),
        ({"cells": [{"cellId": "c", "events": [edit("")] * 101}]}, "cells"),
        ({"cells": [{"cellId": "c", "forkOf": {"notebookId": "..", "cellId": "c"}}]}, "cells"),
        ({"cells": [{"cellId": "c", "parents": ["a/b"]}]}, "cells"),
        ({"cells": [{"cellId": "c", "events": [edit("", timestamp="then")]}]}, "cells"),
        ({"order": [{"id": "a", "type": "cheese"}]}, "order"),
        ({"timestamp": "now"}, "timestamp"),
        ({"surprise": 1}, "surprise"),
    ],
)
async def test_an_invalid_batch_is_rejected_completely(call, jp_root_dir, wrong, field):
    """P5, P29"""
    reply = await call("POST", URL, body(**wrong))
    assert reply.status == 400 and reply.data["message"].startswith(field), reply.data
    assert not (jp_root_dir / ".aiserver_sessions").exists()


async def test_ids_of_notebooks_cannot_leave_the_store(call, jp_root_dir):
    """P5"""
    for path in ("notebooks/..%2Fx/changes", "notebooks/%00/changes", "notebooks/a.b/changes"):
        assert (await call("POST", path, body())).status == 400
    assert not (jp_root_dir / ".aiserver_sessions").exists()


async def test_pictures_are_stored_by_their_content(call):
    reply = await call("PUT", "blobs", raw=PNG, headers={"Content-Type": "image/png"})
    assert reply.status == 201
    assert reply.data == {"sha256": hashlib.sha256(PNG).hexdigest()}
    picture = await call("GET", f"blobs/{reply.data['sha256']}")
    assert (picture.status, picture.raw) == (200, PNG)
    assert picture.headers["Content-Type"] == "image/png"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in picture.headers["Cache-Control"]
    assert picture.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", 400),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 400),
        (b"<html>", 400),
        (b"GIF", 400),
        (PNG + b"\0" * 262144, 413),
    ],
)
async def test_only_small_pictures_are_accepted(call, data, status):
    """P10: the declared content type doesn't matter."""
    reply = await call("PUT", "blobs", raw=data, headers={"Content-Type": "image/png"})
    assert reply.status == status


async def test_only_pictures_are_served(call, extension):
    """P10: other blobs of a store are not served to browsers."""
    sha256 = await extension.sessions.put_blob(b"<html><script>alert(1)</script>")
    assert (await call("GET", f"blobs/{sha256}")).status == 404
    assert (await call("GET", f"blobs/{'0' * 64}")).status == 404


@pytest.mark.parametrize("size", [200_000, 200_001, 250_000, 999_999, 1_000_000, 1_000_001])
async def test_a_large_source_is_stored_completely_or_rejected(call, size: int):
    """P19: sizes around the limits; a source is never silently empty."""
    source = "x = 1\n" * (size // 6) + "y" * (size % 6)
    cells = [{"cellId": "c1", "events": [edit(source)]}]
    order = [{"id": "c1", "type": "code"}]
    answer = await call("POST", URL, body(cells=cells, order=order, saved=True))
    if size > 1_000_000:
        assert answer.status == 400 and "source" in answer.data["message"]
        return
    last = (await call("GET", "notebooks/nb/timeline")).data["moments"][-1]
    snapshot = (await call("GET", f"notebooks/nb/moments/{last['index']}")).data
    assert [cell["source"] == source for cell in snapshot["cells"]] == [True]
    blame = await call("POST", "sessions/nb/c1/blame", {"source": source})
    assert blame.status == 200


async def test_a_source_that_was_too_large_is_marked_as_missing(call):
    order = [{"id": "c1", "type": "code"}]
    too_large = {"type": "edit", "data": {"trigger": "save", "too_long": 1_200_000}}
    run = {"type": "run", "data": {"status": "ok"}}
    steps = [edit("x = 1"), too_large, run, edit("x = 2")]
    for number, event in enumerate(steps):
        cells = [{"cellId": "c1", "events": [event]}]
        sent = body(id=f"batch-{number}", cells=cells, order=order, saved=True)
        assert (await call("POST", URL, sent)).status == 201
    sources = []
    for moment in (await call("GET", "notebooks/nb/timeline")).data["moments"]:
        if moment["saved"]:
            url = f"notebooks/nb/moments/{moment['index']}"
            [cell] = (await call("GET", url)).data["cells"]
            sources.append((cell["source"], cell.get("missing")))
    assert sources == [("x = 1", None), ("", 1_200_000), ("", 1_200_000), ("x = 2", None)]


async def test_a_source_too_large_from_the_start_is_missing_before_its_observation(call):
    order = [{"id": "c1", "type": "code"}, {"id": "c2", "type": "code"}]
    too_large = {"type": "edit", "data": {"trigger": "first", "too_long": 1_200_000}}
    for cell_id, event in (("c2", edit("x = 1")), ("c1", too_large)):
        cells = [{"cellId": cell_id, "events": [event]}]
        sent = body(id=f"batch-{cell_id}", cells=cells, order=order, saved=True)
        assert (await call("POST", URL, sent)).status == 201
    cell = (await call("GET", "notebooks/nb/moments/0")).data["cells"][0]
    assert (cell["step"], cell["missing"]) == (None, 1_200_000)


async def test_a_save_returns_the_cells_that_another_page_changed(call):
    """``others`` lists the cells; it is absent if there are none."""
    first = await call("POST", URL, body(page="ours"))
    cells = [{"cellId": "c1", "events": [edit("x = 1")]}]
    await call("POST", URL, body(id="batch-2", cells=cells, page="theirs"))
    save = body(id="batch-3", saved=True, page="ours", seen=first.data["seq"])
    assert (await call("POST", URL, save)).data == {"cells": {}, "seq": 1, "others": ["c1"]}
    answer = await call("POST", URL, save | {"id": "batch-4", "seen": 1})
    assert answer.data == {"cells": {}, "seq": 2}


async def test_the_caller_of_another_servers_tool_is_recorded_instead_of_the_server(
    call, extension
):
    path = Path(extension.sessions.root, "called.ipynb")
    path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": []}))
    await call("POST", "generate", request())
    await call("POST", "notebooks", {"path": path.name, "notebookId": "nb", "cellIds": ["c1"]})
    agent = Contributor(kind="agent", name="claude-code", version="2.1")
    arguments = {"file_path": str(path), "content": "x = 2"}
    server = {"kind": "program", "name": "Jupyter server"}
    run = {"contributor": server, "run": "run-1"}
    events = [
        edit("x = 2", **run),
        edit("x = 2", contributor={"kind": "person"}),
        edit("x = 2", contributor=server),
    ]
    with noted(agent, "edit_cell", arguments, "jupyter-server-mcp"):
        await call("POST", URL, body(cells=[{"cellId": "c1", "events": events}]))
    stored = (await call("GET", "sessions/nb/c1")).data["events"]
    assert [event["contributor"] for event in stored] == [
        server,
        {"kind": "person"},
        {"kind": "agent", "name": "claude-code", "version": "2.1"},
    ]
    assert stored[-1]["data"]["tool"] == "edit_cell"


async def test_git_is_recorded_as_the_writer_of_a_file(call, extension):
    path = Path(extension.sessions.root, "a.ipynb")

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=path.parent, check=True)

    git("init", "-q", "-b", "main")
    for branch, source in (("one", "x = 1"), ("two", "x = 2")):
        git("checkout", "-q", "-b", branch)
        cell = {"cell_type": "code", "id": "c1", "source": source}
        path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell]}))
        git("add", "a.ipynb")
        git("commit", "-q", "-m", "work")
    await call("POST", "generate", request())
    await call("POST", "notebooks", {"path": "a.ipynb", "notebookId": "nb", "cellIds": ["c1"]})
    names = []
    for batch, source in (("committed", "x = 2"), ("checked-out", "x = 1")):
        disk = {"kind": "unknown", "name": "file on disk"}
        cells = [{"cellId": "c1", "events": [edit(source, contributor=disk)]}]
        await call("POST", URL, body(id=batch, cells=cells))
        stored = (await call("GET", "sessions/nb/c1")).data
        names.append(stored["events"][-1]["contributor"])
        git("checkout", "-q", "one")
    assert names == [disk, {"kind": "program", "name": "git"}]
