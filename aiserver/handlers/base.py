"""What all handlers share: reading a request, answering, and turning errors into HTTP.

What must hold: an error's body is ``{code, message, requestId}`` with a fixed code and a plain
sentence, never a traceback, a path or somebody else's text; a client's mistake logs no traceback.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Literal, TypeVar, cast

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.extension.handler import ExtensionHandlerMixin
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from tornado.web import HTTPError, authenticated

from .. import errors
from ..generation.assistant import Assistant
from ..llm.providers import provider_of
from ..models import Interaction, SessionKey
from ..notebooks.identity import NotebookRegistry
from ..safe_traceback import outline_of
from ..search import SearchEngine
from ..sessions.base import SessionManager
from ..surrogates import json_bytes
from .who import asker

RESOURCE = "aiserver"  # what the server's Authorizer is asked about
MAX_BODY = 3 * 1024 * 1024  # bytes: to read that many takes the event loop less than 10 ms

# The one mapping from errors to HTTP; a child without a row has its parent's.
STATUS: dict[type[errors.AIServerError], int] = {
    errors.AIServerError: 500,
    errors.InvalidRequest: 400,
    errors.RequestTooLarge: 413,
    errors.NotFound: 404,
    errors.NotYours: 403,
    errors.NotOwner: 403,
    errors.GenerationRunning: 409,
    errors.StaleRevision: 412,
    errors.SearchFailed: 503,
    errors.ExportFailed: 503,
    errors.StorageError: 503,
    errors.StorageFull: 507,
    errors.SessionTooNew: 409,
    errors.TooManyGenerations: 429,
    errors.ModelError: 503,
    errors.ModelNotAllowed: 403,
}
# What Jupyter or Tornado refuse before a verb of ours runs.
REFUSED: dict[int, tuple[str, str]] = {
    400: (errors.InvalidRequest.code, errors.InvalidRequest.default_message),
    401: ("unauthenticated", "Log in to the Jupyter server first."),
    403: ("forbidden", "You are not allowed to do that."),
    404: ("not_found", "There is no such address."),
    405: ("method_not_allowed", "This action is not supported here."),
}

Model = TypeVar("Model", bound=BaseModel)
Verb = TypeVar("Verb", bound=Callable[..., Awaitable[None]])


def guarded(action: Literal["read", "write", "execute"]) -> Callable[[Verb], Verb]:
    """Open a verb only to who is logged in, and whom the server's Authorizer lets do ``action``."""

    def guard(verb: Verb) -> Verb:
        return cast("Verb", authenticated(authorized(action, RESOURCE)(verb)))

    return guard


