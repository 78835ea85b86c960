"""The bodies of requests about memories and the proposals that wait for the person."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...models import Id
from ...requests import MAX_INTENT, Body, CellType

MemoryScope = Literal["project", "person"]
EntryId = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
EntryText = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]


class MemorySource(Body):
    """The turn from which a text comes; ``turn_id`` is 0 for a cell without one."""

    notebook_id: Id
    cell_id: Id
    turn_id: Annotated[int, Field(ge=0, le=10**9)] = 0


class MemoryEntryBody(Body):
    """A new entry."""

    scope: MemoryScope
    text: EntryText
    source: MemorySource | None = None


class PastAnswerBody(Body):
    """A request for an accepted answer to a similar request, in another notebook.

    ``language`` is the kernel's language. The answer is for a cell of the same language and type.
    """

    intent: Annotated[str, Field(min_length=1, max_length=MAX_INTENT, pattern=r"\S")]
    notebook_id: Id
    language: Annotated[str, Field(min_length=1, max_length=64)] = "python"
    cell_type: CellType = "code"


class MemorySearchBody(Body):
    """The words of a search in the entries."""

    query: Annotated[str, Field(min_length=1, max_length=1000, pattern=r"\S")]
    limit: Annotated[int, Field(ge=1, le=50)] = 20


class MemoryChangeBody(Body):
    """A new text for an entry. ``expected`` is the text that the person has changed."""

    text: EntryText
    expected: Annotated[str, Field(max_length=100_000)]


class MemoryReviewBody(Body):
    """The person's decision about entries of the project's memory, by their digests."""

    digests: Annotated[
        list[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]],
        Field(min_length=1, max_length=20_000),
    ]
    used: bool


class MemoryProposalBody(Body):
    """A text that the person may want to be remembered, and how it came about."""

    scope: MemoryScope
    text: EntryText
    origin: Literal["request", "person"] = "person"
    source: MemorySource | None = None


class MemoryConfirmBody(Body):
    """The person's confirmation of a proposal: with another text, in another scope, or instead of
    the entry ``replaces``.
    """

    text: EntryText | None = None
    scope: MemoryScope | None = None
    replaces: EntryId | None = None


class NoteCell(Body):
    """A cell of the notebook from which a note is made; of a long source, the beginning."""

    cell_type: CellType = "code"
    source: Annotated[str, Field(max_length=4000)] = ""


class NoteBody(Body):
    """The cells of the open notebook, from top to bottom.

    With ``again``, the person wants a new note, even if the notebook has hardly changed. It
    replaces the text that is ``expected``, empty if there is none. With ``uses_model``, a model on
    this machine may word the note.
    """

    cells: Annotated[list[NoteCell], Field(max_length=1000)]
    again: bool = False
    expected: Annotated[str | None, Field(max_length=2000)] = None
    uses_model: bool = False


class NoteChangeBody(Body):
    """A new text for a note, or the choice whether requests contain the note.

    ``expected`` is the text that the person has changed; empty if there was none. With ``undo``,
    ``text`` is that of the note that the person has just replaced or deleted.
    """

    text: EntryText | None = None
    expected: Annotated[str, Field(max_length=2000)] = ""
    undo: bool = False
    used: bool | None = None
