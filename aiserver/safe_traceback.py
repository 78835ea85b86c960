"""Describe an exception for the log by its class and by its location in the code.

Invariant: the description doesn't contain the message of an exception, because a message may quote
a key, a path, a prompt or a provider's answer. Nor does it contain the value of a variable. A file
outside a package is described only by the names of the file and its folder, not by its full path.
A developer can still see in which line the exception was raised.
"""

from __future__ import annotations

import traceback
from pathlib import Path


def outline_of(error: BaseException) -> str:
    """Return a description such as ``KeyError at aiserver/x.py:88 in f < aiserver/y.py:9 in g``.

    The innermost call comes first. After the exception, its causes are described in the same form.
    """
    descriptions = []
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:  # a chain of causes may be circular
        seen.add(id(cause))
        frames = traceback.extract_tb(cause.__traceback__)[-8:]
        calls = " < ".join(
            f"{_path_in_package(frame.filename)}:{frame.lineno} in {frame.name}"
            for frame in reversed(frames)
        )
        descriptions.append(f"{type(cause).__name__} at {calls or 'an unknown place'}")
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "; from ".join(descriptions)


def _path_in_package(filename: str) -> str:
    """Return a file's path, beginning with its package, such as ``aiserver/llm/base.py``.

    If the file belongs to no package, return only the names of its folder and the file.
    """
    parts = Path(filename).parts
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return "/".join(parts[parts.index(folder) + 1 :])
    if "aiserver" in parts:
        return "/".join(parts[len(parts) - 1 - parts[::-1].index("aiserver") :])
    return "/".join(parts[-2:])
