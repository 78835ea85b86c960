"""The page: what is in it, and that nothing of a session gets out of its place.

That it works, offline and in a real browser, is shown by ``ui-tests/tests/sharing.spec.ts``.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from aiserver.models import Event, Interaction, NewEvent, NewLogEntry, SessionKey
from aiserver.notebooks.history import Histories, History
from aiserver.replay import blame
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sharing.export import export
from aiserver.sharing.page import page
from aiserver.sharing.page_data import AUTHORS, page_data
from aiserver.sharing.pictures import data_urls, load_pictures, referenced_pictures
from aiserver.transfer.importers import detect
from aiserver.transfer.importers.base import Source

from .demo import HOSTILE, NOTEBOOK, fill, picture

VERDANT = Path(__file__).parent.parent / "data" / "imports" / "verdant"
PAGE = Path(__file__).parent.parent.parent / "aiserver" / "sharing" / "page"


def demo() -> tuple[InMemorySessionManager, History]:
    async def work() -> tuple[InMemorySessionManager, History]:
        store = InMemorySessionManager()
        await fill(store)
        return store, await Histories(store).load(NOTEBOOK)

    return asyncio.run(work())


class Elements(HTMLParser):
    """The elements of a page, with their attributes and text, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self._open = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            at = len(self.found) - 1
            self.texts[at] = self.texts.get(at, "") + data

    def all(self, name: str) -> list[tuple[dict[str, str | None], str]]:
        rows = enumerate(self.found)
        return [(found, self.texts.get(n, "")) for n, (tag, found) in rows if tag == name]


def data_of(made: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Elements(made).all("script")[0][1])
    return found


def test_the_page_holds_all_and_nothing_gets_out_of_its_place() -> None:
    """P10, P12"""
    store, history = demo()
    made = asyncio.run(export(store, history, "html", "sales.ipynb")).content
    elements = Elements(made)
    kinds = {tag for tag, _ in elements.found}
    assert kinds == {"html", "head", "meta", "title", "style", "body", "noscript", "div", "script"}
    assert [found.get("type") for found, _ in elements.all("script")] == ["application/json", None]
    told = data_of(made)
    assert told == json.loads(json.dumps(page_data(history, "sales.ipynb", told["pictures"])))
    assert any(HOSTILE in text for text in told["texts"])
    for found, _ in elements.all("meta") + elements.all("script"):
        assert not {"src", "href"} & found.keys()
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", made)


def test_the_name_of_a_notebook_is_text() -> None:
    """P12: file names are text in the page."""
    _, history = demo()
    made = page(page_data(history, f"{HOSTILE}</title><b>.ipynb", {}))
    assert Elements(made).all("title")[0][1] == f"{HOSTILE}</title><b>.ipynb"
    assert not Elements(made).all("b") and not Elements(made).all("img")


def test_the_policy_names_the_very_script_and_style() -> None:
    """P11, P12: nothing else can run, and nothing be loaded."""
    _, history = demo()
    elements = Elements(page(page_data(history, "a", {})))
    (policy,) = (
        found["content"]
        for found, _ in elements.all("meta")
        if found.get("http-equiv") == "Content-Security-Policy"
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


def test_the_script_makes_no_html_of_text() -> None:
    """P12"""
    scripts = "".join(file.read_text("utf-8") for file in PAGE.glob("*.js"))
    ways = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|eval\(|Function\("
    )
    assert scripts and not re.search(ways, scripts)
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", scripts)


def test_blame_on_the_page_is_that_of_each_step() -> None:
    _, history = demo()
    told = page_data(history, "a", {})
    for cell in told["cells"]:
        session = history.sessions[cell["id"]]
        for number, step in enumerate(cell["steps"]):
            lines = sum(run[0] for run in step["by"])
            assert lines == len(told["texts"][step["code"]].split("\n"))
            if step["applied"]:
                origins = blame(session, step=number, others=history.sessions)
                runs = [
                    [one.step, AUTHORS.index("existing" if one.is_existing else one.author)]
                    for one in origins
                ]
                assert [run[1:3] for run in step["by"] for _ in range(run[0])] == runs


def test_only_real_pictures_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """P10: by their first bytes; never SVG, never more than fits."""

    async def work() -> None:
        store = InMemorySessionManager()
        await fill(store)
        key = SessionKey(NOTEBOOK, "plot")
        svg = await store.put_blob(b'<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>')
        page_ = await store.put_blob(b"<html>")
        images = [{"sha256": one, "mime": "image/png"} for one in (svg, page_)]
        run = {"type": "run", "timestamp": "2026-02-01T00:00:00Z", "data": {}}
        run["data"] = {"outputs": {"images": [*images, None, {"sha256": 3}]}}
        await store.record_events(key, [NewEvent.model_validate(run)])
        history = await Histories(store).load(NOTEBOOK)
        named = referenced_pictures(history)
        found = data_urls(await load_pictures(store, named, owner=""))
        (data,) = found.values()
        head, _, body = data.partition(",")
        assert (head, base64.b64decode(body)) == ("data:image/png;base64", picture())
        monkeypatch.setattr("aiserver.sharing.pictures.LIMIT", 10)
        assert await load_pictures(store, named, owner="") == {}

    asyncio.run(work())


def verdant() -> History:
    """The real histories that Verdant kept of a notebook: 25 cells."""

    async def work() -> History:
        store = InMemorySessionManager()
        source = Source(
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
            await store.take_over(SessionKey(meta.notebook_id, meta.cell_id), session)
        return await Histories(store).load(read.sessions[0].meta.notebook_id)

    return asyncio.run(work())


def test_real_histories_are_on_the_page_to_the_letter() -> None:
    """Each source that Verdant kept can be read off the page."""
    history = verdant()
    told = data_of(page(page_data(history, "houses_kc.ipynb", {})))
    assert len(told["cells"]) == len(history.sessions) == 25
    on_page = {
        cell["id"]: {told["texts"][step["code"]] for step in cell["steps"]}
        for cell in told["cells"]
    }
    versions = 0
    for cell_id, session in history.sessions.items():
        for item in session.ordered():
            source = item.source if isinstance(item, Event) else None
            assert not isinstance(item, Interaction)
            if source is not None:
                versions += 1
                assert source in on_page[cell_id]
    assert versions > 100


def test_a_large_notebook_is_told_in_little_time_and_room() -> None:
    """1,000 cells × 10 steps: what the file holds grows with the steps, not with their square."""

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
    began = time.perf_counter()
    made = page(page_data(history, "big.ipynb", {}))
    assert time.perf_counter() - began < 20  # it takes 2 s; a square of it would take minutes
    assert len(made) < 8_000_000


def test_every_text_of_the_page_is_in_chinese_too() -> None:
    """A sentence of the page without its two translations would be English between Chinese."""
    sources = "".join(path.read_text("utf-8") for path in sorted(PAGE.glob("*.js")))
    words = (PAGE / "words.js").read_text("utf-8")
    table = words[words.index("const CHINESE") : words.index("const LANGUAGE")]
    keys = {quoted or bare for quoted, bare in re.findall(r"^  (?:'(.+)'|(\w+)): \[", table, re.M)}
    said = set(re.findall(r"\bt\(\s*'([^']+)'", sources))
    assert len(said) > 60 and said - keys == set()
