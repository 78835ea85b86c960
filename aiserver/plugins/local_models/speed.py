"""Remember how fast local models write on this machine, by the fastest answer."""

from __future__ import annotations

import contextlib
import json
import platform
from typing import Any

from ...durable import replace_file
from ...errors import StorageError
from . import machine, weights
from .catalogue import CatalogueModel

MAX_RATIO = 4  # of an answer's speed to the stored one
_FILE = "speeds.json"


def stored() -> dict[str, float]:
    """Return the tokens per second that were measured here, by a model's name."""
    return _all_speeds().get(_machine(), {})


def store(model: CatalogueModel, speed: float) -> None:
    """Store the speed of a model. Raises OSError, StorageError."""
    speeds = _all_speeds()
    speeds.setdefault(_machine(), {})[model.name] = round(speed, 1)
    weights.make_folder(weights.folder())
    replace_file(weights.folder(), _FILE, json.dumps(speeds, indent=2).encode() + b"\n")


def _all_speeds() -> dict[str, dict[str, float]]:
    try:
        data: Any = json.loads((weights.folder() / _FILE).read_text("utf-8"))
        return {
            str(name): {str(model): float(speed) for model, speed in speeds.items()}
            for name, speeds in data.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def store_faster(model: CatalogueModel, speed: float) -> None:
    """Store the speed of an answer if it is the fastest.

    If one is many times faster, this program was paused, and read it later.
    """
    with contextlib.suppress(OSError, StorageError):
        former = stored().get(model.name)
        if former is None or former < round(speed, 1) <= MAX_RATIO * former:
            store(model, speed)


def _machine() -> str:
    return f"{platform.node()}, {machine.cores()} cores"
