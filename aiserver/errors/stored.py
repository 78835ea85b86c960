"""Find the text of an error that a history contains as an English sentence.

A sentence of the present version is matched with the texts of the error classes. ``_EARLIER`` are
those that earlier versions stored, with the text that says the same now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import zip_longest

from . import model
from .model import (
    AnswerCut,
    BadAnswer,
    ModelAuthFailed,
    ModelError,
    ModelForbidden,
    ModelKeyMissing,
    ModelNoCredit,
    ModelPackageMissing,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
    ModelUnknown,
    NoModel,
    NoModelAnswer,
    PromptTooLong,
    RequestRefused,
    TextRefused,
)
from .text import UserText

_EARLIER = {
    "The model could not answer.": ModelError.default_message,
    "The local model’s file is gone. Run “jupyter aiserver model install”.": NoModel.file_missing,
    "That file is no GGUF model, so it can’t be used.": ModelError.no_gguf,
    "Models of this machine need one more package: %1": ModelPackageMissing.default_message,
    "Models of %1 need one more package: %2": ModelPackageMissing.remote_message,
    "There is no key for %1 yet. Connect it, or set %2.": ModelKeyMissing.variable_unset,
    "There is no key for %1 at hand. Enter one first.": ModelKeyMissing.default_message,
    "The provider asks for a key, and none is set. Connect the provider first.": (
        ModelKeyMissing.default_message
    ),
    "The key for %1 could not be read. Unlock the keyring of this machine, or enter the key "
    "again.": ModelKeyMissing.unreadable,
    "%1 would lead the request elsewhere. Unset it, or give a base_url.": ModelError.gateway_set,
    "The model began to repeat itself, so it was stopped. Say it in other words.": (
        BadAnswer.repeats
    ),
    "The model’s answer held no code. Try to say it another way.": BadAnswer.default_message,
    "The answer was cut off because it grew too long. Ask for less at once.": (
        AnswerCut.default_message
    ),
    "That is more text than this model can read. Shorten the cell or the request.": (
        PromptTooLong.default_message
    ),
    "%1 refused the key. Check the key and try again.": ModelAuthFailed.default_message,
    "%1 refused the key. Check the key, then try again.": ModelAuthFailed.default_message,
    "%1 does not let this key use that model.": ModelForbidden.default_message,
    "%1 does not let this key use that model. Choose another model, or another key.": (
        ModelForbidden.default_message
    ),
    "The account at %1 has no credit left. Add some there.": ModelNoCredit.default_message,
    "The account at %1 has no credit or quota left. Check its plan and billing there.": (
        ModelNoCredit.default_message
    ),
    "%1 knows no model of that name. Choose another one.": ModelUnknown.default_message,
    "%1 refused the request. Check the model’s name and options.": RequestRefused.default_message,
    "%1 refused the request. Check the name of the model.": RequestRefused.default_message,
    "%1’s filter refused this text. Say it in other words.": TextRefused.default_message,
    "The filter of %1 refused this text. Say it in other words.": TextRefused.default_message,
    "%1 asks to wait: too many requests. Try again in a moment.": ModelRateLimited.default_message,
    "The model can’t be reached right now. Try again in a moment.": (
        ModelUnavailable.default_message
    ),
    "%1 can’t be reached right now. Check its address and the connection, or try again in a "
    "moment.": ModelUnavailable.named_message,
    "What came back was no answer of a model. Check the address, and try again.": (
        NoModelAnswer.default_message
    ),
    "The response from %1 is not a model’s answer. Check the address, then try again.": (
        NoModelAnswer.default_message
    ),
    "%1 did not answer in time. Try again.": ModelTimeout.default_message,
}


@lru_cache(maxsize=256)
def find_text(sentence: str) -> UserText | None:
    """Return the text that was stored as ``sentence``, or None if it is unknown."""
    for pattern, text in _patterns():
        if match := pattern.fullmatch(sentence.replace("'", "’")):
            # The default parameters stand for a server without a name, and are translated.
            pairs = zip_longest(match.groups() or text.params, text.params)
            return text.fill(*(default if value == default else value for value, default in pairs))
    return None


@cache
def _patterns() -> list[tuple[re.Pattern[str], UserText]]:
    """All sentences as patterns, those with the fewest parameters first."""
    texts = [(text.template, text) for text in _class_texts()] + list(_EARLIER.items())
    texts.sort(key=lambda item: item[0].count("%"))
    return [(re.compile(re.sub("%[1-9]", "(.+)", re.escape(key))), text) for key, text in texts]


def _class_texts() -> Iterator[UserText]:
    for kind in vars(model).values():
        if isinstance(kind, type):
            yield from (text for text in vars(kind).values() if isinstance(text, UserText))
