"""Run one contender in a process of its own, which reads orders and writes answers as JSON lines.

    python worker.py <module>:<class> <place>

The order ``{"do": "save", "cell": "c", "number": 7}`` is answered by
``{"wall": ms, "cpu": ms}``. Only the contender's own work is measured.

The worker of another project's store runs in an environment without AI Server's packages, so this
module imports only the standard library.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
import time
import warnings
from typing import Any

from turns import turn


class Meter:
    """Measures elapsed time, and CPU time of the whole process."""

    def __enter__(self) -> Meter:
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = (time.perf_counter() - self._wall) * 1000
        self.cpu = (time.process_time() - self._cpu) * 1000

    def figures(self) -> dict[str, Any]:
        return {"wall": self.wall, "cpu": self.cpu}


async def execute(contender: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Execute one order and return the answer."""
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
        new = contender.prepare(turn(order["number"], order.get("small", False)))
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
            read_count = await contender.load(cell)
        elif do == "history":
            read_count = await contender.history(cell, order["turns"])
        elif do == "list":
            read_count = await contender.list(order["notebook"])
        else:
            raise ValueError(do)
    return meter.figures() | {"found": read_count}


async def write(contender: Any, cell: str, name: int, count: int) -> None:
    """Save ``count`` turns, and report each one that the store has acknowledged.

    ``name`` is the number of the writer; it makes the numbers of its turns unique.
    """
    for number in range(name * 1_000_000, name * 1_000_000 + count):
        try:
            await contender.save(cell, contender.prepare(turn(number, small=True)))
        except Exception as reason:
            send({"failed": number, "why": type(reason).__name__})
        else:
            send({"saved": number})


async def read_intents(contender: Any, cell: str) -> dict[str, Any]:
    """Return the stored intents or, if the session can't be read, the name of the error."""
    try:
        return {"intents": await contender.intents(cell)}
    except Exception as reason:
        return {"unreadable": type(reason).__name__}


def send(content: dict[str, Any]) -> None:
    """Write an answer, directly to the file descriptor, so that no buffer delays it."""
    os.write(1, json.dumps(content).encode() + b"\n")


async def main() -> None:
    """Create the contender and execute orders until the input ends."""
    module, _, name = sys.argv[1].partition(":")
    contender = getattr(importlib.import_module(module), name)(sys.argv[2])
    await contender.open()
    send({"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "write":
            await write(contender, order["cell"], order["name"], order["count"])
            send({"done": True})
        elif order["do"] == "read intents":
            send(await read_intents(contender, order["cell"]))
        else:
            try:
                send(await execute(contender, order))
            except NotImplementedError:
                send({"none": True})
    await contender.close()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(main())
