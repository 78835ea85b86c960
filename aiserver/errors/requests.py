"""Failures of requests to the server, and of its child processes."""

from __future__ import annotations

from .base import AIServerError, InvalidRequest, NotFound, UserText


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
