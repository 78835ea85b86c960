"""Leave out of a request what the administrator doesn't allow: files, and outputs of cells.

Invariant: the receipt lists everything that is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from ..data_files.reader import DataFiles
from ..features import Features
from ..prompts.receipt import ContextItem, ItemKind
from ..requests import WarmUpBody

RequestBody = TypeVar("RequestBody", bound=WarmUpBody)


@dataclass(frozen=True)
class ContextOptions:
    """The data files that requests may name, and the administrator's settings for features."""

    data_files: DataFiles = field(default_factory=lambda: DataFiles(None))
    features: Features = field(default_factory=Features)


def without_forbidden(
    body: RequestBody, file_names: list[str], features: Features
) -> tuple[RequestBody, list[ContextItem]]:
    """Return the request without the parts that aren't allowed, and an item for each of them.

    ``file_names`` are the names of the data files that are named in the texts of the request.
    Mentions stay, but have no output and no text of a file.
    """
    mentions, items = body.context.mentions, []
    if features.files == "forbidden":
        paths = [mention.file for mention in mentions if mention.file]
        items += [_item("rules_file", file.path) for file in body.context.rules_files]
        items += [_item("file", name) for name in dict.fromkeys([*paths, *file_names])]
        body = body.model_copy(update={"notebook_path": None})  # no file is read without it
    if features.outputs == "forbidden":
        items += [_item("output", mention.name) for mention in mentions if mention.output.strip()]
        without_output = [mention.model_copy(update={"output": ""}) for mention in mentions]
        context = body.context.model_copy(update={"mentions": without_output})
        body = body.model_copy(update={"context": context})
    return body, items


def _item(kind: ItemKind, name: str) -> ContextItem:
    return ContextItem(kind, name, is_included=False, is_forbidden=True)
