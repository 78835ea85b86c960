"""Adapt requests to servers that don't accept everything that OpenAI's API has.

A server refuses a request for a reason that its error names: a parameter, the system role, the
length. The request is changed for this reason and sent again, and the change is remembered for the
following requests. Pure.

Invariants: each change is made at most once, so the number of requests is limited. The texts of the
messages and their order stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Payload = dict[str, Any]

MIN_ANSWER = 256  # tokens: if there is room for less, the request is too long
_MARGIN = 64  # tokens, because templates add some
_LIMIT = re.compile(
    r"(?:context (?:length|size|window)|max_model_len|n_ctx|maximum)\D{0,40}?(\d{3,7})",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r"(?:prompt contains at least|messages resulted in|n_prompt_tokens\W+)\s*(\d{1,7})",
    re.IGNORECASE,
)
_REFUSED = (
    r"unsupported|not support|forbidden|not permitted|unrecognized|unexpected|invalid|unknown"
)


def _names(parameter: str) -> re.Pattern[str]:
    """Return a pattern for errors that refuse a parameter."""
    quoted = rf"\b{parameter}\b"
    return re.compile(
        rf"(?:{_REFUSED}).*{quoted}|{quoted}.*(?:{_REFUSED})", re.IGNORECASE | re.DOTALL
    )


@dataclass
class Adaptation:
    """The changes that requests to a server need, and the length of its context."""

    changes: list[str] = field(default_factory=list)
    context: int | None = None
    """The maximum length of prompt and answer together, in tokens; None if it is unknown.

    It comes from the server's list of models, or from an error that names a smaller one."""

    @property
    def streams(self) -> bool:
        """Whether the server can send an answer piece by piece."""
        return "stream" not in self.changes

    def learn(self, error: str, payload: Payload) -> bool:
        """Learn from the text of an error. Return whether the request should be sent again."""
        if (limit := _LIMIT.search(error)) and "context" in error.lower():
            return self._learn_context(int(limit[1]), error, payload)
        for name, (pattern, _) in _CHANGES.items():
            if name not in self.changes and pattern.search(error) and _is_possible(name, payload):
                self.changes.append(name)
                return True
        return False

    def _learn_context(self, limit: int, error: str, payload: Payload) -> bool:
        if self.context is not None and self.context <= limit:
            return False
        self.context = limit
        prompt = _PROMPT.search(error)
        size = int(prompt[1]) if prompt else _estimated_size(payload)
        return limit - size - _MARGIN >= MIN_ANSWER

    def apply(self, payload: Payload) -> Payload:
        """Return the request with all changes."""
        for name in self.changes:
            payload = _CHANGES[name][1](payload)
        if self.context is not None:
            room = max(MIN_ANSWER, self.context - _estimated_size(payload) - _MARGIN)
            for name in ("max_tokens", "max_completion_tokens"):
                if name in payload:
                    payload = payload | {name: min(payload[name], room)}
        return payload


def _is_possible(name: str, payload: Payload) -> bool:
    """Return whether a change would change the request."""
    return _CHANGES[name][1](payload) != payload or name in ("stream", "v1")


def _estimated_size(payload: Payload) -> int:
    """Return a high estimate of the tokens of the messages."""
    texts = [str(message.get("content", "")) for message in payload["messages"]]
    return sum(8 + len(text.encode("utf-8", "replace")) // 3 for text in texts)


def _without(*names: str) -> Callable[[Payload], Payload]:
    return lambda payload: {key: value for key, value in payload.items() if key not in names}


def _rename_max_tokens(payload: Payload) -> Payload:
    if "max_tokens" not in payload:
        return payload
    rest = {key: value for key, value in payload.items() if key != "max_tokens"}
    return rest | {"max_completion_tokens": payload["max_tokens"]}


def _alternate(payload: Payload) -> Payload:
    """Put system messages into the next message, and join messages of the same role."""
    joined: list[dict[str, Any]] = []
    for message in payload["messages"]:
        role = "user" if message["role"] in ("system", "developer") else message["role"]
        last = joined[-1] if joined else None
        texts = (last["content"], message["content"]) if last and last["role"] == role else ()
        if last and texts and all(isinstance(text, str) for text in texts):
            last["content"] = "\n\n".join(texts)
        else:
            joined.append(message | {"role": role})
    return payload | {"messages": joined}


# The changes by name: which errors they answer, and how the request changes. The first one that
# applies is made.
_CHANGES: dict[str, tuple[re.Pattern[str], Callable[[Payload], Payload]]] = {
    "max_completion_tokens": (
        re.compile(
            r"max_completion_tokens|" + _names("max_tokens").pattern, re.IGNORECASE | re.DOTALL
        ),
        _rename_max_tokens,
    ),
    "stream_options": (_names("stream_options"), _without("stream_options")),
    "temperature": (_names("temperature"), _without("temperature", "top_p")),
    "stream": (_names("stream"), _without("stream_options")),
    "roles": (
        re.compile(
            r"(?:system|developer).{0,10}(?:role|message|prompt)|roles? must alternate",
            re.IGNORECASE,
        ),
        _alternate,
    ),
    "v1": (
        re.compile(r"not found|no such path|unexpected endpoint|\b40[45]\b", re.IGNORECASE),
        lambda payload: payload,
    ),
}
