"""Hide secrets in what a request says about data: DataFrames, data files and mentions.

Invariant: the names of columns, files and variables may be secrets, too, for example after a pivot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..prompts.images import NOT_SEEN
from ..prompts.prompt_input import FileProfile, FileText, MentionedText, Table
from ..redact import Vault
from ..requests import ColumnProfile, ContextCell, DataFrameProfile, Mention
from ..surrogates import fix_surrogates
from .privacy_levels import permitted_values

# The suffixes of files with code. The texts of other files, such as notes and settings, are prose.
_CODE = (
    *(".py", ".ipynb", ".r", ".jl", ".scala", ".sql", ".sh", ".js", ".jsx", ".ts", ".tsx", ".css"),
    *(".c", ".cc", ".cpp", ".h", ".hpp", ".java", ".go", ".rs"),
)
_NOT_SENT = "(a file whose text isn't sent)"


def hide_in_frame(frame: DataFrameProfile, vault: Vault, on_this_machine: bool) -> DataFrameProfile:
    """Return a DataFrame's profile without secrets, and without values that are not permitted."""
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
    """Return a data file's description, changed by the same rules as in ``hide_in_frame``."""

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
    """Return whether a mention adds anything: that of a variable only adds a value."""
    return mention.kind != "variable" or bool(_output_of(mention, on_this_machine))


def _output_of(mention: Mention, on_this_machine: bool) -> str:
    return mention.output if on_this_machine or mention.shared else ""


def mentions_prose(mention: Mention, cells: Sequence[ContextCell]) -> bool:
    """Return whether a mention means a file without code, or one of the ``cells`` without code."""
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
    """Return what a mention stands for, with secrets hidden.

    ``texts`` are the texts of files. The output of a cell is left out if the model isn't on this
    machine, unless the person has chosen to send it.
    """
    output = _output_of(mention, on_this_machine)
    note = NOT_SEEN if mention.omitted_images else ""
    text = "\n".join(part for part in (output, note, mention.error) if part.strip())
    if mention.kind == "error":
        text = mention.source
    elif mention.kind == "past_answer":
        text = vault.hide(mention.request, is_prose=True)
    elif mention.kind == "variable":
        # As an assignment, because some secrets are recognised by the variable's name.
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
    """Return a text in which the secrets are hidden."""
    return vault.hide(fix_surrogates(text), is_prose=is_prose)
