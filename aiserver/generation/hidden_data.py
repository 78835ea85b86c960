"""Hide values and secrets in DataFrames, data files and mentions.

Invariants:

- The names of columns, files and variables may be secrets, too, for example after a pivot.
- A model on another machine gets no statistics at the privacy level ``schema``, and no rows below
  ``sample``, whatever the client sends. It never gets examples.
- Statistics contain only values of numbers and dates. With fewer than ``MIN_VALUES`` values, or an
  unknown number of them, only rows and missing values are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ..models import Interaction
from ..prompts.data_texts import is_date, is_number
from ..prompts.images import NOT_SEEN
from ..prompts.prompt_input import FileProfile, FileText, MentionedText, Table
from ..redact import Vault
from ..requests import ColumnProfile, ColumnStatistics, ContextCell, DataFrameProfile, Mention
from ..surrogates import fix_surrogates

# Suffixes of files with code. Texts of others, such as notes, settings and notebooks, are prose.
_CODE = (
    *(".py", ".r", ".jl", ".scala", ".sql", ".sh", ".js", ".jsx", ".ts", ".tsx", ".css"),
    *(".c", ".cc", ".cpp", ".h", ".hpp", ".java", ".go", ".rs"),
)
MIN_VALUES = 5
_NOT_SENT = "(a file whose text isn't sent)"


def hide_in_frame(frame: DataFrameProfile, vault: Vault, on_this_machine: bool) -> DataFrameProfile:
    """Return a profile without secrets and values that aren't permitted."""
    frame = permitted_values(frame, on_this_machine=on_this_machine)
    texts = {"name": hide(frame.name, vault), "kind": hide(frame.kind, vault)}
    columns = _hide_in_columns(frame.columns, vault, on_this_machine)
    index = _hide_in_columns(frame.index, vault, on_this_machine)
    sample = frame.sample
    if sample:
        rows = [
            [None if value is None else hide(value, vault) for value in row] for row in sample.rows
        ]
        sample = sample.model_copy(update={"rows": rows})
    return frame.model_copy(update=texts | {"columns": columns, "index": index, "sample": sample})


def hide_in_file(file: FileProfile, vault: Vault, on_this_machine: bool) -> FileProfile:
    """Return a data file's description, changed like a DataFrame's in ``hide_in_frame``."""

    def hide_in_table(table: Table) -> Table:
        return replace(table, columns=_hide_in_columns(table.columns, vault, on_this_machine))

    database = file.database and replace(
        file.database,
        tables=[
            replace(item, name=hide(item.name, vault), table=hide_in_table(item.table))
            for item in file.database.tables
        ],
    )
    return replace(
        file, name=hide(file.name, vault), table=hide_in_table(file.table), database=database
    )


def has_content(mention: Mention, on_this_machine: bool) -> bool:
    """Return whether a mention adds anything; a variable's only adds a value."""
    return mention.kind != "variable" or bool(_output_of(mention, on_this_machine))


def _output_of(mention: Mention, on_this_machine: bool) -> str:
    return mention.output if on_this_machine or mention.shared else ""


def mentions_prose(mention: Mention, cells: Sequence[ContextCell]) -> bool:
    """Return whether a mention means a file, or one of the ``cells``, without code."""
    if mention.kind == "file":
        return not mention.file.lower().endswith(_CODE)
    prose_cells = {cell.cell_id for cell in cells if cell.cell_type != "code"} - {None}
    return mention.cell_id in prose_cells


def hide_in_mention(
    mention: Mention,
    texts: Mapping[str, str],
    vault: Vault,
    on_this_machine: bool,
    *,
    is_prose: bool = False,
) -> MentionedText:
    """Return what a mention means, with secrets hidden.

    ``texts`` are those of files. A model on another machine gets a cell's output only if the person
    has chosen to send it.
    """
    output = _output_of(mention, on_this_machine)
    note = NOT_SEEN if mention.omitted_images else ""
    text = "\n".join(part for part in (output, note, mention.error) if part.strip())
    if mention.kind == "error":
        text = mention.source
    elif mention.kind == "past_answer":
        text = vault.hide(mention.request, is_prose=True)
    elif mention.kind == "variable":
        # As an assignment: some secrets are recognised by the variable's name.
        text = f"{mention.name.removeprefix('@')} = {output}"
    elif mention.kind == "file":
        is_sent = on_this_machine or mention.shared
        text = texts.get(mention.file, FileText("").text if is_sent else _NOT_SENT)
    code = mention.source if mention.kind in ("cell", "past_answer") else ""
    return MentionedText(
        hide(mention.name, vault),
        code=hide(code, vault, is_prose=is_prose),
        text=hide(text, vault, is_prose=is_prose),
        cell_id=mention.cell_id,
        is_value=mention.kind == "variable",
        has_output=mention.kind == "cell" and bool(output.strip() or mention.images),
        is_past_answer=mention.kind == "past_answer",
        images=tuple(mention.images),
    )