def status_of(error: errors.AIServerError) -> int:
    """The HTTP status of an error: its own row, or that of the nearest parent."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def error_fields(error: errors.AIServerError) -> dict[str, Any]:
    """``code`` and ``message`` of an error, and what helps to mend it."""
    fields: dict[str, Any] = {"code": error.code, "message": error.message}
    if isinstance(error, errors.GenerationRunning):
        fields["generationId"] = error.generation_id
    if isinstance(error, errors.ModelRateLimited) and error.retry_after is not None:
        fields["retryAfter"] = error.retry_after
    if isinstance(error, errors.ModelPackageMissing):
        fields["install"] = error.install
    if isinstance(error, errors.ModelError) and error.provider is not None:
        provider = provider_of(error.provider)
        fields["provider"] = {"name": provider.name, "label": error.server or provider.label}
    if isinstance(error, errors.NoModel):
        fields["install"] = "jupyter aiserver model install"
    return fields


class AIServerHandler(ExtensionHandlerMixin, APIHandler):
    """Base of all handlers."""

    unsaved: Interaction | None = None  # an answer that is still given though it isn't kept

    @property
    def sessions(self) -> SessionManager:
        """Where sessions are kept."""
        found: SessionManager = self.settings["aiserver_sessions"]
        return found

    @property
    def session_owner(self) -> str:
        """Whose sessions they are; empty in a store of one person."""
        found: str = self.settings["aiserver_session_owner"]
        return found

    @property
    def notebooks(self) -> NotebookRegistry:
        """Which notebook has which id."""
        found: NotebookRegistry = self.settings["aiserver_notebooks"]
        return found

    @property
    def search(self) -> SearchEngine:
        """Looks through all turns."""
        found: SearchEngine = self.settings["aiserver_search"]
        return found

    @property
    def assistant(self) -> Assistant:
        """Who answers."""
        found: Assistant = self.settings["aiserver_assistant"]
        return found

    @property
    def asker(self) -> str:
        """Who asks, or empty on a server of one person."""
        return asker(self)

    def check_owner(self) -> None:
        """Raise NotOwner if the server is somebody else's, and so is what an answer costs."""
        owner = self.settings["aiserver_owner"]
        if owner and self.asker != owner:
            raise errors.NotOwner

    def check_may_delete(self) -> None:
        """Raise NotOwner if the histories are somebody else's, who hasn't let others delete."""
        owner = self.settings["aiserver_owner_deletes"]
        if owner and self.asker != owner:
            raise errors.NotOwner(
                "This server belongs to somebody else, and so do its histories. "
                "Only they can delete them."
            )

    def key(self, notebook_id: str, cell_id: str) -> SessionKey:
        """The session's name. Raises InvalidRequest for an id outside the rule."""
        return SessionKey(notebook_id, cell_id, self.session_owner)

    def json_body(self) -> Any:
        """The body as JSON data. Raises InvalidRequest, RequestTooLarge."""
        if len(self.request.body) > MAX_BODY:
            raise errors.RequestTooLarge
        try:
            # Takes no half of a surrogate pair (it could not be stored) and no deep nesting.
            return from_json(self.request.body, allow_inf_nan=False)
        except ValueError as reason:
            raise errors.InvalidRequest("The body is not valid JSON.") from reason

    def body(self, model: type[Model]) -> Model:
        """The body as one of ``requests.py``. Raises InvalidRequest that names the field."""
        return model.model_validate(self.json_body())

    def if_match(self) -> int | None:
        """The revision that ``If-Match`` names, or None. Raises InvalidRequest if it names none."""
        header = self.request.headers.get("If-Match", "").strip()
        if header in ("", "*"):
            return None
        text = header.removeprefix("W/").strip('"')
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise errors.InvalidRequest("If-Match: must be a revision as sent in ETag")
        return int(text)

    def set_revision(self, revision: int) -> None:
        """Send the session's revision as ``ETag``."""
        self.set_header("ETag", f'"{revision}"')

    def compute_etag(self) -> str | None:
        """No ETag but a session's revision (Tornado would hash the body otherwise)."""
        return None

    def number(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number of the query. Raises InvalidRequest."""
        text = self.get_query_argument(name, str(default))
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise errors.InvalidRequest(f"{name}: must be a whole number from {low} to {high}")
        return int(text)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer with an error's fixed code and plain sentence."""
        reason = (kwargs.get("exc_info") or (None, None, None))[1]
        error = _as_error(reason)
        if error is not None:
            self.set_status(status_of(error))
            fields = error_fields(error)
            if self.unsaved is not None:
                fields["unsaved"] = self.unsaved.to_dict()
        else:
            code, message = REFUSED.get(
                status_code, ("error", errors.AIServerError.default_message)
            )
            if isinstance(reason, HTTPError) and "XSRF" in (reason.log_message or "").upper():
                message = "The page is out of date. Reload it and try again."
            fields = {"code": code, "message": message}
        if "retryAfter" in fields:
            self.set_header("Retry-After", str(int(fields["retryAfter"]) + 1))
        self.finish(json_bytes(fields | {"requestId": self.request_id}))

    @property
    def request_id(self) -> str:
        """Names the request in the answer and in the log."""
        if not hasattr(self, "_request_id"):
            self._request_id = uuid.uuid4().hex[:12]
        return self._request_id

    def log_exception(
        self,
        typ: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Log what went wrong: a line each, without contents."""
        error = _as_error(value)
        if error is not None:
            self.log.info("%s: %s (request %s)", self._verb, error.code, self.request_id)
        elif isinstance(value, HTTPError):
            self.log.info("%s: %s (request %s)", self._verb, value.status_code, self.request_id)
        else:
            fault = outline_of(value) if value else "unknown"
            self.log.error("%s failed (request %s): %s", self._verb, self.request_id, fault)

    @property
    def _verb(self) -> str:
        return f"{self.request.method} {type(self).__name__}"


def _as_error(reason: BaseException | None) -> errors.AIServerError | None:
    if isinstance(reason, errors.AIServerError):
        return reason
    if isinstance(reason, ValidationError):
        first = reason.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(_shown(part) for part in first["loc"]) or "body"
        return errors.InvalidRequest(f"{where}: {first['msg']}")
    return None


def _shown(part: str | int) -> str:
    """A field's name as it may be said again: ours, or one that could be."""
    text = str(part)
    return text if re.fullmatch(r"[A-Za-z0-9_]{1,32}", text) else "a field"
