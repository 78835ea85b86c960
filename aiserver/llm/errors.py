"""Translate the exceptions of providers' libraries into our own error tree.

Invariants:

- The text of a library's exception never reaches a user, a log or a file: the exception is only
  attached to our error as its ``__cause__``.
- Classifying an exception imports no provider's package. The names of its classes count, or else
  its HTTP status, or else its text.
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
    UserText,
)

_MAX_RETRY_AFTER = 24 * 3600.0  # seconds; longer times are reduced to this

# Endings of the names of an exception's class and its bases; the first that fits counts.
_ERROR_BY_SUFFIX: tuple[tuple[str, type[ModelError]], ...] = (
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

_ERROR_BY_STATUS: dict[int, type[ModelError]] = {
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
# What an exception and its causes say; the first match counts. The patterns for missing credit and
# for filters are from OpenAI, Moonshot, Anthropic, Alibaba, DeepSeek and Zhipu.
_BY_TEXT: tuple[tuple[re.Pattern[str], type[ModelError], UserText | None], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), error_class, message)
    for pattern, error_class, message in (
        (
            r"insufficient_quota|insufficient_balance|exceeded_current_quota|Arrearage"
            r"|billing_hard_limit_reached|credit balance is too low|['\"]code['\"]: ?['\"]1113['\"]"
            r"|budget.{0,20}exceeded|exceeded.{0,20}budget",
            ModelNoCredit,
            None,
        ),
        (
            r"content_filter|data_inspection_failed|Content Exists Risk"
            r"|['\"]code['\"]: ['\"]1301['\"]",
            TextRefused,
            None,
        ),
        # Some libraries raise a general class such as ValueError.
        (r"context.*(?:exceed|length|too long)|exceed.*context", PromptTooLong, None),
        (r"api[_ ]key|credentials", ModelAuthFailed, None),
        (r"CERTIFICATE_VERIFY_FAILED", ModelUnavailable, ModelUnavailable.certificate),
        (
            r"loading model|model is (?:still |currently )?loading",
            ModelUnavailable,
            ModelUnavailable.loading,
        ),
        (r"no models? (?:is )?loaded", ModelFailed, ModelFailed.nothing_loaded),
        (
            r"(?:requires?|insufficient|out of|not enough).{0,20}\bmemory\b",
            ModelFailed,
            ModelFailed.memory,
        ),
        (
            r"model\b.{0,80}?(?:does not exist|not found|not exist)|unknown model",
            ModelUnknown,
            None,
        ),
        (
            r"\b(temperature|max_tokens|max_completion_tokens|top_p|stream_options|stream)\b",
            RequestRefused,
            RequestRefused.setting,
        ),
    )
)
# For these results of class and status, None if there is none, the text may name a more specific
# one.
_MORE_SPECIFIC: dict[type[ModelError] | None, tuple[type[ModelError], ...]] = {
    **dict.fromkeys((None, RequestRefused, ModelUnknown), (ModelError,)),
    **dict.fromkeys(
        (ModelFailed, ModelUnavailable), (ModelUnavailable, ModelUnknown, RequestRefused)
    ),
    ModelRateLimited: (ModelNoCredit,),
}


def translate(error: Exception) -> AIServerError:
    """Return our own error, to raise ``from error``."""
    if isinstance(error, AIServerError):
        return error
    error_class = _classify_by_name(error) or _classify_by_status(error)
    kinds, text = _MORE_SPECIFIC.get(error_class, ()), text_of(error)
    for pattern, specific_class, message in _BY_TEXT:
        if issubclass(specific_class, kinds) and (match := pattern.search(text)):
            return specific_class(message and message.fill(*match.groups()))
    if error_class is ModelRateLimited:
        return ModelRateLimited(retry_after(error))
    if error_class is not None:
        return error_class()
    if isinstance(error, (ValueError, KeyError, TypeError)):
        # A server or proxy sent invalid data.
        return ModelUnavailable(ModelUnavailable.unreadable)
    return ModelError()


def text_of(error: BaseException) -> str:
    """Return what an error and its causes say, shortened."""
    texts = (f"{cause} {getattr(cause, 'body', '')}"[:10_000] for cause in _with_causes(error))
    return " ".join(texts)


def retry_after(error: Exception) -> float | None:
    """Return the seconds after which the provider allows a retry, or None."""
    for exception in _with_causes(error):
        headers = getattr(getattr(exception, "response", None), "headers", None)
        if headers is None:
            continue
        for header, units_per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
            seconds = _parse_seconds(headers.get(header), units_per_second)
            if seconds is not None:
                return seconds
    return None


def _parse_seconds(value: Any, units_per_second: float) -> float | None:
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
    seen_ids: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen_ids:
        seen_ids.add(id(current))
        yield current
        current = current.__cause__


def _classify_by_name(error: Exception) -> type[ModelError] | None:
    names = [base.__name__ for base in type(error).__mro__]
    for suffix, error_class in _ERROR_BY_SUFFIX:
        if any(name.endswith(suffix) for name in names):
            return error_class
    return None


def _classify_by_status(error: Exception) -> type[ModelError] | None:
    for exception in _with_causes(error):
        for status_owner in (exception, getattr(exception, "response", None)):
            for attribute in ("status_code", "code", "status"):
                status = getattr(status_owner, attribute, None)
                if isinstance(status, int) and 400 <= status < 600:
                    return _ERROR_BY_STATUS.get(status, ModelFailed if status >= 500 else None)
    return None
