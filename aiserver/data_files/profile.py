"""The description of a data file. Pure data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..requests import ColumnProfile

MAX_COLUMNS = 200
MAX_NAME = 200  # the maximum length of a column's name, in characters


@dataclass(frozen=True)
class Table:
    """The columns of a file, and the arguments with which pandas reads them correctly.

    ``columns`` may contain only the first columns; ``column_count`` is the number of all columns.
    ``row_count`` is None unless the file was read to its end or stores this number. If the file
    has no header, ``has_header`` is false, and the columns' names are their positions, from 0.
    """

    columns: Sequence[ColumnProfile] = ()
    column_count: int = 0
    row_count: int | None = None
    has_header: bool = True
    arguments: tuple[str, ...] = ()
    """Arguments such as ``sep=';'``, as they are written in Python."""


@dataclass(frozen=True)
class FileProfile:
    """A data file, described like a DataFrame.

    ``name`` is the path exactly as the request spells it. ``size`` is in bytes. The table has no
    columns if the file can't be described.
    """

    name: str
    kind: str
    size: int
    table: Table = field(default_factory=Table)
