"""Read notebooks, and write exported files."""

from __future__ import annotations

import json
from pathlib import Path

from ..durable import NotRegularFile, ensure_folder, read_file, replace_file, translate_os_errors
from ..errors import SettingError
from ..models import is_id


def read_notebook(name: str) -> bytes:
    """Read a notebook's file, or a link's target.

    A named pipe would block, and a device may never end. Raises SettingError.
    """
    try:
        stored = read_file(Path(name).resolve(strict=True))
    except NotRegularFile as error:
        raise SettingError(f"“{name}” is not a file, so it is not a notebook.") from error
    except OSError as error:
        raise SettingError(f"Can't read the notebook “{name}”. Check the path.") from error
    if stored is None:
        raise SettingError(f"Can't read the notebook “{name}”. Check the path.")
    return stored[0]


def notebook_id_of(path: str) -> str:
    """Return the notebook id in a notebook's file. Raises SettingError if there is none."""
    try:
        notebook_id = json.loads(read_notebook(path))["metadata"]["aiserver"]["notebook_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        notebook_id = None
    if not (isinstance(notebook_id, str) and is_id(notebook_id)):
        raise SettingError(
            f"“{path}” has no notebook ID yet. To add one, open it in JupyterLab, ask for code in "
            "one of its cells and save it."
        )
    return notebook_id


def is_file(name: str) -> bool:
    """Return whether a name is that of a notebook's file, not its id."""
    return name.endswith(".ipynb") or Path(name).is_file()


def write_output(output: str | None, name: str, data: bytes, *, force: bool) -> Path:
    """Write ``data`` to ``output``, and return the path.

    In a folder, or by default in the current one, the file is called ``name``. Raises SettingError
    if it has other content, unless ``force`` is set.
    """
    target = Path(output or name)
    if target.is_dir():
        target = target / name
    with translate_os_errors():
        create_output_folder(target.parent)
        if force:
            replace_file(target.parent, target.name, data)
        elif not write_new_file(target.parent, target.name, data):
            raise SettingError(f"“{target}” already exists. Use --force to overwrite it.")
    return target


def create_output_folder(folder: Path) -> None:
    """Create a folder, unless it exists. A person's own folder may be a link."""
    ensure_folder(folder.resolve())


def write_new_file(folder: Path, name: str, data: bytes) -> bool:
    """Write a file, unless it has other content; return whether it now has this content."""
    file = folder / name
    if file.exists() or file.is_symlink():
        return file.is_file() and file.read_bytes() == data
    replace_file(folder, name, data)
    return True
