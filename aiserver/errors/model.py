"""Failures of models and their providers."""

from __future__ import annotations

from typing import ClassVar

from .base import AIServerError, UserText

# The parameter of a message until ``set_server_label`` inserts the label of the model's server.
# ``_PROVIDER`` is for the start of a sentence, and ``_THE_PROVIDER`` for the middle.
_PROVIDER, _THE_PROVIDER = UserText("The provider"), UserText("the provider")


class ModelError(AIServerError):
    """The model gave no usable answer."""

    code = "model_error"
    default_message = UserText("The model could not answer. Try again.")
    no_gguf = UserText("The model file is not in GGUF format. Use a GGUF file.")
    named_message: ClassVar[UserText | None] = None
    """The message that replaces ``default_message`` when the server's label is set.

    A class needs it only if its ``default_message`` has no parameter for the label."""
    no_provider = UserText("There is no provider called “%1”.")
    gateway_variable_set = UserText(
        "The environment variable %1 would redirect the request. Unset it, or set a base_url."
    )
    provider: str | None = None
    """The name of the model's provider; None if the model is local or its provider is unknown."""
    server: str | None = None
    """The label of the model's server: the provider's label or the host."""

    def set_server_label(self, provider: str | None, label: str) -> None:
        """Add the names of the provider and its server, also to the default message."""
        self.provider, self.server = provider, label
        named = self.default_message if self.default_message.params else self.named_message
        if named and self.message == self.default_message:
            self.message = named.fill(label)
            self.args = (self.message,)


class NoModel(ModelError):
    """No model is chosen and none is installed."""

    code = "no_model"
    default_message = UserText(
        "No model is set up yet. Run “jupyter aiserver model install”, or connect a provider."
    )
    blank_key = UserText(
        "%1 is set, but contains no API key. Set it to your key, or connect a provider."
    )
    file_missing = UserText(
        "The local model’s file is missing. Run “jupyter aiserver model install”."
    )


class NoCompletionModel(NoModel):
    """No local model can complete code while a person types."""

    code = "no_completion_model"
    default_message = UserText(
        "Inline completion needs a Qwen2.5-Coder model that is installed on this computer. "
        "If another local model is chosen, choose this one instead."
    )


class ModelNotAllowed(ModelError):
    """The administrator doesn't allow this model or provider."""

    code = "model_not_allowed"
    default_message = UserText(
        "The administrator of this server does not allow this model. Choose another one."
    )
    only_local = UserText(
        "The administrator of this server only allows models that run on its own machine."
    )
    only_local_in_ollama = UserText(
        "Only models that run in Ollama on this computer are allowed here, "
        "and Ollama does not list this one as local."
    )


class InstallFailed(ModelError):
    """The local model couldn't be installed. The next try resumes an intact download."""

    code = "install_failed"
    retryable = True
    default_message = UserText(
        "The local model could not be installed. Try again; the download resumes where it stopped."
    )


class InstallRunning(InstallFailed):
    """Another local model is being installed."""

    code = "install_running"
    default_message = UserText(
        "Another model is being installed. Wait until it is finished, or cancel it."
    )
    message_with_model = UserText("%1 is being installed. Wait until it is finished, or cancel it.")


class ModelInUse(ModelError):
    """The local model can't be deleted now, because it is answering a request."""

    code = "model_in_use"
    retryable = True
    default_message = UserText(
        "This model is answering a request. Wait until it is finished, or stop it."
    )


class ModelShared(ModelError):
    """The local model can't be deleted, because it is installed for all users."""

    code = "model_shared"
    default_message = UserText(
        "This model is installed for all users of this computer. "
        "Only an administrator can remove it."
    )


class ModelPackageMissing(ModelError):
    """A Python package that the chosen model needs isn't installed.

    ``label`` is the label of the model's provider, or None for a local model. ``install`` is the
    command that installs the package.
    """

    code = "model_package_missing"
    default_message = UserText("Local models need one more Python package: %1")
    remote_message = UserText("%1 models need one more Python package: %2")

    def __init__(self, label: str | None, install: str, provider: str | None = None) -> None:
        self.install, self.provider = install, provider
        local, remote = self.default_message, self.remote_message
        super().__init__(remote.fill(label, install) if label else local.fill(install))


class ModelAuthFailed(ModelError):
    """The provider rejected the key."""

    code = "model_auth_failed"
    default_message = UserText("%1 rejected the API key. Check the key, then try again.", _PROVIDER)


