"""Every failure that AI Server tells a person about, as one tree.

    AIServerError                      something a person can be told
    ├── InvalidRequest                 the request itself is wrong
    │   └── RequestTooLarge            … because it is too big
    ├── NotFound                       no such session, generation or model
    ├── NotYours                       somebody else asked for this answer
    ├── NotOwner                       this server's models are not theirs to use
    ├── GenerationRunning              the cell is already being written
    ├── TooManyGenerations             as many answers are being written as may
    ├── StaleRevision                  somebody else wrote in between
    ├── SettingError                   a setting names what there isn't
    ├── SearchFailed                   the process that searches can't be had
    ├── ExportFailed                   the process of an export ended without its file
    │   └── ExportTimeout          … because it took too long
    ├── StorageError                   the history can't be read or written
    │   ├── StorageBusy            … because another process is writing it for long
    │   ├── StorageUnreachable         … because its database doesn't answer
    │   ├── StorageFull                … because the disk is full
    │   ├── StorageReadOnly            … because the folder can't be written
    │   ├── SessionTooNew              … a newer AI Server wrote it: read-only here
    │   └── SessionCorrupt             … the file is damaged; its bytes are kept
    └── ModelError                     the model gave no usable answer
        ├── NoModel                    nothing is chosen or installed
        ├── ModelNotAllowed            the administrator of this server excludes it
        ├── InstallFailed              the local model could not be installed
        ├── ModelPackageMissing        the provider's package isn't installed
        ├── ModelAuthFailed            the provider refused the key
        │   ├── ModelForbidden         … or doesn't let it use that model
        │   ├── ModelNoCredit          … or the account behind it has no credit or quota left
        │   └── ModelKeyMissing        … or there is none
        ├── ModelUnknown               the provider knows no model of that name
        ├── RequestRefused             the provider refused the request
        ├── TextRefused                … because its filter takes the text for unsafe
        ├── ModelRateLimited           the provider asks to wait
        ├── ModelUnavailable           it can't be reached
        │   ├── ModelFailed            … or failed inside
        │   └── NoModelAnswer          … or something that is no model answers in its place
        ├── ModelTimeout               it didn't answer in time
        ├── PromptTooLong              more text than the model can read
        └── BadAnswer                  an answer without usable code
            ├── AnswerCut              … because it grew too long
            └── AnswerBrokenOff        … because the model stopped in the middle

What must hold: a message is one plain sentence that is safe to show and to store. It never
carries a provider's raw text, a path, a key or a traceback; those stay in ``__cause__``.
Nothing here knows HTTP: ``handlers/base.py`` maps ``code`` to a status, once.
"""

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


class StorageError(AIServerError):
    """The history can't be read or written."""

    code = "storage_error"
    retryable = True
    default_message = "The history could not be saved or read. Everything saved so far is safe."


class StorageBusy(StorageError):
    """Another process has kept the history's lock for as long as a save may wait."""

    code = "storage_busy"
    default_message = "Another Jupyter server is writing to this history. Try again in a moment."


class StorageFull(StorageError):
    """The disk, or what the user may use of it, is full."""

    code = "storage_full"
    default_message = (
        "The disk is full, or your quota is used up, so the history can’t be saved. "
        "Free up some space, then try again."
    )


class StorageReadOnly(StorageError):
    """The sessions folder can't be written."""

    code = "storage_read_only"
    retryable = False
    default_message = (
        "The history folder is read-only, so nothing was saved. Make it writable, then try again."
    )


class StorageUnreachable(StorageError):
    """The database of the histories doesn't answer."""

    code = "storage_unreachable"
    default_message = (
        "Can’t connect to the history database. Try again in a moment; "
        "everything saved so far is safe."
    )


class SessionTooNew(StorageError):
    """A newer AI Server wrote this session: it can be read here, but not written."""

    code = "session_too_new"
    retryable = False
    default_message = (
        "This history was written by a newer version of AI Server. Update AI Server to add to it."
    )


class SessionCorrupt(StorageError):
    """The stored session is damaged. Its bytes were set aside and are kept."""

    code = "session_corrupt"
    retryable = False
    default_message = "This cell’s history file is damaged. A copy of its content was kept."


class ModelError(AIServerError):
    """The model gave no usable answer."""

    code = "model_error"
    default_message = "The model could not answer. Try again."
    named_message: ClassVar[str] = ""  # the same of a server that is known; %1 is its label
    provider: str | None = None  # by name: whose model it was, where that is not of this machine
    server: str | None = None  # its label: the provider's, or the host where that says more

    def name_server(self, provider: str | None, label: str) -> None:
        """Say whose model it was; ``provider`` is one that can be connected, or None.

        A message of the error's own stays.
        """
        self.provider, self.server = provider, label
        if self.named_message and self.message == self.default_message:
            self.message = self.named_message.replace("%1", label)
            self.args = (self.message,)


