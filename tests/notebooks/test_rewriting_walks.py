"""P28: random work with git and tools that rewrite notebooks shows no cell another one's history.

``AISERVER_REWRITES=500 pytest -s --timeout=0 tests/notebooks/test_rewriting_walks.py`` runs that
many walks, and prints how many cells were found. ``AISERVER_FIRST_REWRITE`` is the first seed.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from .rewriting import TOOLS, read, source, write

_FIRST = int(os.environ.get("AISERVER_FIRST_REWRITE", "1"))
WALKS = range(_FIRST, _FIRST + int(os.environ.get("AISERVER_REWRITES", "4")))
STEPS = 12
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
SHORT = ("plt.show()", "df.head()", "import pandas as pd", "x = 1", "print('done')\n# 完成")
_KEY = "cell"  # of the truth in the metadata of each cell, which the product doesn't read
_WORD = re.compile(r"\bW\d+\b")


@dataclass
class Truth:
    """The histories and contents that a cell really has."""

    allowed: set[str]
    """The words of the requests that its history may contain."""
    asked: set[str] = field(default_factory=set)
    """The words of its own requests, and of those of the cell that it is a copy of."""
    seen: set[str] = field(default_factory=set)
    """The contents that a page recorded after its first request."""


class Walk:
    """Notebooks in a repository with two branches, a page that is used, and random steps.

    ``counts`` has the unchanged cells with a history (``kept``), those of which were ``found``, the
    cells with the history of another one (``wrong``), and of these, those with the same text as the
    other cell had (``same text``).
    """

    def __init__(self, root: Path, call: Any, contents: Any, scripted: Any, seed: int) -> None:
        self.root, self.call, self.contents, self.scripted = root, call, contents, scripted
        self.random = Random(seed)
        self.truths: dict[str, Truth] = {}
        self.owner: dict[str, str] = {}  # the cells of the words of requests
        self.counts = Counter[str]()
        self.log: list[str] = []
        self.number = itertools.count(1)
        self.open: list[dict[str, Any]] = []
        self.path = "a.ipynb"
        self.id: str | None = None
        self.model: dict[str, Any] = {}

    # The file

    def git(self, *words: str) -> bool:
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, timeout=60)
        return done.returncode == 0

    def begin(self) -> None:
        self.git("init", "-q", "-b", "one")
        cells = [self.new_cell() for _ in range(self.random.randint(2, 5))]
        notebook = {
            "cells": cells,
            "metadata": {"kernelspec": KERNEL},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        write(self.root / self.path, notebook)
        if self.random.random() < 0.5:  # many teams don't share histories
            (self.root / ".gitignore").write_text(".aiserver_sessions/\n")
        self.commit()
        self.git("branch", "two")

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "work")

    def new_cell(self, like: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return a new cell, or a copy of one."""
        name = f"c{next(self.number)}"
        origin = self.truths[like["metadata"][_KEY]] if like else Truth(set())
        self.truths[name] = Truth(set(origin.allowed), set(origin.asked) if like else set())
        return {
            "id": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
            "cell_type": "code",
            "metadata": {_KEY: name},
            "execution_count": None,
            "outputs": [],
            "source": source(like) if like else self.text(),
        }

    def text(self) -> str:
        if self.random.random() < 0.3:
            return self.random.choice(SHORT)
        n = next(self.number)
        lines = [f"value_{n} = load('part {n}.csv')", f"value_{n}.describe(include='all')"]
        return "\n".join(lines[: self.random.randint(1, 2)])

    # The page

    async def open_page(self) -> None:
        """Open the notebook, check which histories its cells have, and record their contents."""
        had_id = "aiserver" in read(self.root / self.path)["metadata"]
        answer = await self.contents("GET", self.path)
        self.model = answer["content"]
        self.open = self.model["cells"]
        for cell in self.open:
            cell["id"] = cell.get("id") or str(uuid.uuid4())
            if _KEY not in cell["metadata"]:  # of papermill
                cell["metadata"][_KEY] = self.new_cell()["metadata"][_KEY]
        self.id = self.model["metadata"].get("aiserver", {}).get("notebook_id")
        self.model["nbformat_minor"] = 5
        if self.id:
            await self.register()
        sessions = await self.sessions()
        self.check(sessions, f"{self.id}_*" if had_id else "*")
        if any(sessions.values()):
            await self.record({cell["id"]: [("edit", cell)] for cell in self.open})

    async def register(self) -> None:
        body = {"path": self.path, "notebookId": self.id, "cellIds": self.ids()}
        answer = await self.call("POST", "notebooks", body)
        assert answer.status == 200, answer.raw
        self.id = answer.data["notebookId"]
        own = self.model["metadata"].setdefault("aiserver", {})
        own["notebook_id"] = self.id

    def ids(self) -> list[str]:
        return [cell["id"] for cell in self.open]

    async def sessions(self) -> dict[str, set[str]]:
        """Return the words of the requests in the history of each open cell."""
        words: dict[str, set[str]] = {}
        for cell in self.open if self.id else ():
            answer = await self.call("GET", f"sessions/{self.id}/{cell['id']}")
            turns = answer.data["interactions"] if answer.status == 200 else []
            intents = [t["user_request"]["intent"] for t in turns if "user_request" in t]
            words[cell["id"]] = set(_WORD.findall(" ".join(intents)))
        return words

    def check(self, sessions: dict[str, set[str]], pattern: str) -> None:
        """Compare the histories of the open cells with those that are stored on this branch."""
        files = (self.root / ".aiserver_sessions").glob(f"{pattern}.json")
        stored = set(_WORD.findall("".join(path.read_text("utf-8") for path in files)))
        self.log.append(f"  {self.path} {(self.id or '')[:8]}")
        for cell in self.open:
            truth, words = self.truth(cell), sessions.get(cell["id"], set())
            name, text = cell["metadata"][_KEY], source(cell)
            self.log.append(f"    {name} {cell['id'][:8]} {text!r} {' '.join(sorted(words))}")
            self._check_words(cell, words, "shown")
            if truth.asked & stored and text in truth.seen and self._is_unique(cell):
                self.counts["kept"] += 1
                self.counts["found"] += bool(truth.asked & words)
                if not truth.asked & words:
                    self.log.append(f"    NOT FOUND: {name} has no {' '.join(sorted(truth.asked))}")
            if truth.asked & stored and not truth.asked & words:
                truth.asked.clear()  # counted once: from now on, it is another cell

    def _is_unique(self, cell: dict[str, Any]) -> bool:
        """Return whether no other cell has had the text, so that it says which cell it is."""
        own = cell["metadata"][_KEY]
        seen = {text for name, truth in self.truths.items() if name != own for text in truth.seen}
        others = {source(other) for other in self.open if other is not cell}
        return source(cell) not in SHORT and source(cell) not in seen | others

    def _check_words(self, cell: dict[str, Any], words: set[str], how: str) -> None:
        others = {self.owner[word] for word in words - self.truth(cell).allowed}
        if others:
            same = any(source(cell) in self.truths[other].seen for other in others)
            self.counts["same text" if same else "wrong"] += 1
            self.log.append(f"    WRONG: {cell['metadata'][_KEY]} is {how} as {others}")

    def truth(self, cell: dict[str, Any]) -> Truth:
        return self.truths[cell["metadata"][_KEY]]

    async def record(self, events: dict[str, list[tuple[str, Any]]], **more: Any) -> None:
        """Send events as the page does, each with the cell's text, and the order of the cells."""
        cells = [
            {"cellId": id_, **extra, "events": [event]}
            for id_, pairs in events.items()
            for kind, cell in pairs
            for event, extra in [self._event(kind, cell)]
            if event.get("source") != ""
        ]
        order = [{"id": cell["id"], "type": cell["cell_type"]} for cell in self.open]
        body = {"id": str(uuid.uuid4()), "cells": cells, "order": order, **more}
        answer = await self.call("POST", f"notebooks/{self.id}/changes", body)
        assert answer.status == 201, answer.raw
        for cell in self.open:
            if self.truth(cell).asked:
                self.truth(cell).seen.add(source(cell))

    def _event(self, kind: str, cell: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        if kind == "delete":
            return {"type": kind}, {}
        event = {"type": kind, "source": source(cell), "id": str(uuid.uuid4())}
        if kind in ("copy", "split"):
            origin = cell["metadata"].pop("from")
            data: dict[str, Any] = {"from": {"notebook_id": self.id, "cell_id": origin}}
            if kind == "split":
                data = {"pieces": [origin, cell["id"]], "from": origin}
            return event | {"data": data}, {"forkOf": {"notebookId": self.id, "cellId": origin}}
        return event | {"data": {"trigger": "save"}}, {}

    async def ask(self) -> None:
        cell = self.random.choice(self.open)
        if not self.id:
            await self.register()
        await self.save()
        word, answer = f"W{next(self.number)}", self.text()
        truth, before = self.truth(cell), len(self.scripted.requests)
        self.scripted.script({"text": f"```python\n{answer}\n```"})
        body = {"notebookId": self.id, "cellId": cell["id"], "intent": f"do {word}"}
        reply = await self.call("POST", "generate", body | {"source": source(cell)})
        assert reply.status == 200, reply.raw
        sent = json.dumps([other["body"] for other in self.scripted.requests[before:]])
        words = self.owner.keys() & set(_WORD.findall(sent))
        # The request of the cell above may be sent, too, as that of the cell above.
        self.counts["requests"] += 1
        above = self.open[: self.open.index(cell)]
        visible = set().union(*(self.truth(other).allowed for other in above))
        self._check_words(cell, words - visible, "sent")
        name = self.owner[word] = cell["metadata"][_KEY]
        self.log.append(f"    asked {name} {word}")
        truth.allowed.add(word)
        truth.asked.add(word)
        if self.random.random() < 0.8:
            cell["source"] = answer
            turn = reply.data["turn_id"]
            event = {"type": "accept", "turnId": turn, "source": answer, "id": str(uuid.uuid4())}
            path = f"sessions/{self.id}/{cell['id']}/events"
            done = await self.call("POST", path, [event])
            assert done.status == 201, done.raw
        await self.record({other["id"]: [("edit", other)] for other in self.open})

    async def edit(self) -> None:
        kind = self.random.choice(["type", "type", "insert", "delete", "move", "split", "copy"])
        cell = self.random.choice(self.open)
        self.log.append(f"    {kind} {cell['metadata'][_KEY]}")
        at = self.open.index(cell)
        events: dict[str, list[tuple[str, Any]]] = {}
        if kind == "type":
            new_texts = [source(cell) + "\n# more", self.text(), source(cell)]
            cell["source"] = self.random.choice(new_texts)
            events[cell["id"]] = [("edit", cell)]
        elif kind == "insert":
            new = self.new_cell()
            self.open.insert(self.random.randint(0, len(self.open)), new)
            events[new["id"]] = [("edit", new)]
        elif kind == "delete" and len(self.open) > 2:
            self.open.pop(at)
            events[cell["id"]] = [("delete", None)]
        elif kind == "move":
            self.open.insert(self.random.randrange(len(self.open)), self.open.pop(at))
        elif kind == "split" and "\n" in source(cell):
            top, _, rest = source(cell).partition("\n")
            new = self.new_cell(cell)
            new["source"], cell["source"] = top, rest
            new["metadata"]["from"] = cell["id"]
            self.open.insert(at, new)
            events = {new["id"]: [("split", new)], cell["id"]: [("edit", cell)]}
        elif kind == "copy":
            new = self.new_cell(cell)
            new["metadata"]["from"] = cell["id"]
            self.open.insert(self.random.randint(at + 1, len(self.open)), new)
            events[new["id"]] = [("copy", new)]
        if self.id and any((await self.sessions()).values()):
            await self.record(events)
        for other in self.open:
            other["metadata"].pop("from", None)

    async def save(self) -> None:
        await self.contents("PUT", self.path, self.model)
        if self.id and any(self.truth(cell).asked for cell in self.open):
            await self.record({cell["id"]: [("edit", cell)] for cell in self.open}, saved=True)

    # Steps

    async def work(self) -> None:
        await self.open_page()
        for _ in range(self.random.randint(1, 3)):
            await self.random.choice([self.ask, self.edit])()
        if self.random.random() < 0.9:
            self.log.append("    save")
            await self.save()

    async def tool(self) -> None:
        name = self.random.choice(sorted(TOOLS))
        self.log[-1] += f" {name}"
        TOOLS[name](self.root / self.path, self.random)
        await self.open_page()
        if self.random.random() < 0.5:
            await self.ask()
            await self.save()

    async def switch(self) -> None:
        self.commit()
        branch = self.random.choice(["one", "two"])
        self.git("switch", "-q", branch)
        self.log[-1] += f" {branch}"
        self._find_path()
        await self.open_page()

    async def merge(self) -> None:
        self.commit()
        side = self.random.choice(["ours", "theirs"])
        if not self.git("merge", "-q", "-m", "m", "-X", side, self.random.choice(["one", "two"])):
            self.git("checkout", f"--{side}", ".")
            self.commit()
        self._find_path()
        try:
            pairs = self._pairs((self.root / self.path).read_text("utf-8"))
            before = [pair for parent in "12" for pair in self._pairs(self.show(f"HEAD^{parent}"))]
            is_merged = self.git("rev-parse", "-q", "--verify", "HEAD^2")
            is_mixed = len(dict(pairs)) < len(pairs) or bool(set(pairs) - set(before))
            is_sound = not (is_merged and is_mixed)
        except (ValueError, KeyError, TypeError, AttributeError):
            is_sound = False
        if not is_sound:  # git has mixed the lines of two cells
            self.git("reset", "-q", "--hard", "HEAD^")
            self._find_path()
        await self.open_page()

    def show(self, commit: str) -> str:
        words = ["git", "show", f"{commit}:{self.path}"]
        return subprocess.run(words, cwd=self.root, capture_output=True).stdout.decode() or "{}"

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        """Return the true cells and the ids in a file."""
        cells = json.loads(text).get("cells", [])
        return [(cell["metadata"][_KEY], cell.get("id") or str(cell["metadata"])) for cell in cells]

    def _find_path(self) -> None:
        if not (self.root / self.path).exists():
            self.path = next(path.name for path in sorted(self.root.glob("*.ipynb")))

    async def outside(self) -> None:
        """Add, remove or move a cell in another program, which keeps the ids or not."""
        notebook = read(self.root / self.path)
        cells = notebook["cells"]
        kind = self.random.choice(["add", "remove", "move"])
        if kind == "add":
            cells.insert(self.random.randint(0, len(cells)), self.new_cell())
        elif kind == "remove" and len(cells) > 2:
            cells.pop(self.random.randrange(len(cells)))
        else:
            cells.insert(self.random.randrange(len(cells)), cells.pop())
        if notebook["nbformat_minor"] < 5:
            for cell in cells:
                cell.pop("id", None)
        write(self.root / self.path, notebook)
        await self.tool()

    async def rename(self) -> None:
        new = f"n{next(self.number)}.ipynb"
        (self.root / self.path).rename(self.root / new)
        self.path = new
        await self.open_page()

    async def copy_file(self) -> None:
        """Copy the file. If it has an id, its new cells begin with the same history."""
        new = f"n{next(self.number)}.ipynb"
        shutil.copy(self.root / self.path, self.root / new)
        notebook = read(self.root / new)
        has_id = "aiserver" in notebook["metadata"]
        for cell in notebook["cells"]:
            if _KEY in cell["metadata"]:
                old = self.truths[cell["metadata"][_KEY]]
                name = cell["metadata"][_KEY] = f"c{next(self.number)}"
                asked = set(old.asked) if has_id else set()
                self.truths[name] = Truth(set(old.allowed), asked, set(old.seen))
        write(self.root / new, notebook)
        self.path, old_path = new, self.path
        await self.open_page()  # until it is opened, it may be the moved notebook
        if self.random.random() < 0.5:
            self.path = old_path
            await self.open_page()

    async def step(self) -> None:
        steps: list[Callable[[], Any]] = [self.work] * 4 + [self.tool] * 3
        steps += [self.switch, self.merge, self.outside, self.outside, self.rename, self.copy_file]
        step = self.random.choice(steps)
        self.log.append(step.__name__)
        await step()


@pytest.fixture
def contents(jp_fetch: Any) -> Callable[..., Any]:
    async def _contents(method: str, path: str, notebook: Any = None) -> Any:
        more: dict[str, Any] = {"params": {"type": "notebook"}}
        if notebook is not None:
            more = {"body": json.dumps({"type": "notebook", "format": "json", "content": notebook})}
        answer = await jp_fetch("api", "contents", path, method=method, **more)
        return json.loads(answer.body)

    return _contents


_totals = Counter[str]()


@pytest.fixture(scope="module", autouse=True)
def _print_totals() -> Iterator[None]:
    yield
    print("\n", dict(_totals), sorted(TOOLS))


@pytest.mark.parametrize("seed", WALKS)
async def test_random_work_mixes_no_histories(
    jp_root_dir: Path, call: Any, contents: Any, scripted: Any, seed: int
) -> None:
    walk = Walk(jp_root_dir, call, contents, scripted, seed)
    walk.begin()
    await walk.work()
    for _ in range(STEPS):
        await walk.step()
    _totals.update(walk.counts)
    assert not walk.counts["wrong"] + walk.counts["same text"], "\n".join(walk.log)
    assert walk.counts["found"] >= 0.9 * walk.counts["kept"], "\n".join(walk.log)
