"""Describe an exception for the log by its class and location.

Invariant: it contains no message of an exception, which may quote a key, a path, a prompt or a
provider's answer, and no value of a variable. A file outside a package is named only with its
folder.
"""

from __future__ import annotations

import traceback
from pathlib import Path


def outline_of(error: BaseException) -> str:
    """Return, for example, ``KeyError at aiserver/x.py:88 in f < aiserver/y.py:9 in g``.

    The innermost call comes first. The causes follow in the same form.
    """
    descriptions = []
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:  # the chain may be circular
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
    """Return a path such as ``aiserver/llm/base.py``, or ``folder/file`` outside a package."""
    parts = Path(filename).parts
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return "/".join(parts[parts.index(folder) + 1 :])
    if "aiserver" in parts:
        return "/".join(parts[len(parts) - 1 - parts[::-1].index("aiserver") :])
    return "/".join(parts[-2:])
