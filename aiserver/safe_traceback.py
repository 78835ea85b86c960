"""Describe an exception for the log by its class and location.

Invariant: no message of an exception, which may quote a key, a path, a prompt or a provider's
answer, and no value of a variable is in it. A file outside a package is only named with its folder.
"""

from __future__ import annotations

import traceback
from pathlib import Path


def outline_of(error: BaseException) -> str:
    """Return ``KeyError at aiserver/x.py:88 in f < aiserver/y.py:9 in g``, and so its causes.

    The innermost call comes first.
    """
    descriptions = []
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:  # it may be circular
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
    """Return ``aiserver/llm/base.py`` or, outside a package, only the folder and the file."""
    parts = Path(filename).parts
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return "/".join(parts[parts.index(folder) + 1 :])
    if "aiserver" in parts:
        return "/".join(parts[len(parts) - 1 - parts[::-1].index("aiserver") :])
    return "/".join(parts[-2:])
