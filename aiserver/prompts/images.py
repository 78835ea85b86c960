"""Images in a prompt: the plots of mentioned cells.

Invariants: images are only in the last message, after its text, and only if they fit. Those of past
turns aren't sent again: the answers say what they showed.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..requests import OutputImage
from .prompt_input import MentionedText
from .receipt import ContextItem, ImageFacts

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_PIXELS_PER_TOKEN = 750  # from Anthropic's documentation; others count similarly


NOT_SEEN = "(an image that isn't sent)"
"""The text in place of an image that the model doesn't get."""


def fitting_images(
    mentions: Sequence[MentionedText], room: int
) -> tuple[list[MentionedText], list[ContextItem]]:
    """Return the mentions with the images that fit into ``room`` tokens, and all items."""
    fitted, items = [], []
    for mention in mentions:
        images = []
        for image in mention.images:
            size = estimate_tokens(image)
            is_included = size <= room
            if is_included:
                images.append(image)
                room -= size
            facts = facts_of(image)
            items.append(
                ContextItem("image", mention.name, size, is_included=is_included, image=facts)
            )
        text = mention.text
        if len(images) < len(mention.images):
            text = "\n".join(part for part in (text, NOT_SEEN) if part)
        fitted.append(replace(mention, text=text, images=tuple(images)))
    return fitted, items


def estimate_tokens(image: OutputImage) -> int:
    """Return about how many tokens an image needs."""
    width, height = image.size
    return -(-width * height // _PIXELS_PER_TOKEN)


def facts_of(image: OutputImage) -> ImageFacts:
    """Describe an image for the receipt."""
    width, height = image.size
    return ImageFacts(image.media_type, width, height, len(image.content), image.sha256)


def images_in(messages: Sequence[BaseMessage]) -> list[bytes]:
    """Return the images of a prompt."""
    return [
        base64.b64decode(block["base64"])
        for message in messages
        if isinstance(message.content, list)
        for block in message.content
        if isinstance(block, dict) and block.get("type") == "image"
    ]


def with_images(message: BaseMessage, mentions: Sequence[MentionedText]) -> BaseMessage:
    """Add images as LangChain's content blocks."""
    blocks = [
        {"type": "image", "base64": image.data, "mime_type": image.media_type}
        for mention in mentions
        for image in mention.images
    ]
    if not blocks:
        return message
    content = [{"type": "text", "text": str(message.text)}, *blocks]
    return message.model_copy(update={"content": content})
