"""Make safe file names from the names of notebooks. Pure.

A notebook's name may come from the change log of another person's notebook, so it isn't trusted.

Invariants: the result is one plain name on Linux, macOS and Windows. It has no folder, no control
or formatting character, no reserved device name and no leading dot. It is short enough that a file
system also accepts it with the suffix of a temporary file.
"""

from __future__ import annotations

import re
import unicodedata

# The maximum length of a name, in bytes of UTF-8; file systems allow 255 bytes. A name that begins
# with a device name can be one byte longer, because a ``_`` is put before it.
LIMIT = 160
# Matches the codes with which a text could change a terminal's colours or title.
_ESCAPE_CODE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_INVALID_ON_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(
    r"(?i)(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)"
)


def file_name(notebook: str, suffix: str) -> str:
    """Return a file name: ``sales.ipynb`` and ``-replay.html`` give ``sales-replay.html``."""
    name = re.split(r"[/\\]", _ESCAPE_CODE.sub("", notebook))[-1]
    name = "".join(character for character in name if not _is_hidden(character))
    name = _INVALID_ON_WINDOWS.sub("_", name.removesuffix(".ipynb")).strip().lstrip(" .-")
    name = name.encode("utf-8")[: LIMIT - len(suffix.encode("utf-8"))].decode("utf-8", "ignore")
    result = f"{name.rstrip(' .') or 'notebook'}{suffix}"
    return f"_{result}" if _DEVICE.match(result) else result


def _is_hidden(character: str) -> bool:
    """Return whether a character is invisible, or changes how other characters are displayed.

    For example, U+202E reverses the text that follows.
    """
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")
