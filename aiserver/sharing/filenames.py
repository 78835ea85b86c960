"""File names made from a notebook's name, which a foreign log may have chosen. Pure.

Invariants: the result is one plain name on Linux, macOS and Windows. It has no folder, no control
or formatting character, no reserved device name and no leading dot, and is at most ``LIMIT``
bytes long, so that a temporary file's suffix still fits.
"""

from __future__ import annotations

import re
import unicodedata

LIMIT = 160  # bytes of UTF-8; file systems take 255
_ESCAPE_CODE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_REFUSED_BY_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(
    r"(?i)(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)"
)


def file_name(notebook: str, suffix: str) -> str:
    """A file name for what is made of a notebook: ``sales.ipynb`` and ``-replay.html`` give
    ``sales-replay.html``."""
    name = re.split(r"[/\\]", _ESCAPE_CODE.sub("", notebook))[-1]
    name = "".join(sign for sign in name if not _is_hidden(sign)).removesuffix(".ipynb")
    name = _REFUSED_BY_WINDOWS.sub("_", name).strip().lstrip(" .-")
    name = name.encode("utf-8")[: LIMIT - len(suffix.encode("utf-8"))].decode("utf-8", "ignore")
    made = f"{name.rstrip(' .') or 'notebook'}{suffix}"
    return f"_{made}" if _DEVICE.match(made) else made


def _is_hidden(sign: str) -> bool:
    """Whether a character doesn't show, or changes how others show (such as U+202E)."""
    return unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")
