"""Store the prompt of a turn as a blob, and read it again.

The blob is JSON in UTF-8: ``{"version": 1, "hidden": 0, "masked": 0, "messages": [{"role":
"system", "text": …, "example": false}, …]}``. The turn has the blob's SHA-256 (``prompt``).
``images`` of a message are descriptions; each image is a blob, to which the turn's receipt refers.

Invariants:

- The stored texts are those that the model got, except for secrets: a local model gets them, but
  they are never stored (P16). A prompt with a part of a secret isn't stored.
- A prompt that can't be stored doesn't prevent the turn from being saved.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..models import SessionKey
from ..payload import Payload
from ..prompts.context import as_text, is_example
from ..prompts.images import images_in
from ..prompts.receipt import ImageFacts, stored_image
from ..redact import redact
from ..safe_traceback import outline_of
from ..sessions.base import SessionManager
from ..surrogates import json_bytes
from .compose import Composed

_VERSION = 1
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ROLES = ("system", "user", "assistant")


@dataclass(frozen=True)
class SentMessage(Payload):
    """One message of a prompt. ``is_example`` marks the examples that AI Server adds."""

    role: str
    text: str
    is_example: bool
    images: tuple[ImageFacts, ...] = ()


@dataclass(frozen=True)
class SentPrompt:
    """The messages of a prompt.

    ``masked_count`` secrets were sent to the model, but are not stored.
    """

    messages: list[SentMessage]
    redaction_count: int = 0
    masked_count: int = 0


def sent_prompt(composed: Composed) -> SentPrompt:
    """Return a prompt as it is sent."""
    messages = composed.messages
    sent = [
        SentMessage(role, text, is_example(message))
        for (role, text), message in zip(as_text(messages), messages, strict=True)
    ]
    images = tuple(item.image for item in composed.items if item.image and item.is_included)
    sent[-1] = replace(sent[-1], images=images)
    return SentPrompt(sent, len(composed.vault))


async def store_prompt(
    sessions: SessionManager, key: SessionKey, composed: Composed, log: logging.Logger
) -> str | None:
    """Store a prompt, and return its SHA-256; None if that fails or it has a part of a secret."""
    if composed.cuts_secret:
        return None
    try:
        for image in images_in(composed.messages):
            await sessions.put_blob(image, owner=key.owner)
        data = await asyncio.to_thread(_encode, composed)
        return await sessions.put_blob(data, owner=key.owner)
    except Exception as fault:
        log.warning("A prompt could not be stored: %s", outline_of(fault))
        return None


async def read_prompt(
    sessions: SessionManager, key: SessionKey, sha256: object
) -> SentPrompt | None:
    """Read the prompt in a blob; None if there is none. Raises StorageError."""
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        return None
    data = await sessions.get_blob(sha256, owner=key.owner)
    return None if data is None else await asyncio.to_thread(decode_prompt, data)


def _encode(composed: Composed) -> bytes:
    prompt = sent_prompt(composed)
    texts, secret_count = composed.vault.redact([message.text for message in prompt.messages])
    messages = [
        {"role": message.role, "text": redact(text), "example": message.is_example}
        | ({"images": [asdict(facts) for facts in message.images]} if message.images else {})
        for message, text in zip(prompt.messages, texts, strict=True)
    ]
    counts = {
        "hidden": prompt.redaction_count,
        "masked": secret_count - prompt.redaction_count,
    }
    return json_bytes({"version": _VERSION, **counts, "messages": messages})


def decode_prompt(data: bytes) -> SentPrompt | None:
    """Return the prompt in a blob's bytes; None if they aren't a prompt."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("version") != _VERSION:
        return None
    messages = content.get("messages")
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        return None
    return SentPrompt(
        [
            SentMessage(item["role"], item["text"], item["example"] is True, _images(item))
            for item in messages
        ],
        _count(content.get("hidden")),
        _count(content.get("masked")),
    )


def _images(item: dict[str, Any]) -> tuple[ImageFacts, ...]:
    images = item.get("images")
    facts = map(stored_image, images if isinstance(images, list) else [])
    return tuple(image for image in facts if image)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _is_message(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and item.get("role") in _ROLES
        and isinstance(item.get("text"), str)
        and "example" in item
    )
