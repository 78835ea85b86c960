"""Check texts before they are proposed or remembered. Pure, except for the home folder's path.

A proposal may quote a request, so it must not carry a password, a path with the person's name or
data about people into a memory, which may be committed to git and goes into prompts.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import InvalidField, NotRemembered, UserText
from ..project_files.visible_text import visible_part
from ..redact import redact
from .document import clean

MAX_TEXT = 500  # characters

_HOME = re.compile(r"(?:^|[\s\"'(=])(?:~[/\\]|/home/|/Users/|[A-Za-z]:[/\\]Users[/\\])")
# E-mail addresses, and numbers that identify people or accounts.
_PERSONAL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+|(?<![\w.])\+?\d(?:[ \-]?\d){8,}(?![\w.])")
_SECRET = UserText("This looks like a password or a key, so it is not remembered.")
_PATH = UserText("This contains a path in your home folder, so it is not proposed.")
_VALUE = UserText("This looks like data about a person or an account, so it is not proposed.")


def checked_text(text: str) -> str:
    """Return a text as it is remembered: without invisible characters and comments.

    Raises InvalidField if it is empty or too long, NotRemembered if it contains a secret.
    """
    cleaned = clean(visible_part(text))
    if not cleaned:
        raise InvalidField("text", "must not be empty")
    if len(cleaned) > MAX_TEXT:
        raise InvalidField("text", InvalidField.too_long.fill(str(MAX_TEXT)))
    if redact(cleaned, is_prose=True) != cleaned:
        raise NotRemembered(_SECRET)
    return cleaned


def checked_proposal(text: str) -> str:
    """Return a text as it is proposed. Raises the errors of ``checked_text``.

    Raises NotRemembered also for paths in a home folder, and for data about people or accounts.
    """
    cleaned = checked_text(text)
    if _HOME.search(cleaned) or _is_in_home(cleaned):
        raise NotRemembered(_PATH)
    if _PERSONAL.search(cleaned):
        raise NotRemembered(_VALUE)
    return cleaned


def _is_in_home(text: str) -> bool:
    """Return whether a text contains the path of the home folder, wherever that is."""
    try:
        home = str(Path.home())
    except RuntimeError:  # an account without a home folder, as in some containers
        return False
    return len(home) > 1 and home in text
