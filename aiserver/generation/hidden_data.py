"""Hide secrets in what a request says about data: DataFrames and data files.

Invariant: the names of columns, files and variables may be secrets, too, for example after a pivot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..data_files.profile import FileProfile, Table
from ..redact import Vault
from ..requests import ColumnProfile, DataFrameProfile
from ..surrogates import fix_surrogates
from .privacy_levels import permitted_values


def hide_in_frame(frame: DataFrameProfile, vault: Vault, on_this_machine: bool) -> DataFrameProfile:
    """Return a DataFrame's profile in which the secrets are hidden.

    The values that the model may not get are removed.
    """
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


def hide(text: str, vault: Vault) -> str:
    """Return a text in which the secrets are hidden."""
    return vault.hide(fix_surrogates(text))
