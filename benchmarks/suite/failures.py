"""The classes of wrong answers, in the order of the tables."""

from __future__ import annotations

NO_CODE = "no code"
WRONG_VALUE = "wrong value"
OTHER_ERROR = "other error"

_ERRORS = {
    "SyntaxError": "syntax",
    "IndentationError": "syntax",
    "TabError": "syntax",
    "NameError": "undefined name",
    "UnboundLocalError": "undefined name",
    "KeyError": "missing column",
    "ModuleNotFoundError": "missing module",
}
CLASSES = (*dict.fromkeys(_ERRORS.values()), OTHER_ERROR, WRONG_VALUE, NO_CODE)


def failure_class(code: str, error: str | None, is_right: bool) -> str | None:
    """Return the class of an answer's failure; None if the answer is right.

    ``error`` is the name of the exception that the answer's code raised, if any.
    """
    if not code.strip():
        return NO_CODE
    if error is not None:
        return _ERRORS.get(error, OTHER_ERROR)
    return None if is_right else WRONG_VALUE
