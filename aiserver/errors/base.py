"""The root of the error tree, its texts, and the errors that all layers raise.

The server words each sentence for people once, in English. It sends the page a template and
parameters, and the page looks up the translation. ``scripts/translations.py`` collects the
templates of all ``UserText("…")`` calls.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

_PARAMETER = re.compile(r"%([1-9])")


class UserText(str):
    """An English text: a template in which parameters replace %1, %2 ….

    A parameter that is itself a ``UserText`` is translated, too. The template must be a literal,
    because ``scripts/translations.py`` reads it from the source code.
    """

    template: str
    params: tuple[str, ...]

    def __new__(cls, template: str, *params: str) -> UserText:
        text = template
        if params:
            text = _PARAMETER.sub(lambda match: params[int(match[1]) - 1], template)
        self = super().__new__(cls, text)
        self.template, self.params = template, params
        return self

    def fill(self, *params: str) -> UserText:
        return type(self)(self.template, *params)

    @classmethod
    def from_wire(cls, fields: dict[str, Any] | None) -> UserText | None:
        """Return the text that ``to_wire`` converted, whose parameters are all plain strings."""
        return cls(fields["template"], *fields["params"]) if fields else None

    def to_wire(self) -> dict[str, Any]:
        params = [
            value.to_wire() if isinstance(value, UserText) else value for value in self.params
        ]
        return {"template": self.template, "params": params}


class AIServerError(Exception):
    """The base class of all errors that are reported to users.

    ``code`` is for programs and never changes; ``retryable`` says whether the same request may
    succeed later. If the message isn't a ``UserText``, only logs, the command line and other
    programs show it; the interface shows the default message instead.
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[UserText] = UserText("Something went wrong.")

    def __init__(self, message: str | None = None) -> None:
        self.message: str = message or self.default_message
        super().__init__(self.message)

    @property
    def text(self) -> UserText:
        """The text for the interface: the message or, if that isn't a UserText, the default."""
        return self.message if isinstance(self.message, UserText) else self.default_message


class InvalidRequest(AIServerError):
    """The request itself is wrong."""

    code = "invalid_request"
    default_message = UserText("The request is not valid.")


class InvalidField(InvalidRequest):
    """A field of the request is wrong. The page shows the field's label instead of its name."""

    too_long = UserText("must be at most %1 characters")

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(UserText("%1: %2", field, problem))


class NotFound(AIServerError):
    """The thing that was requested doesn't exist."""

    code = "not_found"
    default_message = UserText("Not found.")


class StaleRevision(AIServerError):
    """The write expected revision ``expected``, but the session has revision ``actual``."""

    code = "stale_revision"
    default_message = UserText("This cell’s history was changed somewhere else. Try again.")

    def __init__(self, expected: int, actual: int) -> None:
        self.expected, self.actual = expected, actual
        super().__init__()


class SettingError(AIServerError):
    """A setting is invalid."""

    code = "bad_setting"
    default_message = UserText("One of AI Server’s settings is invalid.")
