"""The base classes of request bodies, and the types and limits of their fields."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic.alias_generators import to_camel

# The maximum lengths of texts, in characters.
MAX_TEXT = 200_000  # a cell's source in a request; nobody writes a longer cell by hand
MAX_SOURCE = 1_000_000  # a recorded source, which a program may have written
MAX_INTENT = 20_000  # the text of a request
MAX_CODE = 20_000  # the code of a cell that is completed, and of a cell above it

MAX_CELLS = 20_000  # the maximum number of cells in a notebook

Text = Annotated[str, Field(max_length=MAX_TEXT)]
Source = Annotated[str, Field(max_length=MAX_SOURCE)]
Code = Annotated[str, Field(max_length=MAX_CODE)]
Name = Annotated[str, Field(max_length=256)]
Key = Annotated[SecretStr, Field(max_length=4096)]
Address = Annotated[str, Field(max_length=2048)]


CellType = Literal["code", "markdown", "raw"]
SearchBy = Literal["words", "meaning"]
ExportFormat = Literal["html", "md", "ipynb"]
ContributorKind = Literal["person", "model", "agent", "program", "unknown"]


class Request(BaseModel):
    """Base class of bodies and queries. Unknown fields are rejected, so that typos are noticed."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        extra="forbid",
        defer_build=True,
    )


class Body(Request):
    """Base class of all request bodies."""