class ModelForbidden(ModelAuthFailed):
    """The provider accepts the key, but not for this model."""

    code = "model_forbidden"
    default_message = UserText(
        "%1 does not allow this model with your API key. Choose another model or key.", _PROVIDER
    )


class ModelNoCredit(ModelAuthFailed):
    """The key is valid, but the account has no credit or quota left."""

    code = "model_no_credit"
    default_message = UserText(
        "Your account with %1 has no credit or quota left. Check your plan and billing.",
        _THE_PROVIDER,
    )


class ModelKeyMissing(ModelAuthFailed):
    """The provider requires a key, but there is none, or the stored key can't be read."""

    code = "model_key_missing"
    default_message = UserText("No API key for %1. Enter one first.", _THE_PROVIDER)
    variable_unset = UserText("No API key for %1. Connect it, or set %2.")
    unreadable = UserText(
        "The API key for %1 could not be read. "
        "Unlock the server’s keychain, or enter the key again."
    )


class ModelUnknown(ModelError):
    """The provider has no model with this name."""

    code = "model_unknown"
    default_message = UserText("%1 has no model with this name. Choose another one.", _PROVIDER)


class RequestRefused(ModelError):
    """The provider rejected the request."""

    code = "model_refused_request"
    default_message = UserText("%1 rejected the request. Try another model.", _PROVIDER)
    setting = UserText("The server rejected a setting of the request: %1. Choose another model.")


class TextRefused(ModelError):
    """The provider's content filter blocked the text."""

    code = "model_refused_text"
    default_message = UserText(
        "%1 blocked this request with its content filter. Try rephrasing it.", _PROVIDER
    )


class ModelRateLimited(ModelError):
    """The provider's rate limit is reached; ``retry_after`` is in seconds, or None if unknown."""

    code = "model_rate_limited"
    retryable = True
    default_message = UserText("Rate limited by %1. Try again in a moment.", _THE_PROVIDER)

    def __init__(self, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__()


class ModelUnavailable(ModelError):
    """The model's server can't be reached, or gave no valid answer."""

    code = "model_unavailable"
    retryable = True
    default_message = UserText("Can’t connect to the model. Try again in a moment.")
    named_message = UserText(
        "Can’t connect to %1. Check the base URL and your connection, or try again in a moment."
    )
    unreadable = UserText("The model’s answer could not be read. Try again in a moment.")
    loading = UserText("The server is still loading the model. Try again in a minute.")
    certificate = UserText(
        "The server’s certificate isn’t trusted. Set SSL_CERT_FILE to a file with the certificate, "
        "then restart JupyterLab."
    )


class ModelFailed(ModelUnavailable):
    """The provider reported an internal error."""

    code = "model_failed"
    default_message = UserText("%1 reported an internal error. Try again in a moment.", _PROVIDER)
    nothing_loaded = UserText("The server has no model loaded. Load one there, then try again.")
    memory = UserText("The server has too little memory for this model. Choose a smaller one.")


class NoModelAnswer(ModelUnavailable):
    """The response isn't a model's answer. Perhaps another program uses the server's address."""

    code = "model_no_answer"
    default_message = UserText(
        "%1 did not return a valid model response. Check the base URL, then try again.", _PROVIDER
    )


class ModelTimeout(ModelError):
    """The model didn't answer in time."""

    code = "model_timeout"
    retryable = True
    default_message = UserText("%1 did not respond in time. Try again.", UserText("The model"))


class PromptTooLong(ModelError):
    """The prompt has more tokens than the model can read at once."""

    code = "prompt_too_long"
    default_message = UserText(
        "The request does not fit in this model’s context window. Shorten the cell or the request."
    )


class BadAnswer(ModelError):
    """The model answered, but the answer is empty or can't be used."""

    code = "bad_answer"
    retryable = True
    default_message = UserText("The answer was empty. Try rephrasing the request.")
    only_thoughts = UserText(
        "The model only thought about the request, and didn’t answer. Ask for less at a time, or "
        "choose another model."
    )
    repeats = UserText(
        "The model started repeating itself, so it was stopped. Try rephrasing the request."
    )


class AnswerCut(BadAnswer):
    """The answer is incomplete, because it exceeded a limit of AI Server or of the provider."""

    code = "answer_cut"
    retryable = False
    default_message = UserText(
        "The answer was cut off because it was too long. Ask for less at a time."
    )


class AnswerBrokenOff(BadAnswer):
    """The provider's stream ended, or its connection was lost, before the answer was complete."""

    code = "answer_broken_off"
    default_message = UserText("The answer was interrupted before it was complete. Try again.")
