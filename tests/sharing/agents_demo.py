"""A notebook that a person, a model, two agents and a formatter have written."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import nbformat

from aiserver.models import Contributor, NewLogEntry, SessionKey
from aiserver.notebooks.history import Histories, History
from aiserver.sessions.base import SessionManager
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import NOON, event, turn

NOTEBOOK = "5e1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a22"
RUN, OTHER_RUN = "3f2a0c4d" * 4, "77aa" * 8
MODEL = "local:qwen2.5-coder-0.5b"
SECRET = "sk-proj-" + "a1B2c3D4" * 6
LOAD = 'import pandas as pd\n\ndf = pd.read_csv("销售.csv")'
SOURCES = {
    "load": f'{LOAD}\nkey = "{SECRET}"\ndf = df.dropna()',
    "plot": "ax = df.plot()\nax.set_title('A')\nax.grid( )",
    "text": "# Sales",
}
CODEX = Contributor(kind="agent", name="Codex", version="1.2")
CLAUDE = Contributor(kind="agent", name="Claude Code")
BLACK = Contributor(kind="program", name="black")
PERSON = Contributor(kind="person")


def notebook() -> dict[str, Any]:
    """Return the content of the notebook's file."""
    types = {"load": "code", "plot": "code", "text": "markdown"}
    cells = []
    for id_, source in SOURCES.items():
        cell = {"id": id_, "cell_type": types[id_], "metadata": {}, "source": source}
        code: dict[str, Any] = (
            {"execution_count": None, "outputs": []} if types[id_] == "code" else {}
        )
        cells.append(cell | code)
    metadata = {"aiserver": {"notebook_id": NOTEBOOK}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def file_text(content: dict[str, Any] | None = None) -> str:
    """Return the notebook as Jupyter writes it: each line of a source is one of the file."""
    read = nbformat.from_dict(content or notebook())
    text: str = nbformat.writes(read) + "\n"
    return text


async def fill(store: SessionManager, path: str = "sales.ipynb") -> None:
    """Record who wrote the notebook."""
    load = SessionKey(NOTEBOOK, "load")
    await store.save_interaction(load, turn("Read the sales", LOAD, model=MODEL))
    with_key = "\n".join(SOURCES["load"].split("\n")[:4])
    change = {"intent": "Drop empty rows", "tool": "cell_edit"}
    await store.record_events(
        load,
        [
            event("accept", turn_id=1, source=LOAD),
            event("edit", source=with_key, contributor=PERSON),
            event("edit", source=SOURCES["load"], contributor=CODEX, run=RUN, data=change),
        ],
    )
    plot = SessionKey(NOTEBOOK, "plot")
    lines = SOURCES["plot"].split("\n")
    proposed = turn("Plot it", lines[0], mode="agent", contributor=CLAUDE, run=OTHER_RUN)
    await store.save_interaction(plot, proposed)
    two_lines = "\n".join(lines[:2])
    disk = Contributor(kind="unknown", name="file on disk")
    await store.record_events(
        plot,
        [
            event("accept", turn_id=1, source=lines[0]),
            event("edit", source=two_lines, contributor=BLACK),
            event("edit", source=SOURCES["plot"], contributor=disk),
        ],
    )
    first = event("edit", source=SOURCES["text"], data={"trigger": "first"})
    await store.record_events(SessionKey(NOTEBOOK, "text"), [first])

    def entry(type_: str, **data: Any) -> NewLogEntry:
        return NewLogEntry(type=type_, timestamp=NOON, data=data)

    agent = {"name": "Codex", "version": "1.2"}
    seqs = {"load": 4, "plot": 4, "text": 1}
    await store.append_notebook_log(
        NOTEBOOK,
        [
            entry("path_seen", path=path),
            entry("run", run=RUN, agent=agent, intent="Clean the *data*", state="begun"),
            entry("run", run=RUN, state="ended", summary="Empty rows are gone."),
            entry("cell_order", cell_ids=list(SOURCES), types=dict.fromkeys(SOURCES, "code")),
            entry("changed", cells=seqs, id="one", saved=True),
        ],
    )


def history() -> History:
    """Return the notebook's history."""

    async def load() -> History:
        store = InMemorySessionManager()
        await fill(store)
        return await Histories(store).load(NOTEBOOK)

    return asyncio.run(load())


def make(folder: Path, name: str = "sales.ipynb") -> Path:
    """Create the notebook's file and its history in a folder."""

    async def work() -> None:
        store = FileSessionManager(root=str(folder))
        await fill(store, name)
        await store.close()

    asyncio.run(work())
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(file_text(), "utf-8")
    return file


def lines_by_number(text: str) -> dict[int, str]:
    """Return the lines of a file that are one line of source, as source."""
    lines = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip().rstrip(",")
        if stripped.startswith('"') and not stripped.startswith(('"id"', '"cell_type"')):
            try:
                lines[number] = str(json.loads(stripped)).rstrip("\n")
            except ValueError:
                continue
    return lines
