"""Write the file that a command exports."""

from __future__ import annotations

from pathlib import Path

from ..durable import ensure_folder, replace_file, translate_os_errors
from ..errors import SettingError


def write_output(output: str | None, name: str, data: bytes, *, force: bool) -> Path:
    """Write ``data`` to the file ``output``, and return the path of the written file.

    If ``output`` is a folder, write a file called ``name`` into this folder. If ``output`` is None,
    write a file called ``name`` into the current folder. Raises SettingError if the file exists
    with other content, unless ``force`` is set.
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
    """Create a folder for exported files, unless it exists. A person's own folder may be a link."""
    ensure_folder(folder.resolve())


def write_new_file(folder: Path, name: str, data: bytes) -> bool:
    """Write a file and return True, unless a file with this name exists.

    If the file exists, don't change it, and return whether its content equals ``data``.
    """
    file = folder / name
    if file.exists() or file.is_symlink():
        return file.is_file() and file.read_bytes() == data
    replace_file(folder, name, data)
    return True
