"""Check texts before they are proposed or remembered.

A proposal may quote a request, so it must not carry a password, a path with the person's name or
data about people into a memory, which goes into prompts and git.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...errors import NotRemembered, UserText
from ...redact import redact
from ...surrogates import fix_surrogates
from ...unicode import normalize
from ..rules.visible_text import visible_part
from .document import clean

MAX_TEXT = 500  # characters
MAX_NOTE = 600  # characters of a notebook's note

# ``\w`` includes Chinese characters, which are written next to numbers.
_START = r"(?<![A-Za-z0-9_.])"
_END = r"(?![A-Za-z0-9_]|\.\d)"
HOME_PATH = re.compile(
    r"(?<![A-Za-z0-9_.\-])(?:"
    r"~[\w.-]*[/\\]+\w"
    r"|(?:/mnt/[a-z])?/(?:home|Users)/[\w.-]"
    r"|[A-Za-z]:[/\\]+(?:[Uu]sers|Documents and Settings)[/\\]+\w)"
)
_EMAIL = re.compile(r"(?<![\w.+-])(?!git@)[\w.+-]+@(?:[\w-]+\.)+[^\W\d_]{2,}(?![\w(])")
_IDENTIFIERS = re.compile(
    _START + r"(?:"
    r"\+\d(?:[ ()-]{0,2}\d){7,14}"  # a telephone number with a country's code
    r"|(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}"  # … in North America
    r"|0\d{2,4}[ /-]\d{6,8}|0\d(?:[ .-]\d\d){4}"  # … in China, Germany or France
    r"|1[3-9]\d[ -]\d{4}[ -]\d{4}|1[3-9]\d{9}"  # … a mobile one in China
    r"|\d{3}-\d\d-\d{4}"  # an American social security number
    r"|\d{17}[\dXx]"  # a Chinese identity number
    r"|\d{4}([ -])\d{4}\1\d{4}(?:\1\d{1,7})?"  # a payment card
    r")" + _END
)
_LONG_NUMBER = re.compile(r"(?<![A-Za-z0-9_.\-])\d{9,}" + _END)
# Counts end in zeros, and numbers of records often begin with a date.
_HARMLESS_NUMBER = re.compile(
    r"\d+000|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{0,6}"
)
_YEARS_OR_ROUND = re.compile(r"(?:(?:19|20)\d\d|\d\d00)(?:[ -](?:(?:19|20)\d\d|\d\d00))+")
_BANK_ACCOUNT = re.compile(_START + r"[A-Z]{2}\d\d(?: ?[A-Z0-9]){11,30}" + _END)
_EMPTY = UserText("There is no text to remember.")
_TOO_LONG = UserText("This is too long to be remembered: write at most %1 characters.")
_SECRET = UserText("This looks like a password or a key, so it is not remembered.")
_PATH = UserText("This contains a path in your home folder, so it is not proposed.")
_VALUE = UserText("This looks like data about a person or an account, so it is not proposed.")


def checked_text(text: str) -> str:
    """Return a text in one line, without invisible characters and comments.

    If entries had several lines, git could mix them when it merges branches. Raises NotRemembered
    if the text is empty or too long, or contains a secret.
    """
    return _checked(clean(visible_part(fix_surrogates(text))).replace("\n", " "), MAX_TEXT)


def checked_note(text: str) -> str:
    """Return a note without invisible characters and empty lines.

    Raises the errors of ``checked_text``.
    """
    lines = visible_part(fix_surrogates(text)).splitlines()
    return _checked("\n".join(" ".join(line.split()) for line in lines if line.strip()), MAX_NOTE)


def _checked(text: str, max_length: int) -> str:
    if not text:
        raise NotRemembered(_EMPTY)
    if len(text) > max_length:
        raise NotRemembered(_TOO_LONG.fill(str(max_length)))
    if redact(text, is_prose=True) != text:
        raise NotRemembered(_SECRET)
    return text


def checked_proposal(text: str) -> str:
    """Return a text as ``checked_text`` does, and raise its errors.

    Raises NotRemembered also for paths in a home folder, and data about people or accounts.
    """
    cleaned = checked_text(text)
    if HOME_PATH.search(cleaned) or _is_in_home(cleaned):
        raise NotRemembered(_PATH)
    if identifies_somebody(normalize("NFKC", cleaned)):
        raise NotRemembered(_VALUE)
    return cleaned


def identifies_somebody(text: str) -> bool:
    """Return whether a text in NFKC has an e-mail address, or a number of a person or account."""
    if _EMAIL.search(text):
        return True
    if any(not _YEARS_OR_ROUND.fullmatch(match[0]) for match in _IDENTIFIERS.finditer(text)):
        return True
    if any(_is_bank_account(match[0]) for match in _BANK_ACCOUNT.finditer(text)):
        return True
    return any(not _HARMLESS_NUMBER.fullmatch(match[0]) for match in _LONG_NUMBER.finditer(text))


def _is_bank_account(text: str) -> bool:
    account = text.replace(" ", "")
    digits = "".join(str(int(character, 36)) for character in account[4:] + account[:4])
    return int(digits) % 97 == 1


def _is_in_home(text: str) -> bool:
    try:
        home = str(Path.home())
    except RuntimeError:  # no home folder, as in some containers
        return False
    return len(home) > 1 and bool(re.search(re.escape(home) + r"(?![\w-])", text))
