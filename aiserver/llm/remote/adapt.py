"""Adapt requests to servers that don't accept all of OpenAI's API. Pure.

A server's error says why it refuses. This request, which is sent again, and the following
ones are changed accordingly.

Invariants: each change is made at most once. The messages stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...tokens import estimate_tokens

Payload = dict[str, Any]

MIN_ANSWER = 256  # tokens; with room for less, the request is too long
_MARGIN = 64  # tokens, because templates add some
_LIMIT = re.compile(
    r"(?:context (?:length|size|window)|max_model_len|n_ctx|maximum)\D{0,40}?(\d{3,7})",
    re.IGNORECASE,
)
_REFUSED = (
    r"(?:unsupported|not support|not permitted|forbidden|unrecognized|unexpected|invalid|unknown)"
)


def _refuses(parameter: str) -> str:
    return rf"\A(?=.*\b{parameter}\b)(?=.*{_REFUSED})"


@dataclass
class Adaptation:
    """The changes that requests need; ``context`` is for prompt and answer, in tokens."""

    context: int | None = None
    _changes: list[Callable[[Payload], Payload]] = field(default_factory=list)
    _last: Payload = field(default_factory=dict)

    def learn(self, error: str) -> bool:
        """Return whether the request should be sent again after this error."""
        if (limit := _LIMIT.search(error)) and "context" in error.lower():
            is_new = self.context is None or int(limit[1]) < self.context
            self.context = min(self.context or int(limit[1]), int(limit[1]))
            return is_new and self._room(self._last) >= MIN_ANSWER
        for pattern, change in _CHANGES:
            if pattern.search(error) and change(self._last) != self._last:
                self._changes.append(change)
                return True
        return False

    def apply(self, payload: Payload) -> Payload:
        for change in self._changes:
            payload = change(payload)
        if self.context is not None:
            room = max(MIN_ANSWER, self._room(payload))
            for name in {"max_tokens", "max_completion_tokens"} & payload.keys():
                payload = payload | {name: min(payload[name], room)}
        self._last = payload
        return payload

    def _room(self, payload: Payload) -> int:
        texts = [str(message.get("content", "")) for message in payload.get("messages", [])]
        return (self.context or 0) - sum(8 + estimate_tokens(text) for text in texts) - _MARGIN


def _rename_max_tokens(payload: Payload) -> Payload:
    names = {"max_tokens": "max_completion_tokens"}
    return {names.get(name, name): value for name, value in payload.items()}


def _without(*names: str) -> Callable[[Payload], Payload]:
    return lambda payload: {key: value for key, value in payload.items() if key not in names}


def _ask_for_whole_answer(payload: Payload) -> Payload:
    """Change only the body: ``response_limits`` makes a stream of the answer."""
    body = payload.get("extra_body") or {}
    return _without("stream_options")(payload) | {"extra_body": body | {"stream": False}}


def _alternate(payload: Payload) -> Payload:
    joined: list[dict[str, Any]] = []
    for message in payload["messages"]:
        role = "user" if message["role"] in ("system", "developer") else message["role"]
        last = joined[-1] if joined else {}
        texts = [last.get("content"), message["content"]]
        if last.get("role") == role and all(isinstance(text, str) for text in texts):
            joined[-1] = last | {"content": "\n\n".join(texts)}
        else:
            joined.append(message | {"role": role})
    return payload | {"messages": joined}


# How a request changes, and the errors that ask for it.
_CHANGES = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), change)
    for pattern, change in (
        (rf"max_completion_tokens|{_refuses('max_tokens')}", _rename_max_tokens),
        (r"\bstream_options\b", _without("stream_options")),
        (_refuses("temperature"), _without("temperature", "top_p")),
        (_refuses("stream"), _ask_for_whole_answer),
        (r"(system|developer).{0,10}(role|message|prompt)|roles? must alternate", _alternate),
    )
)
