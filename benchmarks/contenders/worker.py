"""One contender in a process of its own. Told what to do by lines of JSON, and answers with them.

    python worker.py <module>:<class> <place>

``{"do": "save", "cell": "c", "number": 7}`` -> ``{"wall": ms, "cpu": ms, "written": bytes}``. Only
the contender's own work is within the clock. Runs in the rivals' Python, too, so it needs nothing
but the standard library.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from turns import turn

_IO = Path("/proc/self/io")


class Meter:
    """Wall time, CPU time of the whole process, and bytes handed to the disk."""

    def __enter__(self) -> Meter:
        self._written = _written()
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = (time.perf_counter() - self._wall) * 1000
        self.cpu = (time.process_time() - self._cpu) * 1000
        self.written = _written() - self._written

    def figures(self) -> dict[str, Any]:
        return {"wall": self.wall, "cpu": self.cpu, "written": self.written}


def _written() -> int:
    if not _IO.exists():
        return 0
    fields = dict(line.split(": ") for line in _IO.read_text().splitlines())
    return int(fields["write_bytes"])


async def obey(contender: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Do one thing."""
    do, cell = order["do"], order.get("cell", "")
    if do == "fill":
        await contender.fill(
            cell, [turn(number, order["small"]) for number in range(order["turns"])]
        )
        return {}
    if do == "fill many":
        await contender.fill_many(order["notebook"], order["sessions"])
        return {}
    if do == "save":
        new = contender.made(turn(order["number"], order.get("small", False)))
        with Meter() as meter:
            await contender.save(cell, new)
        return meter.figures()
    if do == "floor":
        bare = contender.floor(cell)
        with Meter() as meter:
            bare()
        return meter.figures()
    with Meter() as meter:
        if do == "load":
            found = await contender.load(cell)
        elif do == "history":
            found = await contender.history(cell, order["turns"])
        elif do == "list":
            found = await contender.list(order["notebook"])
        else:
            raise ValueError(do)
    return meter.figures() | {"found": found}


async def write(contender: Any, cell: str, name: int, count: int) -> None:
    """Save turns that tell who made them, and say each that was acknowledged."""
    for number in range(name * 1_000_000, name * 1_000_000 + count):
        try:
            await contender.save(cell, contender.made(turn(number, small=True)))
        except Exception as reason:
            say({"failed": number, "why": type(reason).__name__})
        else:
            say({"kept": number})


async def kept(contender: Any, cell: str) -> dict[str, Any]:
    """What a new process finds: the intents, or that it can't be read."""
    try:
        return {"intents": await contender.intents(cell)}
    except Exception as reason:
        return {"unreadable": type(reason).__name__}


def say(content: dict[str, Any]) -> None:
    os.write(1, json.dumps(content).encode() + b"\n")


async def main() -> None:
    module, _, name = sys.argv[1].partition(":")
    contender = getattr(importlib.import_module(module), name)(sys.argv[2])
    await contender.open()
    say({"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "write":
            await write(contender, order["cell"], order["name"], order["count"])
            say({"done": True})
        elif order["do"] == "kept":
            say(await kept(contender, order["cell"]))
        else:
            try:
                say(await obey(contender, order))
            except NotImplementedError:
                say({"none": True})
    await contender.close()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(main())
