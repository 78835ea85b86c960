"""A fault of ours, for the log: of which kind and where, never with what (P8).

What must hold: neither an exception's message (it may quote a key, a path, a prompt or a
provider's answer) nor the values of a frame are in the text; the folders above a package aren't,
either. With the request's id it is enough to find the line.
"""

from __future__ import annotations

import traceback
from pathlib import Path


def outline_of(error: BaseException) -> str:
    """``KeyError at aiserver/replay/steps.py:88 in turn < aiserver/extension.py:9 in start``."""
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