def _hide_in_columns(
    columns: Sequence[ColumnProfile], vault: Vault, on_this_machine: bool
) -> list[ColumnProfile]:
    return [
        column.model_copy(
            update={
                "name": hide(column.name, vault),
                "dtype": hide(column.dtype, vault),
                "examples": [hide(value, vault) for value in column.examples if on_this_machine],
            }
        )
        for column in columns
    ]


def hide(text: str, vault: Vault, *, is_prose: bool = False) -> str:
    """Hide the secrets in a text."""
    return vault.hide(fix_surrogates(text), is_prose=is_prose)


def permitted_values(frame: DataFrameProfile, *, on_this_machine: bool) -> DataFrameProfile:
    """Return a profile with only the values that the model may get."""
    has_statistics = on_this_machine or frame.level != "schema"
    has_rows = on_this_machine or frame.level == "sample"
    columns = [
        column.model_copy(
            update={
                "examples": column.examples if on_this_machine else [],
                "statistics": safe_statistics(column) if has_statistics else None,
            }
        )
        for column in frame.columns
    ]
    index = [
        level.model_copy(
            update={"examples": level.examples if on_this_machine else [], "statistics": None}
        )
        for level in frame.index
    ]
    sample = frame.sample if has_rows else None
    return frame.model_copy(update={"columns": columns, "index": index, "sample": sample})


def safe_statistics(column: ColumnProfile) -> ColumnStatistics | None:
    """Return statistics that say nothing about single values."""
    statistics = column.statistics
    if statistics is None:
        return None
    rows, missing = statistics.rows, statistics.missing
    if missing is None or rows - missing < MIN_VALUES:
        return ColumnStatistics(rows=rows, missing=missing)
    distinct = statistics.distinct
    if is_number(column.dtype):
        return _without_texts(statistics)
    if is_date(column.dtype):
        bounds = {"min": _text(statistics.min), "max": _text(statistics.max)}
        return ColumnStatistics(rows=rows, missing=missing, distinct=distinct, **bounds)
    return ColumnStatistics(rows=rows, missing=missing, distinct=distinct)


def _without_texts(statistics: ColumnStatistics) -> ColumnStatistics:
    bounds = {"min": statistics.min, "max": statistics.max}
    numbers = {name: None if isinstance(bound, str) else bound for name, bound in bounds.items()}
    if statistics.rows - (statistics.missing or 0) < 4 * MIN_VALUES:
        numbers["quartiles"] = None  # each quarter must have `MIN_VALUES`
    return statistics.model_copy(update=numbers)


def _text(bound: float | str | None) -> str | None:
    return bound if isinstance(bound, str) else None


def schema_only(frame: DataFrameProfile) -> DataFrameProfile:
    """Return a profile without any value."""
    schema = frame.model_copy(update={"level": "schema"})
    return permitted_values(schema, on_this_machine=False)


def stored_frame(frame: DataFrameProfile) -> dict[str, Any]:
    """Return a profile for a turn: without rows, statistics by its level."""
    safe = permitted_values(frame, on_this_machine=False)
    fields = safe.model_dump(exclude={"sample": True, "level": frame.level == "schema"})
    for column in [*fields["columns"], *fields["index"]]:
        del column["examples"]
        if column["statistics"] is None:
            del column["statistics"]
        else:
            given = column["statistics"].items()
            column["statistics"] = {name: value for name, value in given if value is not None}
    return fields


def last_frames(history: list[Interaction]) -> list[DataFrameProfile]:
    """Return the newest turn's valid DataFrames, without values."""
    for turn in reversed(history):
        if turn.dataframes:
            # Other tools or versions may have stored other fields, which must not prevent a
            # request.
            try:
                names = DataFrameProfile.model_fields
                frames = [
                    DataFrameProfile.model_validate({k: v for k, v in frame.items() if k in names})
                    for frame in turn.dataframes
                ]
                return [schema_only(frame) for frame in frames]
            except ValidationError:
                return []
    return []
