"""The input from which a prompt is built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..models import Interaction
from ..plugin import ContextText
from ..requests import ColumnProfile, ContextCell, DataFrameProfile, OutputImage, Variable
from ..surrogates import fix_surrogates
from .parsed_request import ParsedRequest

Style = Literal["compact", "full"]
"""The prompt of a model: ``compact`` for a small one on this machine, ``full`` for any other."""


MAX_COLUMNS = 200
MAX_NAME = 200  # shown characters of a column's name


@dataclass(frozen=True)
class Table:
    """The columns of a data file, and the arguments that pandas needs to read it.

    ``columns`` may have only the first of ``column_count`` columns. Without a header, they are
    called 0, 1, 2 and so on. ``row_count`` is None if unknown.

    JSON keys that may be data aren't columns. Then ``column_count`` is their number, or 0 if only a
    part was read, and ``value_kinds`` is such as ``objects``.
    """

    columns: Sequence[ColumnProfile] = ()
    column_count: int = 0
    row_count: int | None = None
    has_header: bool = True
    arguments: tuple[str, ...] = ()
    """Arguments such as ``sep=';'``, as they are written in Python."""
    has_estimate: bool = False
    """Whether ``row_count`` is only an estimate."""
    value_kinds: str = ""


@dataclass(frozen=True)
class DatabaseTable:
    """A table or view. The columns of views and virtual tables aren't described."""

    name: str
    kind: Literal["table", "view", "virtual table"]
    table: Table = field(default_factory=Table)


@dataclass(frozen=True)
class Database:
    """The first tables and views, and the number of all."""

    tables: Sequence[DatabaseTable] = ()
    table_count: int = 0


def describe_column(name: str, dtype: str, examples: Iterable[str] = ()) -> ColumnProfile:
    """Describe a column, without long texts and lone surrogates."""
    return ColumnProfile(
        name=fix_surrogates(name[:MAX_NAME]),
        dtype=fix_surrogates(dtype[:MAX_NAME]),
        examples=[fix_surrogates(example) for example in examples],
    )


@dataclass(frozen=True)
class FileProfile:
    """A data file, described by ``table`` or ``database``.

    ``name`` is the path as the request spells it, ``kind`` such as ``CSV``, ``size`` in bytes.
    ``missing_package`` would be needed to describe it.
    """

    name: str
    kind: str
    size: int
    table: Table = field(default_factory=Table)
    database: Database | None = None
    missing_package: str = ""


@dataclass(frozen=True)
class RestOfCell:
    """The lines of a cell above and below the selected lines."""

    cell_id: str
    above: str
    below: str


@dataclass(frozen=True)
class MentionedText:
    """The code and text of a mention.

    ``text`` is an output, an error, an assignment of a value, or the request of a past answer.
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
    """A rules file that the person has chosen to use."""

    path: str
    text: str


@dataclass(frozen=True)
class FileText:
    """A file that the request mentions."""

    path: str
    text: str = "(a file that doesn't exist, isn't text, or wasn't read)"


@dataclass(frozen=True)
class MemoryText:
    """An entry. ``name`` is its scope and id, ``position`` its rank in the memories."""

    name: str
    text: str
    section: str = ""
    position: int = 0


@dataclass(frozen=True)
class Remembered:
    """The most relevant of ``total`` entries, and the note or ""."""

    entries: Sequence[MemoryText] = ()
    total: int = 0
    note: str = ""


@dataclass(frozen=True)
class OlderTurns:
    """A summary of ``count`` answered older turns of the cell.

    ``start``, the index of the first among the prompt's past turns, may be negative.
    """

    text: str
    count: int
    start: int


@dataclass(frozen=True)
class PromptInput:
    """The request, and what it needs from around it."""

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
