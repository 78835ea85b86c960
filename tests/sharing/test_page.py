"""The exported page: it is complete, and contents of sessions are never markup.

``ui-tests/tests/sharing.spec.ts`` opens it in a browser.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from aiserver.models import NewEvent, NewLogEntry, SessionKey
from aiserver.notebooks.history import Histories, History
from aiserver.plugins.export.export import export
from aiserver.plugins.export.page import catalogues, page
from aiserver.plugins.export.page_data import AUTHORS, page_data
from aiserver.plugins.export.pictures import (
    data_urls,
    load_pictures,
    output_hashes,
    referenced_pictures,
)
from aiserver.plugins.sessions.importers import detect
from aiserver.plugins.sessions.importers.base import InputFile
from aiserver.replay import blame, trace
from aiserver.sessions.memory import InMemorySessionManager

from ..effort import at_most
from .demo import HOSTILE, NOTEBOOK, fill, picture

VERDANT = Path(__file__).parent.parent / "data" / "imports" / "verdant"
ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "aiserver" / "plugins" / "export" / "page" / "page.js"


def demo() -> tuple[InMemorySessionManager, History]:
    async def work() -> tuple[InMemorySessionManager, History]:
        store = InMemorySessionManager()
        await fill(store)
        return store, await Histories(store).load(NOTEBOOK)

    return asyncio.run(work())


class Elements(HTMLParser):
    """The elements of a page with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self._open = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            at = len(self.elements) - 1
            self.texts[at] = self.texts.get(at, "") + data

    def all(self, name: str) -> list[tuple[dict[str, str | None], str]]:
        rows = enumerate(self.elements)
        return [(attributes, self.texts.get(n, "")) for n, (tag, attributes) in rows if tag == name]


def data_of(content: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Elements(content).all("script")[0][1])
    return data


def test_the_page_contains_its_data_and_no_other_elements() -> None:
    """P10, P12"""
    store, history = demo()
    content = asyncio.run(export(store, history, "html", "sales.ipynb")).content
    elements = Elements(content)
    kinds = {tag for tag, _ in elements.elements}
    assert kinds == {"html", "head", "meta", "title", "style", "body", "noscript", "div", "script"}
    assert [attributes.get("type") for attributes, _ in elements.all("script")] == [
        "application/json",
        None,
    ]
    data = data_of(content)
    assert data == json.loads(json.dumps(page_data(history, "sales.ipynb", data["pictures"])))
    assert any(HOSTILE in text for text in data["texts"])
    for attributes, _ in elements.all("meta") + elements.all("script"):
        assert not {"src", "href"} & attributes.keys()
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", content)


def test_the_name_of_a_notebook_is_text() -> None:
    """P12: file names are text in the page."""
    _, history = demo()
    content = page(page_data(history, f"{HOSTILE}</title><b>.ipynb", {}))
    assert Elements(content).all("title")[0][1] == f"{HOSTILE}</title><b>.ipynb"
    assert not Elements(content).all("b") and not Elements(content).all("img")


