"""The input from which a prompt is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..models import Interaction
from ..plugin import ContextText
from ..requests import ContextCell, DataFrameProfile, OutputImage, Variable
from .file_profile import FileProfile
from .parsed_request import ParsedRequest

Style = Literal["compact", "full"]
"""The prompt of a model: ``compact`` for a small one on this machine, ``full`` for any other."""


@dataclass(frozen=True)
class RestOfCell:
    """The lines of a cell above and below the selected lines."""

    cell_id: str
    above: str
    below: str


@dataclass(frozen=True)
class MentionedText:
    """The code and text that a mention stands for.

    ``code`` is that of a cell, and ``text`` its output or error. A value is an assignment in
    ``text``. Of a past answer of another notebook, ``text`` is the request.
    """

    name: str
    code: str = ""
    text: str = ""
    cell_id: str | None = None
    is_value: bool = False
    has_output: bool = False
    is_past_answer: bool = False
    images: tuple[OutputImage, ...] = ()


@dataclass(frozen=True)
class RulesText:
    """The text of a rules file, such as ``AGENTS.md``, which the person has chosen to use."""

    path: str
    text: str


@dataclass(frozen=True)
class FileText:
    """The text of a file that the request mentions."""

    path: str
    text: str = "(a file that doesn't exist, isn't text, or wasn't read)"


@dataclass(frozen=True)
class MemoryText:
    """An entry of a memory. ``name`` is its scope and id, ``position`` its rank in the memories."""

    name: str
    text: str
    section: str = ""
    position: int = 0


@dataclass(frozen=True)
class Remembered:
    """Entries of memories for a request, and the note of its notebook.

    The most relevant of ``total`` entries are first. ``note`` is empty if there is none.
    """

    entries: Sequence[MemoryText] = ()
    total: int = 0
    note: str = ""


@dataclass(frozen=True)
class OlderTurns:
    """A summary of older turns of the cell.

    ``count`` is the number of answered turns that it covers. ``start`` is the index of the first of
    them relative to the past turns of the prompt; it is negative for a turn before these.
    """

    text: str
    count: int
    start: int


@dataclass(frozen=True)
class PromptInput:
    """The input of a prompt: the request, and what it needs from around it."""

    parsed: ParsedRequest
    cells: list[ContextCell] = field(default_factory=list)
    history: list[Interaction] = field(default_factory=list)
    dataframes: list[DataFrameProfile] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    files: list[FileProfile] = field(default_factory=list)
    """The data files that the request names."""
    plugin_texts: list[ContextText] = field(default_factory=list)
    mentions: list[MentionedText] = field(default_factory=list)
    rules_files: list[RulesText] = field(default_factory=list)
    """The rules files for the notebook; those in its own folder are last."""
    memory: list[MemoryText] = field(default_factory=list)
    """The entries of memories, the most relevant ones first."""
    memory_count: int = 0
    """The number of entries, including those that aren't in ``memory``."""
    note: str = ""
    """The note of the notebook; only models with the style ``full`` get it."""
    rest: RestOfCell | None = None
    """The other lines of the cell, if the request is about selected lines."""
    only_adds: bool = False
    """Whether a small model can only add comments or tests to the cell's code."""
    older_turns: OlderTurns | None = None
    """The summary of turns that are older than ``history``, or that may not fit."""

    earlier_answers: int = 0
    """How many answers to the same request the model is told of, if another one is wanted."""