class NoModel(ModelError):
    """No model is chosen and none is installed."""

    code = "no_model"
    default_message = (
        "No model is set up yet. Run “jupyter aiserver model install”, or connect a provider."
    )


class ModelNotAllowed(ModelError):
    """The administrator of this server excludes this model or provider."""

    code = "model_not_allowed"
    default_message = (
        "The administrator of this server does not allow this model. Choose another one."
    )


class InstallFailed(ModelError):
    """The local model could not be installed; what had come is kept."""

    code = "install_failed"
    retryable = True
    default_message = (
        "The local model could not be installed. Try again; the download resumes where it stopped."
    )


class ModelPackageMissing(ModelError):
    """The Python package of ``whose`` models isn't installed; ``install`` is the line for it."""

    code = "model_package_missing"

    def __init__(self, whose: str, install: str, provider: str | None = None) -> None:
        self.install, self.provider = install, provider
        super().__init__(f"{whose} models need one more Python package: {install}")


class ModelAuthFailed(ModelError):
    """The provider refused the key."""

    code = "model_auth_failed"
    default_message = "The provider rejected the API key. Check the key, then try again."
    named_message = "%1 rejected the API key. Check the key, then try again."


class ModelForbidden(ModelAuthFailed):
    """The provider knows the key, but doesn't let it use that model."""

    code = "model_forbidden"
    default_message = (
        "The provider does not allow this model with your API key. Choose another model or key."
    )
    named_message = "%1 does not allow this model with your API key. Choose another model or key."


class ModelNoCredit(ModelAuthFailed):
    """The key is right, but the account behind it has no credit or quota left."""

    code = "model_no_credit"
    default_message = (
        "Your account with the provider has no credit or quota left. Check your plan and billing."
    )
    named_message = "Your account with %1 has no credit or quota left. Check your plan and billing."


class ModelKeyMissing(ModelAuthFailed):
    """The provider asks for a key, and there is none."""

    code = "model_key_missing"
    default_message = "No API key for the provider. Enter one first."
    named_message = "No API key for %1. Enter one first."


class ModelUnknown(ModelError):
    """The provider knows no model of that name."""

    code = "model_unknown"
    default_message = "The provider has no model with this name. Choose another one."
    named_message = "%1 has no model with this name. Choose another one."


class RequestRefused(ModelError):
    """The provider refused the request as it was."""

    code = "model_refused_request"
    default_message = "The provider rejected the request. Check the model name."
    named_message = "%1 rejected the request. Check the model name."


class TextRefused(ModelError):
    """A filter of the provider's takes the text for unsafe."""

    code = "model_refused_text"
    default_message = (
        "The provider blocked this request with its content filter. Try rephrasing it."
    )
    named_message = "%1 blocked this request with its content filter. Try rephrasing it."


class ModelRateLimited(ModelError):
    """The provider asks to wait; ``retry_after`` is in seconds, or None if it didn't say."""

    code = "model_rate_limited"
    retryable = True
    default_message = "Rate limited by the provider. Try again in a moment."
    named_message = "Rate limited by %1. Try again in a moment."

    def __init__(self, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__()


class ModelUnavailable(ModelError):
    """The model can't be reached."""

    code = "model_unavailable"
    retryable = True
    default_message = "Can’t connect to the model. Try again in a moment."
    named_message = (
        "Can’t connect to %1. Check the base URL and your connection, or try again in a moment."
    )


class ModelFailed(ModelUnavailable):
    """The provider was reached, and reported a fault of its own."""

    code = "model_failed"
    default_message = "The provider reported an internal error. Try again in a moment."
    named_message = "%1 reported an internal error. Try again in a moment."


class NoModelAnswer(ModelUnavailable):
    """What came back is no answer of a model: another program has that address."""

    code = "model_no_answer"
    default_message = (
        "The provider did not return a valid model response. Check the base URL, then try again."
    )
    named_message = "%1 did not return a valid model response. Check the base URL, then try again."


class ModelTimeout(ModelError):
    """The model didn't answer in time."""

    code = "model_timeout"
    retryable = True
    default_message = "The model did not respond in time. Try again."
    named_message = "%1 did not respond in time. Try again."


class PromptTooLong(ModelError):
    """There is more text than the model can read at once."""

    code = "prompt_too_long"
    default_message = (
        "The request does not fit in this model’s context window. Shorten the cell or the request."
    )


class BadAnswer(ModelError):
    """The model answered, but not with code."""

    code = "bad_answer"
    retryable = True
    default_message = "The answer contained no usable code. Try rephrasing the request."


class AnswerCut(BadAnswer):
    """The answer grew too long, here or for the provider; what had come is no whole."""

    code = "answer_cut"
    retryable = False
    default_message = "The answer was cut off because it was too long. Ask for less at a time."


class AnswerBrokenOff(BadAnswer):
    """The provider ended its stream without saying that the answer was whole."""

    code = "answer_broken_off"
    default_message = "The model stopped in the middle of its answer. Try again."
