"""Images of a request are in the prompt only as far as they fit into its budget."""

from __future__ import annotations

import base64

from aiserver.prompts.context import build_messages
from aiserver.prompts.images import NOT_SEEN, images_in
from aiserver.prompts.prompt_input import MentionedText
from aiserver.requests import OutputImage

from ..images import png
from .inputs import prompt_input
from .test_prompts import words


async def test_images_that_do_not_fit_are_named_as_not_sent() -> None:
    """P15: the tokens of images and texts together fit, and the receipt says what is left out."""
    small, large = (
        OutputImage(data=base64.b64encode(png(*size)).decode())
        for size in ((300, 250), (1500, 1500))
    )
    output = "\n".join(f"line {number}" for number in range(2000))
    mention = MentionedText("@output", text=output, has_output=True, images=(large, small))
    request = prompt_input("explain @output", source="x = 1", mentions=[mention])
    for budget in (3000, 9000):
        messages, items = await build_messages(request, style="full", budget=budget, count=words)
        sent = images_in(messages)
        listed = [(item.tokens, item.is_included) for item in items if item.kind == "image"]
        assert listed == [(3000, budget == 9000), (100, True)]
        assert sent == [image.content for image in (large, small)[budget == 3000 :]]
        text = messages[-1].text
        assert (NOT_SEEN in text) == (budget == 3000)
        assert sum(item.tokens or 0 for item in items if item.is_included) <= budget
