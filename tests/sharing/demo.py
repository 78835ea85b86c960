"""A notebook whose history has every kind of turn and event, and hostile text.

``python -m tests.sharing.demo FOLDER`` creates it in a folder, for the browser tests.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

from aiserver.models import AIResponse, NewEvent, NewLogEntry, NewTurn, SessionKey, UserRequest
from aiserver.sessions.base import SessionManager
from aiserver.sessions.file.manager import FileSessionManager

NOTEBOOK = "6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11"
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>\u2028${1}{{data}} & &lt;b&gt; ]]>"
LOAD = 'import pandas as pd\n\ndf = pd.read_csv("sales.csv")'
PLOT = 'monthly = df.groupby("month")["revenue"].sum()\nmonthly.plot(title="Revenue")'
FIXED = (
    'dates = df["date"].dt.to_period("M")\nmonthly = df.groupby(dates)["revenue"].sum()\n'
    'monthly.plot(title="Revenue")'
)
BARS = (
    'dates = df["date"].dt.to_period("M")\nmonthly = df.groupby(dates)["revenue"].sum()\n'
    'ax = monthly.plot.bar(title="每月收入")\nax.set_ylabel("CNY")'
)
BY_HAND = BARS.replace('"CNY"', '"CNY", fontsize=9')


def picture(width: int = 120, height: int = 60) -> bytes:
    """Return a PNG of a bar chart."""
    lines = bytearray()
    for y in range(height):
        lines.append(0)
        for x in range(width):
            inside = x % 20 < 14 and height - y < 10 + (x // 20) * 8
            lines += bytes((109, 63, 200) if inside else (255, 255, 255))

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pieces = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(lines)))
    return b"\x89PNG\r\n\x1a\n" + pieces + chunk(b"IEND", b"")


class HistoryWriter:
    """Records a person's and a model's actions in a store, one per minute."""

    def __init__(self, store: SessionManager, notebook_id: str = NOTEBOOK) -> None:
        self.store, self.notebook_id = store, notebook_id
        self._minute = 0
        self._seqs: dict[str, int] = {}

    @property
    def now(self) -> str:
        self._minute += 1
        return f"2026-01-27T{10 + self._minute // 60:02}:{self._minute % 60:02}:00.000Z"

    async def ask(self, cell: str, intent: str, code: str, before: str, **more: Any) -> int:
        """Record a request and its answer; return the turn's number."""
        answer = AIResponse(
            suggestion=code,
            explanation=more.pop("explanation", ""),
            status=more.pop("status", "success"),
            error=more.pop("error", None),
        )
        request = UserRequest(intent=intent, current_code=before, language="python")
        model = more.pop("model", "local:qwen2.5-coder-0.5b")
        new = NewTurn(
            timestamp=self.now, user_request=request, ai_response=answer, model=model, **more
        )
        saved, _ = await self.store.save_interaction(SessionKey(self.notebook_id, cell), new)
        assert saved.seq
        self._seqs[cell] = saved.seq
        return saved.turn_id

    async def do(self, cell: str, type_: str, source: str | None = None, **more: Any) -> None:
        """Record an event."""
        fields = {name: value for name, value in more.items() if name == "turn_id"}
        data = {name: value for name, value in more.items() if name != "turn_id"}
        event = NewEvent(type=type_, timestamp=self.now, source=source, data=data or None, **fields)
        saved, _ = await self.store.record_events(SessionKey(self.notebook_id, cell), [event])
        self._seqs[cell] = saved[-1].seq

    async def log(self, order: list[tuple[str, str]] | None = None, *, saved: bool = False) -> None:
        """Append the entries that the server writes after a batch."""
        entries = []
        if order is not None:
            data = {"cell_ids": [cell for cell, _ in order], "types": dict(order)}
            entries.append(NewLogEntry(type="cell_order", timestamp=self.now, data=data))
        changes: dict[str, Any] = {"cells": dict(self._seqs), "id": f"batch-{self._minute}"}
        if saved:
            changes["saved"] = True
        entries.append(NewLogEntry(type="changed", timestamp=self.now, data=changes))
        await self.store.append_notebook_log(self.notebook_id, entries)


