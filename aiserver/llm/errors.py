"""Translate the exceptions of providers' libraries into our own error tree.

Invariants:

- The text of a library's exception never reaches a user, a log or a file: the exception is only
  attached to our error as its ``__cause__``.
- An exception is classified by the names of its classes, then by its HTTP status, then by its text,
  so no provider's package has to be imported.
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

# How providers report that their filter blocked the text; in this order: OpenAI and Moonshot;
# Alibaba; DeepSeek; Zhipu. The error's text is only searched, never shown.
_FILTERED = re.compile(
    r"content_filter|data_inspection_failed|Content Exists Risk|['\"]code['\"]: ['\"]1301['\"]"
)

# How providers report that an account has no credit or quota left, although the HTTP status only
# means "too many requests" or "bad request": OpenAI; Moonshot; Anthropic; Alibaba; Zhipu.
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient_balance|exceeded_current_quota|billing_hard_limit_reached"
    r"|credit balance is too low|Arrearage|['\"]code['\"]: ?['\"]1113['\"]"
)

# Our error for each suffix of a class name. The exception's class and all its base classes are
# compared with the suffixes.
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
# Classifications so general that the exception's text may allow a more specific one.
_UNCLEAR = (None, RequestRefused, ModelUnknown)


def translate(error: Exception) -> AIServerError:
    """Return our own error for ``error``, for the caller to raise ``from error``."""
    if isinstance(error, AIServerError):
        return error
    kind = _by_name(error) or _by_status(error)
    if kind in _UNCLEAR:
        kind = _by_text(error) or kind
    text = " ".join(f"{each} {getattr(each, 'body', '')}" for each in _with_causes(error))
    if kind in (*_UNCLEAR, ModelRateLimited) and _NO_CREDIT.search(text):
        return ModelNoCredit()
    if kind is RequestRefused and _FILTERED.search(text):
        return TextRefused()
    if kind is ModelRateLimited:
        return ModelRateLimited(retry_after(error))
    if kind is not None:
        return kind()
    if isinstance(error, (ValueError, KeyError, TypeError)):
        # Raised while the response was parsed: a broken server or proxy sent something invalid.
        return ModelUnavailable(ModelUnavailable.unreadable)
    return ModelError()


def retry_after(error: Exception) -> float | None:
    """Return how many seconds the provider asks to wait, or None if it doesn't say."""
    for exception in _with_causes(error):
        headers = getattr(getattr(exception, "response", None), "headers", None)
        if headers is None:
            continue
        for header, units_per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
            seconds = _seconds(headers.get(header), units_per_second)
            if seconds is not None:
                return seconds
    return None


def _seconds(value: Any, units_per_second: float) -> float | None:
    """Return the seconds until the time that a header's value states as a number or a date."""
    if value is None:
        return None
    try:
        seconds = float(value) / units_per_second
    except ValueError:
        date = email.utils.parsedate_tz(str(value))
        if date is None:
            return None
        seconds = email.utils.mktime_tz(date) - time.time()
    is_nan = seconds != seconds
    return None if is_nan else min(max(0.0, seconds), _MAX_RETRY_AFTER)


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield ``error``, its cause, the cause's cause, and so on."""
    seen_ids: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen_ids:
        seen_ids.add(id(current))
        yield current
        current = current.__cause__


def _by_name(error: Exception) -> type[ModelError] | None:
    names = [kind.__name__ for kind in type(error).__mro__]
    for suffix, error_class in _BY_NAME:
        if any(name.endswith(suffix) for name in names):
            return error_class
    return None


def _by_status(error: Exception) -> type[ModelError] | None:
    for exception in _with_causes(error):
        for source in (exception, getattr(exception, "response", None)):
            for attribute in ("status_code", "code", "status"):
                status = getattr(source, attribute, None)
                if isinstance(status, int) and 400 <= status < 600:
                    return _BY_STATUS.get(status, ModelFailed if status >= 500 else None)
    return None


def _by_text(error: Exception) -> type[ModelError] | None:
    # For these two errors, libraries only raise a generic class. The text is searched, never shown.
    text = str(error).lower()
    if "context" in text and ("exceed" in text or "length" in text or "too long" in text):
        return PromptTooLong
    if "api_key" in text or "api key" in text or "credentials" in text:
        return ModelAuthFailed
    return None
