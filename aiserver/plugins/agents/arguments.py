"""The types of the tools' arguments, with the descriptions that agents get."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...models import Id

Path = Annotated[
    str, Field(max_length=1024, description="The notebook, relative to Jupyter's folder")
]
Cell = Annotated[Id, Field(description="The id of a cell, from notebook_outline")]
Run = Annotated[str, Field(max_length=64, description="The id from run_begin")]
Base = Annotated[
    str, Field(max_length=64, description="The base that cell_read gave for this cell")
]
Intent = Annotated[
    str,
    Field(min_length=1, max_length=2_000, description="What this is to achieve, in one sentence"),
]
Call = Annotated[
    str, Field(max_length=64, description="An id of your own; the same one changes nothing twice")
]
Source = Annotated[str, Field(max_length=1_000_000)]
Mode = Annotated[
    Literal["propose", "apply"],
    Field(description="propose: it waits in the cell until the person accepts it"),
]
