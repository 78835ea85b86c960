"""Describe DataFrames and data files for a prompt.

A small model gets a line for each, others a line for each column.

Invariants: each value is on the line of its column or row. Only numbers and dates have a smallest
and a largest value, a mean and quartiles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..requests import ColumnProfile, ColumnStatistics, DataFrameProfile
from .language import CellLanguage
from .prompt_input import Database, FileProfile, Table
from .texts import in_line

MAX_FILE_COLUMNS = 100
MAX_SHORT_COLUMNS = 30  # for a small model
_READERS = {"CSV": "csv", "TSV": "table", "Parquet": "parquet", "Excel": "excel"}
_READERS |= {"JSON": "json", "JSON Lines": "json", "text": "csv"}
_CONNECTORS = {"SQLite": "sqlite3.connect", "DuckDB": "duckdb.connect"}
# Dtypes of pandas, polars and pyarrow and classes of R, but not `interval[int64]`.
_NUMBERS = re.compile(r"(?:u?int|float|decimal)\d*\b|(?:double|halffloat|numeric|integer)\b")
_DATES = re.compile(r"(?:datetime|date)\d*\b|(?:timestamp|posixct)\b")
_BOOLEANS = ("bool", "logical")
_R_KINDS = ("data.frame", "tibble", "data.table")
_PLAIN = re.compile(r"[-+\w.: ]{1,40}", re.ASCII)


def columns_by_line(frame: DataFrameProfile) -> str:
    """Return a DataFrame's name, shape and columns."""
    head = f"{frame.name}: {frame.kind}, {frame.row_count} x {frame.column_count}"
    word = "row names" if is_of_r(frame) else "index"
    index = [f"  {word} {_index([level])}" for level in frame.index]
    lines = _columns(frame.columns, frame.column_count, row_count=frame.row_count)
    return "\n".join([head, *index, *lines])


def rows_by_line(frame: DataFrameProfile) -> str:
    """Return a DataFrame's first rows on lines, or ""."""
    rows = row_texts(frame)
    return "\n".join([f"{_rows_head(frame)}:", *(f"  {row}" for row in rows)]) if rows else ""


def rows_in_line(frame: DataFrameProfile) -> str:
    """Return a DataFrame's first rows in one line, or ""."""
    rows = row_texts(frame)
    return f"{_rows_head(frame)}: {', '.join(f'({row})' for row in rows)}" if rows else ""


def _rows_head(frame: DataFrameProfile) -> str:
    count = len(frame.sample.rows) if frame.sample else 0
    return f"First {count} rows of {in_line(frame.name)}"


def _columns(
    columns: Sequence[ColumnProfile], count: int, *, quoted: bool = True, row_count: int = 0
) -> list[str]:
    lines = [
        f"  {column.name!r}: {column.dtype}" if quoted else f"  {column.name}: {column.dtype}"
        for column in columns
    ]
    for index, column in enumerate(columns):
        if column.examples:
            lines[index] += f", such as {', '.join(map(repr, column.examples))}"
        if statistics := statistics_text(column.statistics, row_count):
            lines[index] += f"; {statistics}"
    return [*lines, f"  ({count - len(columns)} more columns)"] if count > len(columns) else lines


def file_by_line(file: FileProfile) -> str:
    """Return a data file's name, columns, and pandas' arguments to read it."""
    table = file.table
    if file.database:
        return _database(file, file.database)
    shape = "" if not table.columns else f", {table.column_count} columns"
    if table.row_count is not None and table.columns:
        shape = f", {table.row_count} x {table.column_count}"
        if table.has_estimate:
            shape = f", {_rows(table)} x {table.column_count} columns"
    arguments = f", in pandas {', '.join(table.arguments)}" if table.arguments else ""
    head = f"{file.name!r}: {file.kind} file, {_size(file.size)}{shape}{arguments}{_missing(file)}"
    if not table.columns:
        return head
    columns = table.columns[:MAX_FILE_COLUMNS]
    lines = _columns(columns, table.column_count, quoted=table.has_header)
    return "\n".join([head, *lines])


def _database(file: FileProfile, database: Database) -> str:
    count = f"{database.table_count} tables"
    lines = [f"{file.name!r}: {file.kind} file, {_size(file.size)}, {count}"]
    columns_left = MAX_FILE_COLUMNS
    for item in database.tables:
        columns = item.table.columns[:columns_left]
        columns_left -= len(columns)
        rows = f", {_rows(item.table)}" if item.table.row_count is not None else ""
        lines.append(f"  {item.kind} {item.name!r}{rows}")
        lines += [f"  {line}" for line in _columns(columns, item.table.column_count)]
    more_count = database.table_count - len(database.tables)
    return "\n".join([*lines, *([f"  ({more_count} more tables)"] if more_count else [])])


def _rows(table: Table) -> str:
    count = table.row_count or 0
    if not table.has_estimate:
        return f"{count} rows"
    for unit, factor in (("billion", 10**9), ("million", 10**6)):
        if count >= factor:
            return f"about {float(f'{count / factor:.2g}'):g} {unit} rows"
    return f"about {int(float(f'{count:.2g}'))} rows"


def _missing(file: FileProfile) -> str:
    if package := file.missing_package:
        return f", not described: {package} isn't installed beside Jupyter"
    table = file.table
    if table.value_kinds:
        count = f"number: {table.column_count}, " if table.column_count else ""
        return f", not described: its keys may be data ({count}values: {table.value_kinds})"
    return "" if table.columns else ", not described"