def test_the_content_security_policy_allows_only_the_script_and_style() -> None:
    """P11, P12: nothing else can run, and nothing can be loaded."""
    _, history = demo()
    elements = Elements(page(page_data(history, "a", {})))
    (policy,) = (
        attributes["content"]
        for attributes, _ in elements.all("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None

    def digest(text: str) -> str:
        sha256 = hashlib.sha256(text.encode()).digest()
        return f"'sha256-{base64.b64encode(sha256).decode()}'"

    rules = dict(rule.split(" ", 1) for rule in html.unescape(policy).split("; "))
    assert rules == {
        "default-src": "'none'",
        "script-src": digest(elements.all("script")[1][1]),
        "style-src": digest(elements.all("style")[0][1]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_the_script_never_parses_text_as_html() -> None:
    """P12"""
    scripts = SCRIPT.read_text("utf-8")
    ways = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|eval\(|Function\("
    )
    assert scripts and not re.search(ways, scripts)
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", scripts)


def test_the_page_has_the_blame_of_each_step() -> None:
    _, history = demo()
    data = page_data(history, "a", {})
    for cell in data["cells"]:
        session = history.sessions[cell["id"]]
        for number, step in enumerate(cell["steps"]):
            lines = sum(run[0] for run in step["by"])
            assert lines == len(data["texts"][step["code"]].split("\n"))
            if step["applied"]:
                origins = blame(session, step=number, session_by_cell=history.sessions)
                runs = [
                    [
                        origin.step,
                        AUTHORS.index("existing" if origin.is_existing else origin.author),
                    ]
                    for origin in origins
                ]
                assert [run[1:3] for run in step["by"] for _ in range(run[0])] == runs


def test_only_real_pictures_are_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    """P10: their first bytes decide; SVG and too many pictures are left out."""

    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        key = SessionKey(NOTEBOOK, "plot")
        svg = await store.put_blob(b'<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>')
        markup = await store.put_blob(b"<html>")
        images = [{"sha256": sha256, "mime": "image/png"} for sha256 in (svg, markup)]
        run = {"type": "run", "timestamp": "2026-02-01T00:00:00Z", "data": {}}
        run["data"] = {"outputs": {"images": [*images, None, {"sha256": 3}]}}
        await store.record_events(key, [NewEvent.model_validate(run)])
        history = await Histories(store).load(NOTEBOOK)
        references = referenced_pictures(history)
        assert output_hashes({"outputs": {"images": 5}}) == []  # a damaged run
        urls = data_urls(await load_pictures(store, references, owner=""))
        (data,) = urls.values()
        head, _, body = data.partition(",")
        assert (head, base64.b64decode(body)) == ("data:image/png;base64", picture())
        monkeypatch.setattr("aiserver.plugins.export.pictures.LIMIT", 10)
        assert await load_pictures(store, references, owner="") == {}

    asyncio.run(work())


def verdant() -> History:
    """Import the history of a real notebook from Verdant: 25 cells."""

    async def work() -> History:
        store = InMemorySessionManager()
        source = InputFile(
            Path("verdant/houses_kc.ipyhistory"),
            (VERDANT / "houses_kc.ipyhistory").read_bytes(),
            notebook=(VERDANT / "houses_kc.ipynb").read_bytes(),
        )
        read = detect.read(source, None)
        for (owner, id_), log in read.logs.items():
            entries = [NewLogEntry.model_validate(entry.to_dict()) for entry in log]
            await store.append_notebook_log(id_, entries, owner=owner)
        for session in read.sessions:
            meta = session.meta
            await store.merge_copy(SessionKey(meta.notebook_id, meta.cell_id), session)
        return await Histories(store).load(read.sessions[0].meta.notebook_id)

    return asyncio.run(work())


def test_time_and_size_grow_linearly_with_the_steps() -> None:
    """The page of 1,000 cells × 10 steps is small and fast to render."""

    async def work() -> History:
        store = InMemorySessionManager()
        stamp = "2026-01-01T00:00:00Z"
        for number in range(1000):
            lines = [f"line_{n} = {number}" for n in range(10)]
            events = [
                NewEvent(type="edit", timestamp=stamp, source="\n".join(lines[: n + 1]))
                for n in range(10)
            ]
            await store.record_events(SessionKey("big", f"cell-{number:04}"), events)
        ids = {"cell_ids": [f"cell-{number:04}" for number in range(1000)]}
        await store.append_notebook_log(
            "big", [NewLogEntry(type="cell_order", timestamp=stamp, data=ids)]
        )
        return await Histories(store).load("big")

    history = asyncio.run(work())
    with at_most(steps=400_000_000):
        content = page(page_data(history, "big.ipynb", {}))
    assert len(content) < 8_000_000


def test_every_text_of_the_page_is_translated_in_it() -> None:
    """The page contains the translations that it uses, in each language."""
    with (ROOT / "translations" / "aiserver.pot").open("rb") as file:
        messages = [message for message in read_po(file) if message.id]
    texts = {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in messages
        if any(path.startswith("src/plugins/exportedPage/") for path, _ in message.locations)
        and not message.context
    }
    embedded = catalogues(SCRIPT.read_text("utf-8"))
    assert len(texts) > 60 and embedded.keys() == {"zh-CN", "zh-TW"}
    for catalogue in embedded.values():
        assert texts - catalogue.keys() == set()
        assert len(catalogue) < len(messages) / 3  # only those


def test_numbers_that_json_cannot_represent_are_left_out() -> None:
    """Other tools write sessions, too."""

    async def work() -> History:
        store = InMemorySessionManager()
        data = {"status": "ok", "duration_ms": float("nan"), "outputs": {"text": "a", "n": [1e999]}}
        run = NewEvent(type="run", timestamp="2026-01-01T00:00:00Z", source="a", data=data)
        await store.record_events(SessionKey("nb", "a"), [run])
        return await Histories(store).load("nb")

    steps = data_of(page(page_data(asyncio.run(work()), "a", {})))["cells"][0]["steps"]
    assert steps[-1]["data"] == {"duration_ms": None, "outputs": {"text": "a", "n": [None]}}


def test_each_cell_is_traced_once_and_no_session_is_parsed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The report of the page counts the lines that were traced for its steps."""

    async def work() -> History:
        store = InMemorySessionManager()
        stamp = "2026-01-01T00:00:00Z"
        run = {"outputs": {"images": [{"sha256": "0" * 64}]}}
        for cell_id in ("a", "b"):
            await store.record_events(
                SessionKey("nb", cell_id),
                [
                    NewEvent(type="edit", timestamp=stamp, source="x = 1"),
                    NewEvent(type="run", timestamp=stamp, source="x = 1", data=run),
                ],
            )
        return await Histories(store).load("nb")

    history, traced = asyncio.run(work()), []

    def counting_trace(cell_id: str, *rest: Any) -> Any:
        traced.append(cell_id)
        return trace(cell_id, *rest)

    monkeypatch.setattr("aiserver.plugins.export.page_data.trace", counting_trace)
    monkeypatch.setattr(sys.modules["aiserver.replay.report"], "trace", counting_trace)
    monkeypatch.setattr("aiserver.notebooks.history.codec.parse", None)
    assert referenced_pictures(history) == ["0" * 64]
    data = page_data(history, "nb.ipynb", {}, language="python")
    assert traced == ["a", "b"] and data["report"]["total"]["byPerson"] == 2
