"""Turns whatever a provider's library raises into our own error tree, once.

What must hold: nothing of the foreign exception's text reaches a person, a log or a file; it
stays in ``__cause__``. LangChain's own classes are asked first, then the HTTP status that the
exception carries, then the names of its classes, so that no provider's package is imported.
"""

from __future__ import annotations

import asyncio
import email.utils
import re
import time
from collections.abc import Iterator
from typing import Any

from ..errors import (
    AIServerError,
    ModelAuthFailed,
    ModelError,
    ModelFailed,
    ModelForbidden,
    ModelNoCredit,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
    ModelUnknown,
    PromptTooLong,
    RequestRefused,
    TextRefused,
)

_MAX_RETRY_AFTER = 24 * 3600.0

# How providers say that their filter took the text for unsafe: OpenAI and Moonshot; Alibaba;
# DeepSeek; Zhipu. The text is read, not shown.
_FILTERED = re.compile(
    r"content_filter|data_inspection_failed|Content Exists Risk|['\"]code['\"]: ['\"]1301['\"]"
)

# How providers say that an account has no credit or quota left where the status alone says only
# "too many requests" or "bad request": OpenAI; Moonshot; Anthropic; Alibaba; Zhipu.
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient_balance|exceeded_current_quota|billing_hard_limit_reached"
    r"|credit balance is too low|Arrearage|['\"]code['\"]: ?['\"]1113['\"]"
)

# A class of this name, or one that ends so, anywhere in the exception's ancestry.
_BY_NAME: tuple[tuple[str, type[ModelError]], ...] = (
    ("ContextOverflowError", PromptTooLong),
    ("RateLimitError", ModelRateLimited),
    ("ResourceExhausted", ModelRateLimited),
    ("AuthenticationError", ModelAuthFailed),
    ("PermissionDeniedError", ModelForbidden),
    ("PermissionDenied", ModelForbidden),
    ("Unauthenticated", ModelAuthFailed),
    ("TimeoutError", ModelTimeout),
    ("TimeoutException", ModelTimeout),
    ("DeadlineExceeded", ModelTimeout),
    ("ConnectionError", ModelUnavailable),
    ("TransportError", ModelUnavailable),
    ("InternalServerError", ModelFailed),
    ("ServiceUnavailable", ModelFailed),
)


def translate(error: Exception) -> AIServerError:
    """The error of ours that says what happened. Raise it ``from error``."""
    if isinstance(error, AIServerError):
        return error
    kind = _by_ancestry(error) or _by_status(_status(error)) or _by_text(error)
    if kind in (None, ModelRateLimited) and _NO_CREDIT.search(_text(error)):
        return ModelNoCredit()
    if kind is ModelRateLimited:
        return ModelRateLimited(retry_after(error))
    if kind is ModelAuthFailed and _status(error) == 402:
        return ModelNoCredit()
    if kind is ModelAuthFailed and _status(error) == 403:
        return ModelForbidden()
    if kind is not None:
        return kind()
    if _status(error) == 404:
        return ModelUnknown()
    if _status(error) in (400, 422):
        if _FILTERED.search(_text(error)):
            return TextRefused()
        return RequestRefused()
    if isinstance(error, (ValueError, KeyError, TypeError)):
        # A body that is no answer: a broken server or proxy.
        return ModelUnavailable("The model’s answer could not be read. Try again in a moment.")
    return ModelError()


def retry_after(error: Exception) -> float | None:
    """The seconds that the provider asks to wait, or None if it didn't say."""
    for item in _chain(error):
        headers = getattr(getattr(item, "response", None), "headers", None)
        if headers is None:
            continue
        for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
            seconds = _seconds(headers.get(name), unit)
            if seconds is not None:
                return seconds
    return None


def _text(error: BaseException) -> str:
    """All that the error says: LangChain's text leaves out the code and the type."""
    return " ".join(f"{item} {getattr(item, 'body', '')}" for item in _chain(error))


def _seconds(value: Any, unit: float) -> float | None:
    if value is None:
        return None
    try:
        seconds = float(value) / unit
    except ValueError:
        moment = email.utils.parsedate_tz(str(value))
        if moment is None:
            return None
        seconds = email.utils.mktime_tz(moment) - time.time()
    return min(max(0.0, seconds), _MAX_RETRY_AFTER) if seconds == seconds else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    item: BaseException | None = error
    while item is not None and id(item) not in seen:
        seen.add(id(item))
        yield item
        item = item.__cause__


def _by_ancestry(error: Exception) -> type[ModelError] | None:
    if isinstance(error, asyncio.TimeoutError):
        return ModelTimeout
    names = [kind.__name__ for kind in type(error).__mro__]
    for ending, ours in _BY_NAME:
        if any(name.endswith(ending) for name in names):
            return ours
    return None


def _status(error: BaseException) -> int | None:
    for item in _chain(error):
        for holder in (item, getattr(item, "response", None)):
            for name in ("status_code", "code", "status"):
                value = getattr(holder, name, None)
                if isinstance(value, int) and 400 <= value < 600:
                    return value
    return None


def _by_status(status: int | None) -> type[ModelError] | None:
    if status is None:
        return None
    if status in (401, 402, 403):
        return ModelAuthFailed
    if status in (408, 504):
        return ModelTimeout
    if status == 413:
        return PromptTooLong
    if status == 429:
        return ModelRateLimited
    return ModelFailed if status >= 500 else None


def _by_text(error: Exception) -> type[ModelError] | None:
    # Two conditions that libraries report with a general class only. The text is read, not shown.
    text = str(error).lower()
    if "context" in text and ("exceed" in text or "length" in text or "too long" in text):
        return PromptTooLong
    if "api_key" in text or "api key" in text or "credentials" in text:
        return ModelAuthFailed
    return None