async def fill(store: SessionManager, path: str = "sales.ipynb") -> None:
    """Record requests, edits, runs, failures, a rejected suggestion and a deleted cell."""
    writer = HistoryWriter(store)
    seen = NewLogEntry(type="path_seen", timestamp=writer.now, data={"path": path})
    await store.append_notebook_log(NOTEBOOK, [seen])
    await writer.do("title", "edit", "# Sales\n\nEach month of 2026.", trigger="first")
    await writer.log([("title", "markdown"), ("load", "code"), ("plot", "code"), ("old", "code")])
    turn = await writer.ask("load", "读取 sales.csv", LOAD, "", explanation="It reads the file.")
    await writer.do("load", "accept", LOAD, turn_id=turn)
    outputs = {"text": "   month  revenue\n0  2026-01   182340\n1  2026-02   171905"}
    await writer.do(
        "load", "run", LOAD, status="ok", execution_count=1, duration_ms=812, outputs=outputs
    )
    turn = await writer.ask("plot", "Plot revenue by month", PLOT, "")
    await writer.do("plot", "accept", PLOT, turn_id=turn)
    await writer.do(
        "plot",
        "run",
        PLOT,
        status="error",
        ename="KeyError",
        evalue="'month'",
        execution_count=2,
        duration_ms=40,
    )
    turn = await writer.ask(
        "plot",
        "Fix: KeyError: 'month'",
        FIXED,
        PLOT,
        mode="fix",
        explanation="There is no column 'month'; the dates have it.",
    )
    await writer.do("plot", "accept", FIXED, turn_id=turn)
    await writer.do("plot", "run", FIXED, status="ok", execution_count=3, duration_ms=310)
    await writer.log(saved=True)
    turn = await writer.ask("plot", "As a 3D pie", "explode()", FIXED, model="openai:gpt-5")
    await writer.do("plot", "reject", turn_id=turn)
    turn = await writer.ask("plot", "改成柱状图，标题用中文", BARS, FIXED, model="openai:gpt-5")
    await writer.do("plot", "accept", BARS, turn_id=turn)
    await writer.do("plot", "edit", BY_HAND, trigger="run")
    sha256 = await store.put_blob(picture())
    image = {"sha256": sha256, "mime": "image/png", "width": 120, "height": 60}
    await writer.do(
        "plot",
        "run",
        BY_HAND,
        status="ok",
        execution_count=4,
        duration_ms=12_700,
        outputs={"text": "<Axes: title={'center': '每月收入'}>", "images": [image]},
    )
    await writer.ask("plot", "too much", "ax.", BY_HAND, status="error", error="The model stopped.")
    await writer.do("old", "edit", "scratch = 1", trigger="save")
    await writer.do("old", "delete", "scratch = 1", index=3)
    await writer.log([("title", "markdown"), ("load", "code"), ("plot", "code")], saved=True)
    await writer.ask(
        "evil", HOSTILE, f"print('''{HOSTILE}''')", "", explanation=HOSTILE, model=HOSTILE
    )
    await writer.do("evil", "accept", f"print('''{HOSTILE}''')", turn_id=1)
    await writer.do(
        "evil",
        "run",
        status="error",
        ename="</script>",
        evalue=HOSTILE,
        outputs={"text": HOSTILE, "images": [{"sha256": "0" * 64}, {"sha256": HOSTILE}]},
    )
    await writer.log(
        [("title", "markdown"), ("load", "code"), ("plot", "code"), ("evil", "code")], saved=True
    )


def notebook() -> dict[str, Any]:
    """Return the content of the notebook file."""
    sources = {"load": LOAD, "plot": BY_HAND, "evil": f"print('''{HOSTILE}''')"}
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# Sales"}
    ]
    for count, (id_, source) in enumerate(sources.items(), 1):
        output = {"output_type": "stream", "name": "stdout", "text": f"{id_}\n"}
        cells.append(
            {
                "cell_type": "code",
                "id": id_,
                "metadata": {"tags": ["kept"]},
                "execution_count": count,
                "outputs": [output],
                "source": source,
            }
        )
    metadata = {
        "aiserver": {"notebook_id": NOTEBOOK},
        "language_info": {"name": "python"},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def make(folder: Path) -> None:
    """Create the notebook and its history in a folder."""

    async def work() -> None:
        store = FileSessionManager(root=str(folder))
        await fill(store)
        await store.close()

    asyncio.run(work())
    (folder / "sales.ipynb").write_text(json.dumps(notebook()), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
