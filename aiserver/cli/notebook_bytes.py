"""Read the notebook that a person names on the command line, and its id."""

from __future__ import annotations

import json
from pathlib import Path

from ..durable import NotRegularFile, read_file
from ..errors import SettingError
from ..models import is_id


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


def notebook_id_of(path: str) -> str:
    """Return the notebook id in the metadata of a notebook's file.

    Raises SettingError if the file can't be read or has no notebook id.
    """
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
