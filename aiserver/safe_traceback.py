"""Describe an exception for the log by its class and location, without any contents (P8).

Invariants: the text contains no exception's message, which may quote a key, a path, a prompt or a
provider's answer; no values of a frame; and no folders above a package. Together with the
request's id it is enough to find the line.
"""

from __future__ import annotations

import traceback
from pathlib import Path


def outline_of(error: BaseException) -> str:
    """Return such as ``KeyError at aiserver/replay/steps.py:88 in turn < aiserver/x.py:9 in y``."""
    parts = []
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        frames = traceback.extract_tb(link.__traceback__)[-8:]
        places = " < ".join(
            f"{_short(frame.filename)}:{frame.lineno} in {frame.name}" for frame in reversed(frames)
        )
        parts.append(f"{type(link).__name__} at {places or 'an unknown place'}")
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return "; from ".join(parts)


def _short(filename: str) -> str:
    parts = Path(filename).parts
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return "/".join(parts[parts.index(folder) + 1 :])
    if "aiserver" in parts:
        return "/".join(parts[len(parts) - 1 - parts[::-1].index("aiserver") :])
    return "/".join(parts[-2:])
