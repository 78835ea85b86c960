"""Contenders that do only what any durable store must do, as lower limits for the times of stores.

To replace a file durably, ``replace`` writes a temp file, flushes it, renames it, and flushes the
folder. ``Reload`` reads a session's file, appends a turn and calls ``replace``. ``Lines`` appends a
line to a file and flushes the file. None of them handles concurrent writers.

This module imports only the standard library (see ``base.py``).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from base import Contender
from turns import Turn


def record(turn: Turn, number: int) -> dict[str, object]:
    """Return a turn in AI Server's stored format."""
    return {
        "turn_id": number,
        "timestamp": "2026-01-27T12:00:00.000Z",
        "user_request": {"intent": turn.intent, "current_code": turn.code, "language": "python"},
        "ai_response": {
            "suggestion": turn.answer,
            "explanation": turn.explanation,
            "status": "success",
            "error": None,
        },
        "seq": number,
        "model": "local:qwen2.5-coder-0.5b",
    }


def replace(folder: str, name: str, data: bytes) -> None:
    """Replace a file durably."""
    temp = os.path.join(folder, f"{name}.{os.getpid()}.tmp")
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    os.replace(temp, os.path.join(folder, name))
    fd = os.open(folder, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


class Reload(Contender):
    """Keeps a session in a JSON file. A save reads the file and replaces it durably."""

    async def open(self) -> None:
        Path(self.place).mkdir(exist_ok=True)

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        self._write(cell, [record(t, n) for n, t in enumerate(turns, 1)])

    async def save(self, cell: str, prepared: Turn) -> None:
        turns = self._read(cell)
        self._write(cell, [*turns, record(prepared, len(turns) + 1)])

    async def load(self, cell: str) -> int:
        return len(self._read(cell))

    async def intents(self, cell: str) -> list[str]:
        return [item["user_request"]["intent"] for item in self._read(cell)]

    def _read(self, cell: str) -> list[dict]:
        path = Path(self.place) / f"{cell}.json"
        return json.loads(path.read_bytes()) if path.exists() else []

    def _write(self, cell: str, turns: list[dict]) -> None:
        data = json.dumps(turns, ensure_ascii=False, indent=2).encode()
        replace(self.place, f"{cell}.json", data)


class Lines(Contender):
    """Keeps a session in a file with one line for each turn. A save appends a line and flushes."""

    async def open(self) -> None:
        Path(self.place).mkdir(exist_ok=True)

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        lines = [json.dumps(record(t, n), ensure_ascii=False) for n, t in enumerate(turns, 1)]
        self._path(cell).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    async def save(self, cell: str, prepared: Turn) -> None:
        line = json.dumps(record(prepared, 0), ensure_ascii=False) + "\n"
        fd = os.open(self._path(cell), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(fd, line.encode())
        os.fsync(fd)
        os.close(fd)

    async def load(self, cell: str) -> int:
        return len(self._read(cell))

    async def history(self, cell: str, turns: int) -> int:
        return len(self._read(cell)[-turns:])

    async def intents(self, cell: str) -> list[str]:
        return [item["user_request"]["intent"] for item in self._read(cell)]

    def _path(self, cell: str) -> Path:
        return Path(self.place) / f"{cell}.jsonl"

    def _read(self, cell: str) -> list[dict]:
        path = self._path(cell)
        return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []
