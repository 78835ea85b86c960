"""The root of the error tree, its texts, and failures of requests, settings and child processes.

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


class RequestTooLarge(InvalidRequest):
    """The request's body is over the limit."""

    code = "request_too_large"
    default_message = UserText("The request is too long to send. Shorten the cell or the request.")


class SelectionCutsSecret(InvalidRequest):
    """Only a part of a password or key is selected, so it isn't recognised and can't be hidden."""

    code = "selection_cuts_secret"
    default_message = UserText(
        "The selection begins or ends inside a password or key, so it can’t be hidden from the "
        "model. Select all lines of it, or none."
    )


class NotFound(AIServerError):
    """The thing that was requested doesn't exist."""

    code = "not_found"
    default_message = UserText("Not found.")


class NotYours(AIServerError):
    """The user tried to stop a generation that another user requested."""

    code = "not_yours"
    default_message = UserText("Someone else made this request, so only they can stop it.")


class NotOwner(AIServerError):
    """The server, with its keys and histories, belongs to another user."""

    code = "not_owner"
    default_message = UserText(
        "This server belongs to someone else, and your requests would be charged to them. "
        "Ask in a notebook on your own server."
    )


class FeatureForbidden(AIServerError):
    """The administrator doesn't allow this feature."""

    code = "feature_forbidden"
    default_message = UserText("The administrator of this server does not allow this.")
    completion = UserText("The administrator of this server does not allow inline completion.")


class GenerationRunning(AIServerError):
    """A request is already running in this cell; ``generation_id`` identifies it."""

    code = "generation_running"
    retryable = True
    default_message = UserText("A request is already running in this cell, perhaps in another tab.")

    def __init__(self, generation_id: str) -> None:
        self.generation_id = generation_id
        super().__init__()


class TooManyGenerations(AIServerError):
    """The limit of concurrent requests on this server is reached."""

    code = "too_many_generations"
    retryable = True
    default_message = UserText(
        "Too many requests are running at once. Wait until one has finished."
    )


class StaleRevision(AIServerError):
    """The write expected revision ``expected``, but the session has revision ``actual``."""

    code = "stale_revision"
    default_message = UserText("This cell’s history was changed somewhere else. Try again.")

    def __init__(self, expected: int, actual: int) -> None:
        self.expected, self.actual = expected, actual
        super().__init__()


class RecipeNameRefused(AIServerError):
    """A recipe can't have this name."""

    code = "recipe_name_refused"
    default_message = UserText(
        "Use letters, digits, “-” and “_” for the name, and at most 64 of them."
    )


class RecipeExists(RecipeNameRefused):
    """There is a recipe with this name already."""

    code = "recipe_exists"
    default_message = UserText("There is a recipe with this name already.")


class SettingError(AIServerError):
    """A setting is invalid."""

    code = "bad_setting"
    default_message = UserText("One of AI Server’s settings is invalid.")


class SearchFailed(AIServerError):
    """The search process couldn't be started, or failed."""

    code = "search_failed"
    retryable = True
    default_message = UserText("The search failed. Try again in a moment.")


class ExportFailed(AIServerError):
    """The export process couldn't be started, or ended without a file."""

    code = "export_failed"
    retryable = True
    default_message = UserText("The export failed. Try again in a moment.")


class ExportTimeout(ExportFailed):
    """The export process took too long and was stopped."""

    code = "export_timeout"
    retryable = False
    default_message = UserText(
        "The export took too long and was stopped. Run “jupyter aiserver replay export” in a "
        "terminal: it has no time limit."
    )


class MemoryEntryChanged(AIServerError):
    """An entry of a memory has changed since the person read it."""

    code = "memory_entry_changed"
    default_message = UserText(
        "This entry has been changed in the meantime. Look at it again, then decide."
    )


class NotRemembered(AIServerError):
    """A text isn't proposed or remembered, for example because it may contain a password."""

    code = "not_remembered"
    default_message = UserText("This can’t be remembered.")


class ProposalNotFound(NotFound):
    """A proposal has expired, or was rejected or confirmed."""

    code = "proposal_not_found"
    default_message = UserText(
        "This proposal is no longer there: it has expired, or you decided about it elsewhere."
    )
