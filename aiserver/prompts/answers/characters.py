"""Replace what isn't code in code: characters of typeset text, prompts, and stop tokens.

Invariant: code that is valid isn't changed, and code is only changed if it becomes valid.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Literal

Replaced = Literal["spaces", "invisible", "entities", "quotes", "prompts", "stop_tokens"]

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')
_INPUT = re.compile(r"^(?:>>>|\.\.\.|In \[\d+\]:) ?(.*)", re.MULTILINE)  # of a session
_TAIL = 200  # characters at the end of an answer, among which stop tokens are looked for
# Tokens that end an answer, which a server should have removed.
_STOP_TOKENS = re.compile(
    r"(?:\s*(?:<\|[a-z_]{2,30}\|>|<｜[^｜>\n]{1,30}｜>|</s>|<eos>|<end_of_turn>))+\s*\Z"
)

_CLEANINGS: dict[Replaced, Callable[[str], str]] = {
    "spaces": lambda code: _SPACES.sub(" ", code),
    "invisible": lambda code: _INVISIBLE.sub("", code),
    "entities": html.unescape,
    "quotes": lambda code: code.translate(_QUOTES),
    "prompts": lambda code: "\n".join(_INPUT.findall(code)) or code,
}


def cleaned(code: str, is_valid: Callable[[str], bool]) -> tuple[str, tuple[Replaced, ...]]:
    """Return valid code, if replacing characters makes it valid; otherwise the code as it is.

    Also return what was replaced.
    """
    changed, replaced = code, list[Replaced]()
    for kind, clean in _CLEANINGS.items() if not is_valid(code) else ():
        before, changed = changed, clean(changed)
        if changed != before:
            replaced.append(kind)
            if is_valid(changed):
                return changed, tuple(replaced)
    return code, ()


def without_stop_tokens(text: str) -> str:
    """Return an answer without the stop tokens at its end."""
    return text[:-_TAIL] + _STOP_TOKENS.sub("", text[-_TAIL:])
