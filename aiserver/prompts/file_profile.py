"""The description of a data file. Pure data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..requests import ColumnProfile
from ..surrogates import fix_surrogates

MAX_COLUMNS = 200
MAX_NAME = 200  # the maximum number of characters that are shown of a column's name


@dataclass(frozen=True)
class Table:
    """The columns of a data file, and the arguments that pandas needs to read the file correctly.

    ``columns`` may contain only the first of ``column_count`` columns. Without a header, they are
    called 0, 1, 2 and so on. ``row_count`` is None if it isn't known.

    The keys of a JSON file aren't columns if they may be data. Then ``column_count`` is their
    number, or 0 if only a part of the file was read, and ``value_kinds`` is such as ``objects``.
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
    """A table or view of a database. The columns of views and virtual tables aren't described."""

    name: str
    kind: Literal["table", "view", "virtual table"]
    table: Table = field(default_factory=Table)


@dataclass(frozen=True)
class Database:
    """The first tables and views of a database, and the number of all of them."""

    tables: Sequence[DatabaseTable] = ()
    table_count: int = 0


def describe_column(name: str, dtype: str, examples: Iterable[str] = ()) -> ColumnProfile:
    """Return the description of a column; nothing in it is too long or a lone surrogate."""
    return ColumnProfile(
        name=fix_surrogates(name[:MAX_NAME]),
        dtype=fix_surrogates(dtype[:MAX_NAME]),
        examples=[fix_surrogates(example) for example in examples],
    )


@dataclass(frozen=True)
class FileProfile:
    """A data file, described by ``table`` or, for a database, by ``database``.

    ``name`` is the path as the request spells it, and ``kind`` such as ``CSV``. ``size`` is
    in bytes. ``missing_package`` is the package without which the file can't be described.
    """

    name: str
    kind: str
    size: int
    table: Table = field(default_factory=Table)
    database: Database | None = None
    missing_package: str = ""
