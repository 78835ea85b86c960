"""The base handler: it reads requests, writes answers and maps errors to HTTP.

Invariants: the body of an error is ``{code, message, text, requestId}``; the body of some errors
has more fields, which help to fix the problem. All errors of a class have the same ``code``, and
``message`` is a plain sentence. The body never contains a traceback, a path or a provider's text.
No traceback is logged for an error that the client caused.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, cast
from urllib.parse import urlsplit

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from jupyter_server.auth.identity import IdentityProvider, LegacyIdentityProvider, User
from jupyter_server.base.handlers import APIHandler
from jupyter_server.extension.handler import ExtensionHandlerMixin
from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import from_json
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, authenticated

from .. import errors
from ..errors import UserText
from ..features import Features
from ..generation.assistant import Assistant
from ..llm.providers import provider_of
from ..llm.registry import ModelRegistry
from ..models import Interaction, SessionKey
from ..notebooks.change_log import ChangeRecorder
from ..notebooks.history import Histories
from ..notebooks.identity import NotebookRegistry
from ..payload import to_wire
from ..plugin import Host
from ..requests import WarmUpBody
from ..safe_traceback import outline_of
from ..surrogates import json_bytes

RESOURCE = "aiserver"  # the name of this API for Jupyter's Authorizer, which checks permissions
MAX_BODY = 3 * 1024 * 1024  # bytes; parsing such a body blocks the event loop for less than 10 ms

# The HTTP statuses of errors. A class without an entry has the status of its nearest parent class.
STATUS: dict[type[errors.AIServerError], int] = {
    errors.AIServerError: 500,
    errors.InvalidRequest: 400,
    errors.RequestTooLarge: 413,
    errors.NotFound: 404,
    errors.NotYours: 403,
    errors.NotOwner: 403,
    errors.FeatureForbidden: 403,
    errors.GenerationRunning: 409,
    errors.StaleRevision: 412,
    errors.MemoryEntryChanged: 412,
    errors.NotRemembered: 409,
    errors.RecipeNameRefused: 409,
    errors.SearchFailed: 503,
    errors.ExportFailed: 503,
    errors.StorageError: 503,
    errors.StorageFull: 507,
    errors.SessionTooNew: 409,
    errors.TooManyGenerations: 429,
    errors.ModelError: 503,
    errors.NoCompletionModel: 409,
    errors.ModelNotAllowed: 403,
    errors.InstallRunning: 409,
    errors.ModelInUse: 409,
    errors.ModelShared: 403,
}
# The code and message for an error that Jupyter or Tornado raises, by the status of the error.
FRAMEWORK_ERRORS: dict[int, tuple[str, UserText]] = {
    400: (errors.InvalidRequest.code, errors.InvalidRequest.default_message),
    401: ("unauthenticated", UserText("Log in to the Jupyter server first.")),
    403: ("forbidden", UserText("You are not allowed to do that.")),
    404: ("not_found", UserText("There is no such address.")),
    405: ("method_not_allowed", UserText("This action is not supported here.")),
}

# The methods by which Jupyter's own identity providers give each browser a random user name.
_RANDOM_NAME_METHODS = (IdentityProvider.get_user, LegacyIdentityProvider.get_user)
# A name that these methods give: 32 random hexadecimal digits, or "anonymous".
_RANDOM_NAME = re.compile(r"[0-9a-f]{32}|anonymous")

Model = TypeVar("Model", bound=BaseModel)
RequestModel = TypeVar("RequestModel", bound=WarmUpBody)
Answer = TypeVar("Answer")
Method = Callable[..., Awaitable[object]]


class Encoded(bytes, Generic[Answer]):
    """The JSON of an answer."""

    def __new__(cls, answer: Answer) -> Encoded[Answer]:
        return super().__new__(cls, json_bytes(to_wire(answer)))


@dataclass(frozen=True)
class Services(Host):
    """The objects that handlers use, created by ``extension.py``.

    Only the user named ``owner`` may ask models and change settings, only ``deleting_owner`` delete
    histories, only ``memory_owner`` see memories; every user if the name is empty.
    """

    models: ModelRegistry
    assistant: Assistant
    histories: Histories
    notebooks: NotebookRegistry
    changes: ChangeRecorder
    features: Features
    owner: str
    deleting_owner: str
    memory_owner: str


def guarded(action: Literal["read", "write", "execute"]) -> Callable[[Method], Any]:
    """Decorate a method so that it requires a login and Jupyter's permission for ``action``.

    What the method returns is sent, and ``rest-api.yml`` describes it by its type. If it returns
    None without an answer or a status of its own, the status is 204.
    """

    def guard(method: Method) -> Any:
        @functools.wraps(method)
        async def answer(handler: AIServerHandler, *arguments: str) -> None:
            result = await method(handler, *arguments)
            if result is not None:
                with contextlib.suppress(StreamClosedError):  # the client has gone
                    await handler.finish(result if isinstance(result, bytes) else Encoded(result))
            elif not handler._headers_written and handler.get_status() == 200:
                handler.set_status(204)

        return authenticated(authorized(action, RESOURCE)(answer))

    return guard


def status_of(error: errors.AIServerError) -> int:
    """Return the HTTP status of an error: that of its nearest class in ``STATUS``."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def error_fields(error: errors.AIServerError) -> dict[str, Any]:
    """Return the fields of an error's body, except ``requestId`` and ``unsaved``."""
    fields: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "text": error.text.to_wire(),
    }
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

    unsaved: Interaction | None = None
    """A turn that couldn't be saved; the body of the error contains it."""

    @property
    def services(self) -> Services:
        """The objects that handlers use. Raises SettingError if a setting is invalid."""
        return cast("Services", self.settings["aiserver_load"]())

    @property
    def user_name(self) -> str:
        """The name of the user who sent the request; empty if it doesn't identify a person.

        Jupyter's own identity providers give a random name to each browser with the token.
        """
        user = self.current_user
        name = user.username if isinstance(user, User) else ""
        has_random_names = type(self.identity_provider).get_user in _RANDOM_NAME_METHODS
        return "" if has_random_names and _RANDOM_NAME.fullmatch(name) else name

    def check_owner(self) -> None:
        """Raise NotOwner unless the user may ask models and change settings (see ``Services``)."""
        owner = self.services.owner
        if owner and self.user_name != owner:
            raise errors.NotOwner

    def check_same_origin(self) -> None:
        """Refuse a request from a page of another site, even if it has a token."""
        origin = self.request.headers.get("Origin", "")
        if origin and urlsplit(origin).netloc.lower() != self.request.host.lower():
            raise HTTPError(403)

    @property
    def has_memory(self) -> bool:
        """Whether the memories are those of the user (see ``Services``)."""
        owner = self.services.memory_owner
        return not owner or self.user_name == owner

    def check_can_delete(self) -> None:
        """Raise NotOwner unless the user may delete histories (see ``Services``)."""
        owner = self.services.deleting_owner
        if owner and self.user_name != owner:
            raise errors.NotOwner(
                UserText(
                    "This server belongs to somebody else, and so do its histories. "
                    "Only the owner can delete them."
                )
            )

    async def request_body(self, model: type[RequestModel]) -> RequestModel:
        """Parse and validate the body of a request to an AI model. Raises like ``body``.

        Files and memories that the user may not read aren't used.
        """
        body = self.body(model)
        if not self.has_memory:
            update = {"uses_memory": False, "uses_note": False}
            context = body.context.model_copy(update=update)
            body = body.model_copy(update={"context": context})
        if body.notebook_path is None or await self.can_read_files():
            return body
        return body.model_copy(update={"notebook_path": None})

    async def can_read_files(self) -> bool:
        """Return whether Jupyter's Authorizer lets the user read files."""
        allowed = self.authorizer.is_authorized(self, self.current_user, "read", "contents")
        return bool(await ensure_async(allowed))

    async def readable_folder(self) -> str | None:
        """Return the folder that Jupyter serves; None if requests may not contain its files."""
        is_forbidden = self.services.features.files == "forbidden"
        return self.services.folder if not is_forbidden and await self.can_read_files() else None

    def key(self, notebook_id: str, cell_id: str) -> SessionKey:
        """Return the key of a session. Raises InvalidRequest for a malformed id."""
        return SessionKey(notebook_id, cell_id, self.services.session_owner)

    def json_body(self) -> Any:
        """Parse the body as JSON. Raises InvalidRequest, RequestTooLarge."""
        if len(self.request.body) > MAX_BODY:
            raise errors.RequestTooLarge
        try:
            # `from_json` rejects lone surrogates, which UTF-8 can't represent, and deep nesting.
            return from_json(self.request.body, allow_inf_nan=False)
        except ValueError as reason:
            raise errors.InvalidRequest("The body is not valid JSON.") from reason

    def body(self, model: type[Model]) -> Model:
        """Parse and validate the body. Raises InvalidRequest or ValidationError."""
        return model.model_validate(self.json_body())

    def query(self, model: type[Model]) -> Model:
        """Validate the arguments in the URL; unknown ones are ignored. Raises ValidationError."""
        names = {field.alias or to_camel(name) for name, field in model.model_fields.items()}
        present = names & self.request.query_arguments.keys()
        return model.model_validate({name: self.get_query_argument(name) for name in present})

    def if_match(self) -> int | None:
        """Return the revision in the header ``If-Match``, or None. Raises InvalidField."""
        header = self.request.headers.get("If-Match", "").strip()
        if header in ("", "*"):
            return None
        text = header.removeprefix("W/").strip('"')
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise errors.InvalidField("If-Match", "must be a revision as sent in ETag")
        return int(text)

    def set_revision(self, revision: int) -> None:
        self.set_header("ETag", f'"{revision}"')

    def compute_etag(self) -> str | None:
        """Return None, so that Tornado doesn't send a hash of the body as ``ETag``."""
        return None

    async def encode_in_thread(self, build: Callable[[], Answer]) -> Encoded[Answer]:
        """Build and encode a long answer in a thread, to keep the event loop free."""
        return await asyncio.to_thread(lambda: Encoded(build()))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        # Tornado has removed the headers that let a page on another host read the answer.
        if hasattr(self, "_jupyter_current_user"):
            self.set_cors_headers()
        reason = (kwargs.get("exc_info") or (None, None, None))[1]
        error = _as_error(reason)
        if error is not None:
            self.set_status(status_of(error))
            fields = error_fields(error)
            if self.unsaved is not None:
                fields["unsaved"] = self.unsaved.to_dict()
        else:
            code, message = FRAMEWORK_ERRORS.get(
                status_code, ("error", errors.AIServerError.default_message)
            )
            if isinstance(reason, HTTPError) and "XSRF" in (reason.log_message or "").upper():
                message = UserText("The page is out of date. Reload it and try again.")
            fields = {"code": code, "message": message, "text": message.to_wire()}
        if "retryAfter" in fields:
            self.set_header("Retry-After", str(int(fields["retryAfter"]) + 1))
        self.finish(json_bytes(fields | {"requestId": self.request_id}))

    @property
    def request_id(self) -> str:
        """An id in the body of an error and in the log, by which the log line can be found."""
        if not hasattr(self, "_request_id"):
            self._request_id = uuid.uuid4().hex[:12]
        return self._request_id

    def log_exception(
        self,
        typ: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Log one line for an error, without contents of the request."""
        error = _as_error(value)
        if error is not None:
            self.log.info("%s: %s (request %s)", self._action, error.code, self.request_id)
        elif isinstance(value, HTTPError):
            self.log.info("%s: %s (request %s)", self._action, value.status_code, self.request_id)
        else:
            outline = outline_of(value) if value else "unknown"
            self.log.error("%s failed (request %s): %s", self._action, self.request_id, outline)

    @property
    def _action(self) -> str:
        return f"{self.request.method} {type(self).__name__}"


def _as_error(reason: BaseException | None) -> errors.AIServerError | None:
    """Return an AIServerError, also for a ValidationError; None for any other exception."""
    if isinstance(reason, errors.AIServerError):
        return reason
    if isinstance(reason, ValidationError):
        first = reason.errors(include_url=False, include_input=False)[0]
        field = ".".join(_safe_name(part) for part in first["loc"]) or "body"
        if first["type"] == "string_too_long":
            limit = str(first["ctx"]["max_length"])
            return errors.InvalidField(field, errors.InvalidField.too_long.fill(limit))
        return errors.InvalidField(field, first["msg"])
    return None


def _safe_name(part: str | int) -> str:
    """Return a part of a field's name; "a field" instead of an unusual key of the client."""
    text = str(part)
    return text if re.fullmatch(r"[A-Za-z0-9_]{1,32}", text) else "a field"
