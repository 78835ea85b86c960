"""Read the notebook that a person names on the command line."""

from __future__ import annotations

from pathlib import Path

from ..durable import NotRegularFile, read_file
from ..errors import SettingError


def read_notebook(name: str) -> bytes:
    """Return the bytes of a notebook's file, or of the file that a link leads to.

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
