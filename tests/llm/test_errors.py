"""Every foreign exception is translated to one of ours, without its text."""

from __future__ import annotations

import asyncio
import builtins
from typing import Any

import httpx
import openai
import pytest
from langchain_core import exceptions as langchain

from aiserver import errors as ours
from aiserver.llm.errors import retry_after, translate
from aiserver.llm.providers import server_label

CANARY = "canary-text-of-the-provider"


def status_error(status: int, headers: dict[str, str] | None = None) -> openai.APIStatusError:
    response: Any = httpx.Response(
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
        (status_error(500), ours.ModelFailed),
        (status_error(529), ours.ModelFailed),
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
    translated = translate(error)
    assert type(translated) is kind
    assert CANARY not in translated.message
    assert CANARY not in repr(translated)


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (402, {"message": f"Insufficient Balance {CANARY}"}, "no credit or quota left"),
        (429, {"message": CANARY, "code": "insufficient_quota"}, "no credit or quota left"),
        (429, {"message": CANARY, "type": "exceeded_current_quota_error"}, "quota left"),
        (429, {"message": f"Your credit balance is too low {CANARY}"}, "quota left"),
        (429, {"message": CANARY, "code": "rate_limit_exceeded"}, "Rate limited"),
        (500, {"message": CANARY}, "internal error"),
        (400, {"message": f"Content Exists Risk {CANARY}"}, "Try rephrasing it"),
        (400, {"message": f"系统检测到敏感内容 {CANARY}", "code": "1301"}, "Try rephrasing it"),
        (400, {"message": CANARY, "code": "data_inspection_failed"}, "Try rephrasing it"),
        (400, {"message": CANARY, "type": "content_filter"}, "Try rephrasing it"),
        (400, {"message": f"1301 tokens {CANARY}", "code": "1210"}, "Try another model"),
        (401, {"message": CANARY}, "Check the key"),
    ],
)
def test_the_message_suggests_a_remedy(status: int, body: dict[str, str], sentence: str) -> None:
    """P8: the provider's words are read, in whatever language, and not shown."""
    response: Any = httpx.Response(status, request=httpx.Request("POST", "http://model.invalid"))
    text = f"Error code: {status} - {body['message']}"  # as LangChain writes it
    translated = translate(openai.APIStatusError(text, response=response, body=body))
    assert sentence in translated.message
    assert CANARY not in translated.message


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


@pytest.mark.parametrize(
    ("provider", "address", "label"),
    [
        ("openai", "https://api.openai.com/v1", "OpenAI"),
        ("openai", "https://proxy.example/team/canary-key/v1", "OpenAI (proxy.example)"),
        ("openai_compatible", "http://127.0.0.1:4000/v1", "127.0.0.1:4000"),
        ("openai_compatible", "https://me:canary-key@gpu.example/v1?k=canary-key", "gpu.example"),
        ("ollama", "http://127.0.0.1:11434", "Ollama"),
        ("ollama", "http://[fd00::7]:11434", "Ollama ([fd00::7]:11434)"),
        ("groq", None, "groq"),
        ("openai", None, "OpenAI"),
    ],
)
def test_a_refusal_names_the_server_and_no_secret(
    provider: str, address: str | None, label: str
) -> None:
    """P8"""
    assert server_label(provider, address) == label
    for kind in (ours.ModelAuthFailed, ours.ModelFailed, ours.ModelNoCredit, ours.ModelTimeout):
        error = kind()
        error.set_server_label(provider, label)
        assert label in error.message and "%1" not in error.message
        assert "canary" not in error.message + str(error)
    plain = ours.ModelError("A sentence of its own.")
    plain.set_server_label(provider, label)
    assert plain.message == "A sentence of its own."
