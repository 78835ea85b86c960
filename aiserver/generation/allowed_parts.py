"""Leave out of a request what the administrator doesn't allow: files, outputs, and values.

Invariant: the receipt lists everything that is left out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..features import Features
from ..llm.base import ModelInfo
from ..plugin import ContextPart, ContextRequest
from ..prompts.images import facts_of
from ..prompts.receipt import ContextItem, ItemKind
from ..requests import AnalyzeBody, DataFrameProfile, Mention, PreviewBody, WarmUpBody

RequestBody = TypeVar("RequestBody", bound=WarmUpBody)

Gather = Callable[[ContextRequest], Awaitable[Sequence[ContextPart]]]
Cost = Callable[[ModelInfo, Mapping[str, Any] | None], Awaitable[float | None]]
"""Returns what an answer cost, in US dollars, given its model and tokens; None if not certain."""


async def _nothing(request: ContextRequest) -> Sequence[ContextPart]:
    return ()


async def _unknown(model: ModelInfo, usage: Mapping[str, Any] | None) -> float | None:
    return None


@dataclass(frozen=True)
class Options:
    """The administrator's rules, and what plugins add to prompts and turns."""

    features: Features = field(default_factory=Features)
    gather: Gather = _nothing
    cost: Cost = _unknown

    def stores_prompt(self, is_chosen: bool) -> bool:
        """Return whether to store a prompt; ``is_chosen`` is the person's choice."""
        setting = self.features.receipts
        return setting == "always" or (is_chosen and setting == "allowed")


def without_forbidden(
    body: RequestBody, features: Features, *, on_this_machine: bool
) -> tuple[RequestBody, list[ContextItem]]:
    """Return the request without the parts that aren't allowed, and an item for each of them.

    Mentions stay without output, value or text of a file, DataFrames with the level ``schema`` for
    a model that isn't on this machine.
    """
    mentions, items = body.context.mentions, []
    if features.files == "forbidden":
        paths = [mention.file for mention in mentions if mention.file]
        items += [_item("rules_file", file.path) for file in body.context.rules_files]
        items += [_item("file", name) for name in dict.fromkeys(paths)]
        body = body.model_copy(update={"notebook_path": None})  # without it, no file is read
    if features.outputs == "forbidden":
        items += [
            _item("mention" if mention.kind == "variable" else "output", mention.name)
            for mention in mentions
            if mention.output.strip() or mention.images
        ]
        removed = {"output": "", "images": [], "omitted_images": 0}
        body = _with_mentions(body, [mention.model_copy(update=removed) for mention in mentions])
    if features.memory == "forbidden":
        examples = [mention for mention in mentions if mention.kind == "past_answer"]
        items += [_item("past_answer", mention.name) for mention in examples]
        others = [each for each in body.context.mentions if each.kind != "past_answer"]
        body = _with_mentions(body, others, uses_memory=False, uses_note=False)
    if not allows_values(features, on_this_machine=on_this_machine):
        items += [
            replace(_item("dataframe", frame.name), level=frame.level)
            for frame in attached_frames(body)
            if frame.level != "schema"
        ]
        body = _at_schema(body)
    return body, items


def without_unseen_images(
    body: RequestBody, info: ModelInfo
) -> tuple[RequestBody, list[ContextItem]]:
    """Return the request without images that a model can't see or may not get, and their items."""
    mentions, items = [], []
    for mention in body.context.mentions:
        is_allowed = info.sees_images and (info.on_this_machine or mention.shared)
        images = mention.images if is_allowed else []
        dropped = ContextItem("image", mention.name, is_included=False)
        if not info.sees_images:
            items += [replace(dropped, image=facts_of(image)) for image in mention.images]
        if mention.omitted_images and is_allowed:
            items.append(replace(dropped, count=mention.omitted_images))
        omitted = mention.omitted_images + len(mention.images) - len(images)
        update = {"images": images, "omitted_images": omitted}
        mentions.append(mention.model_copy(update=update))
    return _with_mentions(body, mentions), items


def _with_mentions(body: RequestBody, mentions: list[Mention], **others: bool) -> RequestBody:
    context = body.context.model_copy(update={"mentions": mentions, **others})
    return body.model_copy(update={"context": context})


def allows_values(features: Features, *, on_this_machine: bool) -> bool:
    """Return whether a model may get statistics and rows of DataFrames at all."""
    return on_this_machine or features.data_values != "forbidden"


def attached_frames(body: WarmUpBody) -> list[DataFrameProfile]:
    """Return DataFrames that the person chose or the page attached."""
    chosen = list(body.dataframes) if isinstance(body, AnalyzeBody | PreviewBody) else []
    names = {frame.name for frame in chosen}
    return [*chosen, *(frame for frame in body.context.dataframes if frame.name not in names)]


def _at_schema(body: RequestBody) -> RequestBody:
    def limit(frames: list[DataFrameProfile]) -> list[DataFrameProfile]:
        return [frame.model_copy(update={"level": "schema"}) for frame in frames]

    context = body.context.model_copy(update={"dataframes": limit(body.context.dataframes)})
    update: dict[str, Any] = {"context": context}
    if isinstance(body, AnalyzeBody | PreviewBody):
        update["dataframes"] = limit(body.dataframes)
    return body.model_copy(update=update)


def _item(kind: ItemKind, name: str) -> ContextItem:
    return ContextItem(kind, name, is_included=False, is_forbidden=True)
