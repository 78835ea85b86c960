"""The contenders of a benchmark run, and the processes in which they run."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiserver.errors import SettingError
from aiserver.sessions.factory import create_session_manager
from tests.servers import new_database

FLOOR = "write, fsync, rename, fsync"
FILE = "ours: file"
# The stores of other projects: name, class in `rivals.py`, and whether the store is durable.
RIVALS = [
    ("LangChain FileChatMessageHistory", "FileChat", False),  # never calls fsync
    ("LangChain SQLChatMessageHistory", "SQLChat", True),
    ("LangGraph SqliteSaver", "LangGraph", True),
    ("openai-agents SQLiteSession", "Agents", True),
    ("nanobot SessionManager, fsync", "Nanobot", True),
]
WORKER = Path(__file__).with_name("worker.py")
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Entry:
    """A contender: its name, its class, the place of its store, and its guarantees."""

    name: str
    kind: str
    """The class, as ``<module>:<class>``."""
    place: str
    durable: bool = True
    """Whether a saved turn survives a power cut, with the settings that the benchmark uses."""
    shared: bool = True
    """Whether several processes can use the store at the same time."""

    @property
    def rival(self) -> bool:
        """Whether the contender runs in the Python environment of the other projects' stores."""
        return self.kind.startswith("rivals:")


class Process:
    """A process that runs a contender (``worker.py``). It gets orders and answers them."""

    def __init__(self, entry: Entry, python: str) -> None:
        self.entry = entry
        paths = [str(WORKER.parent)] if entry.rival else [str(WORKER.parent), str(ROOT)]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(
            [python, str(WORKER), entry.kind, entry.place],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            text=True,
        )
        self.read()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, **order: Any) -> None:
        """Send an order, without waiting for the answer."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """Read the next answer. Raises EOFError if the process has died."""
        assert self._process.stdout
        while line := self._process.stdout.readline():
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise EOFError(f"{self.entry.name} has ended")

    def request(self, order: str, **more: Any) -> dict[str, Any]:
        """Send an order and return the answer."""
        self.send(do=order, **more)
        return self.read()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Let the process end by closing its input; kill it if it doesn't end soon."""
        assert self._process.stdin and self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process.stdout.close()


class Field:
    """All contenders of one run. Their stores are in ``folder`` and on the servers at ``urls``."""

    def __init__(self, folder: Path, rivals_python: str, urls: dict[str, str]) -> None:
        self._folder, self._rivals, self._urls = folder, rivals_python, urls
        self._databases = 0  # the number of the Redis server's databases that are in use

    def entries(self, part: str) -> list[Entry]:
        """Return the available contenders, each with a new store for one part of the run."""
        folder = self._folder / part
        folder.mkdir()
        (folder / "files").mkdir()
        entries = [
            Entry("the same, read before", "floors:Reload", f"{folder}/reload"),
            Entry("JSONL: append, fsync", "floors:Lines", f"{folder}/lines"),
            Entry(FILE, "ours:Files", f"file://{folder}/files"),
            Entry("ours: memory", "ours:Ours", "memory://", durable=False, shared=False),
            Entry("ours: SQLite", "ours:Ours", f"sqlite:///{folder}/ours.db"),
        ]
        for name, url in self._urls.items():
            entries.append(Entry(f"ours: {name}", "ours:Ours", self._new_place(name, url)))
        if self._rivals:
            for name, kind, durable in RIVALS:
                place = f"{folder}/{kind.lower()}"
                entries.append(Entry(name, f"rivals:{kind}", place, durable=durable))
        return [entry for entry in entries if _is_available(entry)]

    def _new_place(self, name: str, url: str) -> str:
        """Return the URL of an empty database on a server; create the database if necessary."""
        if name == "Redis":
            self._databases += 1
            return f"{url.rpartition('/')[0]}/{self._databases}"
        return new_database(url)

    @contextlib.contextmanager
    def at_work(self, entries: list[Entry]) -> Iterator[list[Process]]:
        """Start a process for each entry, and end the processes afterwards."""
        processes: list[Process] = []
        try:
            for entry in entries:
                processes.append(self.start(entry))
            yield processes
        finally:
            for process in processes:
                process.end()

    def start(self, entry: Entry) -> Process:
        """Start a process for an entry, in the Python environment that the entry needs."""
        return Process(entry, self._rivals if entry.rival else sys.executable)


def _is_available(entry: Entry) -> bool:
    """Return whether a contender can run. Some of AI Server's stores need optional packages."""
    if not entry.kind.startswith("ours:"):
        return True
    try:
        create_session_manager(entry.place)
    except (SettingError, ImportError):
        return False
    return True