def _size(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def printing_code(frame: DataFrameProfile) -> str:
    """Return code that prints the columns of a DataFrame."""
    name = in_line(frame.name)
    return f"str({name})" if is_of_r(frame) else f"print({name}.dtypes)"


def columns_in_line(frame: DataFrameProfile) -> str:
    """Return a DataFrame's columns in one line."""
    name = in_line(frame.name)
    is_name = (name.replace(".", "_") if is_of_r(frame) else name).isidentifier()
    columns = _short_columns(frame.columns, frame.column_count, row_count=frame.row_count)
    if frame.index:
        word = "row names" if is_of_r(frame) else "index"
        columns = f"{word} {_index(frame.index)}; columns {columns}"
    return f"{name if is_name else repr(name)}, {frame.row_count} rows: {columns}"


def _index(levels: Sequence[ColumnProfile]) -> str:
    texts = (_short_columns([level], 1, quoted=bool(level.name)) for level in levels)
    return ", ".join(text.lstrip() for text in texts)


def _short_columns(
    columns: Sequence[ColumnProfile], count: int, *, quoted: bool = True, row_count: int = 0
) -> str:
    texts = []
    for column in columns:
        examples = ", ".join(map(repr, column.examples))
        statistics = statistics_text(column.statistics, row_count, is_short=True)
        values = "; ".join(text for text in (examples, statistics) if text)
        text = f"{column.name!r} {column.dtype}" if quoted else f"{column.name} {column.dtype}"
        texts.append(f"{text} ({values})" if values else text)
    return ", ".join([*texts, "..."] if count > len(columns) else texts)


def file_in_line(file: FileProfile, language: CellLanguage) -> str:
    """Describe a data file in one line, such as ``pd.read_csv('a.csv'): 'x' int64``.

    Outside of code blocks, a model doesn't repeat it as a comment.
    """
    table = file.table
    name = f"File {file.name!r}"
    if file.database:
        if language.name == "python":
            name = f"{_CONNECTORS[file.kind]}({file.name!r})"
        return _database_as_line(name, file.database)
    if language.name == "python" and file.kind in _READERS:
        name = f"pd.read_{_READERS[file.kind]}({', '.join([repr(file.name), *table.arguments])})"
    if not table.columns:
        return f"{name}: {_size(file.size)}{_missing(file)}"
    columns = _short_columns(
        table.columns[:MAX_SHORT_COLUMNS], table.column_count, quoted=table.has_header
    )
    return f"{name}: {columns}"


def _database_as_line(name: str, database: Database) -> str:
    texts, columns_left = [], MAX_SHORT_COLUMNS
    for item in database.tables:
        columns = item.table.columns[:columns_left]
        columns_left -= len(columns)
        if not columns and item.table.column_count:
            break
        shown = _short_columns(columns, item.table.column_count)
        texts.append(
            f"{item.kind} {item.name!r} ({shown})" if shown else f"{item.kind} {item.name!r}"
        )
    texts += ["..."] if len(texts) < database.table_count else []
    return f"{name}: {', '.join(texts) or 'no tables'}"


def is_number(dtype: str) -> bool:
    """Return whether a dtype is of numbers, which booleans aren't."""
    return bool(_NUMBERS.match(dtype.lower()))


def is_date(dtype: str) -> bool:
    """Return whether a dtype is of dates, with or without a time."""
    return bool(_DATES.match(dtype.lower()))


def statistics_text(
    statistics: ColumnStatistics | None, row_count: int, *, is_short: bool = False
) -> str:
    """Return a line such as ``3 missing, 88 distinct, 0.5 to 80, mean 29.7``.

    If not all rows were examined, it begins with their number.
    """
    if statistics is None:
        return ""
    texts = []
    if statistics.rows < row_count:
        texts.append(f"of {statistics.rows} rows")
    if statistics.missing is not None and (statistics.missing or not is_short):
        texts.append(f"{statistics.missing} missing")
    has_range = statistics.min is not None and statistics.max is not None
    if statistics.distinct is not None and not (is_short and has_range):
        texts.append(f"{statistics.distinct} distinct")
    if has_range:
        texts.append(f"{_bound(statistics.min)} to {_bound(statistics.max)}")
    if statistics.mean is not None:
        texts.append(f"mean {_bound(statistics.mean)}")
    if statistics.quartiles and not is_short:
        texts.append(f"quartiles {' '.join(map(_bound, statistics.quartiles))}")
    return ", ".join(texts)


def row_texts(frame: DataFrameProfile) -> list[str]:
    """Return the rows of a DataFrame's sample."""
    if frame.sample is None:
        return []
    missing = "NA" if is_of_r(frame) else "None"
    return [_row_text(row, frame.columns, missing) for row in frame.sample.rows]


def is_of_r(frame: DataFrameProfile) -> bool:
    """Return whether a DataFrame is in an R kernel."""
    return frame.kind in _R_KINDS


def _row_text(row: Sequence[str | None], columns: Sequence[ColumnProfile], missing: str) -> str:
    pairs = zip(row, columns, strict=False)
    return ", ".join(
        missing if text is None else _value(text, column.dtype) for text, column in pairs
    )


def _value(text: str, dtype: str) -> str:
    is_plain = is_number(dtype) or is_date(dtype) or dtype.lower().startswith(_BOOLEANS)
    return text if is_plain and _PLAIN.fullmatch(text) else repr(text)


def _bound(value: float | str | None) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.5g}"
    return str(value)
