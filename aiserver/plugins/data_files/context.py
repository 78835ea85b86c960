"""Descriptions of the data files that a request names, and texts of those that it mentions.

Invariant: a slow disk delays a request by at most twice ``_TIMEOUT``, and only if files are named.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from ...generation.allowed_parts import attached_frames
from ...plugin import ContextPart, ContextRequest
from ...prompts.prompt_input import FileProfile, FileText
from ...prompts.receipt import ContextItem
from .disk_threads import read_in_thread
from .names import is_data_file, mentioned_files
from .reader import DataFiles

EXAMPLES = 3  # example values for each text column, for a local model
_TIMEOUT = 2.0  # seconds, after which the request is sent without the files


async def file_parts(files: DataFiles, request: ContextRequest) -> Sequence[ContextPart]:
    """Return what a request gets of its files; only names if files are forbidden."""
    texts = _texts(request)
    if request.forbids_files:
        names = await asyncio.to_thread(mentioned_files, texts) if files.root else []
        return [
            ContextItem("file", each[0], is_included=False, is_forbidden=True) for each in names
        ]
    path, context = request.body.notebook_path, request.body.context
    mentioned = [mention for mention in context.mentions if mention.file]
    data = [[mention.file] for mention in mentioned if is_data_file(mention.file)]
    named = [*data, *await asyncio.to_thread(files.mentions, path, texts)]
    parts: list[ContextPart] = [FileText(names[0]) for names in data]
    if path is None:
        return parts
    if named:
        examples = EXAMPLES if request.on_this_machine else 0
        parts += await describe_files(files, path, named, examples)
    paths = [
        mention.file
        for mention in mentioned
        if not is_data_file(mention.file) and (request.on_this_machine or mention.shared)
    ]
    if paths:
        parts += await _read_texts(files, path, paths)
    return parts


async def describe_files(
    files: DataFiles, notebook_path: str, mentions: list[list[str]], examples: int = 0
) -> list[FileProfile]:
    """Call ``DataFiles.describe``; return [] if it takes longer than ``_TIMEOUT``."""
    describe = partial(files.describe, notebook_path, mentions, examples)
    return await read_in_thread(describe, _TIMEOUT, "data") or []


async def _read_texts(files: DataFiles, notebook_path: str, paths: list[str]) -> list[FileText]:
    """Return the texts of files, without those that can't be read in time or aren't text."""
    read = partial(files.read_texts, notebook_path, paths)
    texts = await read_in_thread(read, _TIMEOUT, "data") or {}
    return [FileText(path, text) for path, text in texts.items()]


def _texts(request: ContextRequest) -> list[str]:
    """Return the texts that may name data files: the intent, the cell, and the cell above.

    With DataFrames, even removed ones, the cell above doesn't count: they have the data of its
    files.
    """
    texts, context = [request.intent, request.source], request.body.context
    if not (attached_frames(request.body) or context.detached):
        texts += [cell.source for cell in context.cells[-1:]]
    return texts
