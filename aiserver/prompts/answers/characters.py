"""Replace characters in code that a model took from typeset text.

Invariant: code that is valid isn't changed, and code is only changed if it becomes valid.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)|^In \[\d+\]: ?", re.MULTILINE)

_CLEANINGS: tuple[Callable[[str], str], ...] = (
    lambda code: _INVISIBLE.sub("", _SPACES.sub(" ", code)),
    html.unescape,
    lambda code: code.translate(_QUOTES),
    lambda code: _without_prompts(code),
)


def cleaned(code: str, is_valid: Callable[[str], bool]) -> str:
    """Return valid code, if replacing characters makes it valid; otherwise the code as it is."""
    if is_valid(code):
        return code
    changed = code
    for clean in _CLEANINGS:
        changed = clean(changed)
        if changed != code and is_valid(changed):
            return changed
    return code


def _without_prompts(code: str) -> str:
    """Return the input of an interactive session, without its prompts and its output."""
    lines = [line for line in code.split("\n") if _PROMPT.match(line)]
    return "\n".join(_PROMPT.sub("", line) for line in lines) or code
