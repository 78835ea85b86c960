"""Measure how fast local models write on this machine.

The commands that install and list models send a request of their own; faster answers to people's
requests replace its result. The small file with the results also identifies the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import platform
from pathlib import Path
from typing import Any

from ...durable import replace_file
from ...errors import BadAnswer, ModelError, StorageError
from ..base import ModelInfo
from ..streaming import Limits
from . import machine, weights
from .catalogue import CatalogueModel
from .model import LocalModel, SpeedMeter
from .process import LocalProcess

PROBE_SECONDS = 10.0  # the maximum duration of a measurement, including the loading of the model
MAX_RATIO = 4  # of an answer's speed to the stored one
_FILE = "speeds.json"
_REQUEST = "Write a Python class for a bank account, with deposits, withdrawals and a history."


async def measure(
    model: CatalogueModel, path: Path, seconds: float = PROBE_SECONDS
) -> float | None:
    """Return how many tokens per second the model in the file ``path`` writes.

    Return None if it can't be started, or has written too little after ``seconds``.
    """
    process = LocalProcess(
        path, threads=machine.spare_cores(), context=model.context, memory=model.memory
    )
    limits = Limits(seconds, 100_000, requires_finish_reason=False)
    chat = LocalModel(ModelInfo(model.id, model.label, True), process, limits, style=model.style)
    return await measure_chat(chat, seconds)


async def measure_chat(chat: LocalModel, seconds: float) -> float | None:
    """Measure the speed of ``chat``, and close it."""
    from langchain_core.messages import HumanMessage

    meter = SpeedMeter()

    async def write() -> None:
        messages = [HumanMessage(_REQUEST)]
        async with contextlib.aclosing(chat.stream(messages, language="python")) as answer:
            async for delta in answer:
                meter.add(delta.text)

    try:
        # A cut or repetitive answer is as good for the measurement as a complete one.
        with contextlib.suppress(asyncio.TimeoutError, BadAnswer):
            await asyncio.wait_for(write(), seconds)
        if not meter.text:
            return None
        [tokens] = await chat.count_tokens([meter.text])
        return meter.speed(tokens)
    except ModelError:
        return None
    finally:
        await chat.close()


def stored() -> dict[str, float]:
    """Return the tokens per second that were measured on this machine, by name of the model."""
    return _all_speeds().get(_machine(), {})


def store(model: CatalogueModel, speed: float) -> None:
    """Store the speed of a model. Raises OSError, StorageError."""
    speeds = _all_speeds()
    speeds.setdefault(_machine(), {})[model.name] = round(speed, 1)
    weights.make_folder(weights.folder())
    replace_file(weights.folder(), _FILE, json.dumps(speeds, indent=2).encode() + b"\n")


def _all_speeds() -> dict[str, dict[str, float]]:
    """Return the stored speeds by machine; {} if the file is missing or damaged."""
    try:
        data: Any = json.loads((weights.folder() / _FILE).read_text("utf-8"))
        return {
            str(name): {str(model): float(speed) for model, speed in speeds.items()}
            for name, speeds in data.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def store_faster(model: CatalogueModel, speed: float) -> None:
    """Store the speed of an answer if it is the fastest. Errors are ignored.

    One that is many times faster wasn't written that fast: this program was paused, and read it
    later.
    """
    with contextlib.suppress(OSError, StorageError):
        former = stored().get(model.name)
        if former is None or former < round(speed, 1) <= MAX_RATIO * former:
            store(model, speed)


def _machine() -> str:
    """Return a text that identifies this machine and its number of cores."""
    return f"{platform.node()}, {machine.cores()} cores"
