"""The root of the error tree, and the failures of requests, settings and child processes."""

from __future__ import annotations

from typing import ClassVar


class AIServerError(Exception):
    """Something a person can be told.

    ``code`` is fixed and machine-readable; ``retryable`` says whether the same request
    may succeed later without a change.
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "Something went wrong."

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.default_message
        super().__init__(self.message)


class InvalidRequest(AIServerError):
    """The request itself is wrong; the message names the field."""

    code = "invalid_request"
    default_message = "The request is not valid."


class RequestTooLarge(InvalidRequest):
    """The request's body is over the limit."""

    code = "request_too_large"
    default_message = "The request is too long to send. Shorten the cell or the request."


class NotFound(AIServerError):
    """There is no such session, generation or model."""

    code = "not_found"
    default_message = "Not found."


class NotYours(AIServerError):
    """Somebody else asked for this answer."""

    code = "not_yours"
    default_message = "Someone else made this request, so only they can stop it."


class NotOwner(AIServerError):
    """The server is somebody else's, and so are its keys and histories."""

    code = "not_owner"
    default_message = (
        "This server belongs to someone else, and your requests would be charged to them. "
        "Ask in a notebook on your own server."
    )


class GenerationRunning(AIServerError):
    """The cell is already being written; ``generation_id`` names the running generation."""

    code = "generation_running"
    retryable = True
    default_message = "A request is already running in this cell, perhaps in another tab."

    def __init__(self, generation_id: str) -> None:
        self.generation_id = generation_id
        super().__init__()


class TooManyGenerations(AIServerError):
    """As many answers are being written as this server may write at once."""

    code = "too_many_generations"
    retryable = True
    default_message = "Too many requests are running at once. Wait until one has finished."


class StaleRevision(AIServerError):
    """The write named revision ``expected``, but the session stands at ``actual``."""

    code = "stale_revision"
    default_message = "This cell’s history was changed somewhere else. Try again."

    def __init__(self, expected: int, actual: int) -> None:
        self.expected, self.actual = expected, actual
        super().__init__()


class SettingError(AIServerError):
    """A setting names something that there is not, or that can't be."""

    code = "bad_setting"
    default_message = "One of AI Server’s settings is invalid."


class SearchFailed(AIServerError):
    """The process that searches can't be started, or failed."""

    code = "search_failed"
    retryable = True
    default_message = "The search failed. Try again in a moment."


class ExportFailed(AIServerError):
    """The process of an export can't be started, or ended without a file."""

    code = "export_failed"
    retryable = True
    default_message = "The export failed. Try again in a moment."


class ExportTimeout(ExportFailed):
    """The process of an export took too long and was stopped."""

    code = "export_timeout"
    retryable = False
    default_message = (
        "The export took too long and was stopped. Run “jupyter aiserver replay export” in a "
        "terminal: it has no time limit."
    )
