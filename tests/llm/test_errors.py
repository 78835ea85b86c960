"""Every foreign exception becomes one of ours, and none of its text gets through."""

from __future__ import annotations

import asyncio
import builtins

import httpx
import openai
import pytest
from langchain_core import exceptions as langchain

from aiserver import errors as ours
from aiserver.llm.errors import retry_after, translate

CANARY = "canary-text-of-the-provider"


def status_error(status: int, headers: dict[str, str] | None = None) -> openai.APIStatusError:
    response = httpx.Response(
        status, headers=headers, request=httpx.Request("POST", "http://model.invalid")
    )
    return openai.APIStatusError(CANARY, response=response, body=None)


class ResourceExhausted(Exception):  # as google's client names it
    pass


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (langchain.ContextOverflowError(CANARY), ours.PromptTooLong),
        (langchain.ModelAuthenticationError(CANARY), ours.ModelAuthFailed),
        (langchain.ModelPermissionDeniedError(CANARY), ours.ModelForbidden),
        (status_error(403), ours.ModelForbidden),
        (langchain.ModelRateLimitError(CANARY), ours.ModelRateLimited),
        (langchain.ModelConnectionError(CANARY), ours.ModelUnavailable),
        (langchain.ModelTimeoutError(CANARY), ours.ModelTimeout),
        (status_error(401), ours.ModelAuthFailed),
        (status_error(402), ours.ModelNoCredit),
        (status_error(408), ours.ModelTimeout),
        (status_error(413), ours.PromptTooLong),
        (status_error(429), ours.ModelRateLimited),
        (status_error(500), ours.ModelUnavailable),
        (status_error(529), ours.ModelUnavailable),
        (status_error(404), ours.ModelUnknown),
        (status_error(400), ours.RequestRefused),
        (httpx.ConnectError(CANARY), ours.ModelUnavailable),
        (httpx.ReadTimeout(CANARY), ours.ModelTimeout),
        (asyncio.TimeoutError(), ours.ModelTimeout),
        (builtins.ConnectionResetError(CANARY), ours.ModelUnavailable),
        (ResourceExhausted(CANARY), ours.ModelRateLimited),
        (ValueError(CANARY), ours.ModelUnavailable),
        (RuntimeError(CANARY), ours.ModelError),
        (RuntimeError(f"maximum context length exceeded {CANARY}"), ours.PromptTooLong),
        (
            openai.OpenAIError(f"Missing credentials: set OPENAI_API_KEY {CANARY}"),
            ours.ModelAuthFailed,
        ),
    ],
    ids=lambda value: getattr(value, "__name__", repr(value)[:40]),
)
def test_translates(error: Exception, kind: type[Exception]) -> None:
    """P8"""
    made = translate(error)
    assert type(made) is kind
    assert CANARY not in made.message
    assert CANARY not in repr(made)


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (402, {"message": f"Insufficient Balance {CANARY}"}, "no credit left"),
        (400, {"message": f"Content Exists Risk {CANARY}"}, "in other words"),
        (400, {"message": f"系统检测到敏感内容 {CANARY}", "code": "1301"}, "in other words"),
        (400, {"message": CANARY, "code": "data_inspection_failed"}, "in other words"),
        (400, {"message": CANARY, "type": "content_filter"}, "in other words"),
        (400, {"message": f"1301 tokens {CANARY}", "code": "1210"}, "name and options"),
        (401, {"message": CANARY}, "Check the key"),
    ],
)
def test_says_what_can_be_done(status: int, body: dict[str, str], said: str) -> None:
    """P8: the provider's words are read, in whatever language, and not shown."""
    response = httpx.Response(status, request=httpx.Request("POST", "http://model.invalid"))
    text = f"Error code: {status} - {body['message']}"  # as LangChain writes it
    made = translate(openai.APIStatusError(text, response=response, body=body))
    assert said in made.message
    assert CANARY not in made.message


def test_ours_stay_as_they_are() -> None:
    error = ours.BadAnswer()
    assert translate(error) is error


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After-Ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "1e99"}, 86400.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    """P31"""
    assert retry_after(status_error(429, headers)) == seconds
    limited = translate(status_error(429, headers))
    assert isinstance(limited, ours.ModelRateLimited)
    assert limited.retry_after == seconds
