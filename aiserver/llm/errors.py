"""Translate the exceptions of providers' libraries into our own error tree.

Invariants: the text of a foreign exception never reaches a user, a log or a file; it stays in
``__cause__``. An exception is classified by the names of its classes, then by its HTTP status, then
by its text, so no provider's package has to be imported.
"""

from __future__ import annotations

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

# How providers report that their filter blocked the text: OpenAI and Moonshot; Alibaba; DeepSeek;
# Zhipu. The text is read, not shown.
_FILTERED = re.compile(
    r"content_filter|data_inspection_failed|Content Exists Risk|['\"]code['\"]: ['\"]1301['\"]"
)

# How providers report that an account has no credit or quota left where the status only means
# "too many requests" or "bad request": OpenAI; Moonshot; Anthropic; Alibaba; Zhipu.
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient_balance|exceeded_current_quota|billing_hard_limit_reached"
    r"|credit balance is too low|Arrearage|['\"]code['\"]: ?['\"]1113['\"]"
)

# Suffixes of class names, matched against the exception's class and all its base classes.
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

_BY_STATUS: dict[int, type[ModelError]] = {
    400: RequestRefused,
    401: ModelAuthFailed,
    402: ModelNoCredit,
    403: ModelForbidden,
    404: ModelUnknown,
    408: ModelTimeout,
    413: PromptTooLong,
    422: RequestRefused,
    429: ModelRateLimited,
    504: ModelTimeout,
}
_UNCLEAR = (None, RequestRefused, ModelUnknown)  # the text may say more


def translate(error: Exception) -> AIServerError:
    """Return our own error for ``error``. Raise it ``from error``."""
    if isinstance(error, AIServerError):
        return error
    kind = _by_name(error) or _by_status(error)
    if kind in _UNCLEAR:
        kind = _by_text(error) or kind
    text = " ".join(f"{item} {getattr(item, 'body', '')}" for item in _chain(error))
    if kind in (*_UNCLEAR, ModelRateLimited) and _NO_CREDIT.search(text):
        return ModelNoCredit()
    if kind is RequestRefused and _FILTERED.search(text):
        return TextRefused()
    if kind is ModelRateLimited:
        return ModelRateLimited(retry_after(error))
    if kind is not None:
        return kind()
    if isinstance(error, (ValueError, KeyError, TypeError)):
        # The body isn't a valid answer: a broken server or proxy.
        return ModelUnavailable(ModelUnavailable.unreadable)
    return ModelError()


def retry_after(error: Exception) -> float | None:
    """Return the seconds that the provider asks to wait, or None if it names no time."""
    for item in _chain(error):
        headers = getattr(getattr(item, "response", None), "headers", None)
        if headers is None:
            continue
        for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
            seconds = _seconds(headers.get(name), unit)
            if seconds is not None:
                return seconds
    return None


def _seconds(value: Any, unit: float) -> float | None:
    if value is None:
        return None
    try:
        seconds = float(value) / unit
    except ValueError:
        date = email.utils.parsedate_tz(str(value))
        if date is None:
            return None
        seconds = email.utils.mktime_tz(date) - time.time()
    return min(max(0.0, seconds), _MAX_RETRY_AFTER) if seconds == seconds else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    item: BaseException | None = error
    while item is not None and id(item) not in seen:
        seen.add(id(item))
        yield item
        item = item.__cause__


def _by_name(error: Exception) -> type[ModelError] | None:
    names = [kind.__name__ for kind in type(error).__mro__]
    for suffix, error_class in _BY_NAME:
        if any(name.endswith(suffix) for name in names):
            return error_class
    return None


def _by_status(error: Exception) -> type[ModelError] | None:
    for item in _chain(error):
        for holder in (item, getattr(item, "response", None)):
            for name in ("status_code", "code", "status"):
                status = getattr(holder, name, None)
                if isinstance(status, int) and 400 <= status < 600:
                    return _BY_STATUS.get(status, ModelFailed if status >= 500 else None)
    return None


def _by_text(error: Exception) -> type[ModelError] | None:
    # Two conditions for which libraries only raise a generic class. The text is read, not shown.
    text = str(error).lower()
    if "context" in text and ("exceed" in text or "length" in text or "too long" in text):
        return PromptTooLong
    if "api_key" in text or "api key" in text or "credentials" in text:
        return ModelAuthFailed
    return None
