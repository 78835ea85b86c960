"""The receipt of a prompt: its items with their sizes, and those that didn't fit.

Invariant: no text is counted again for the receipt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from ..models import Interaction, is_id
from ..payload import Payload, nullable
from ..requests import ContextCell, Level
from .turns import Pair

ItemKind = Literal[
    "rules",
    "rules_file",
    "memory",
    "note",
    "examples",
    "headings",
    "cell",
    "variables",
    "dataframe",
    "file",
    "plugin",
    "summary",
    "turn",
    "source",
    "mention",
    "past_answer",
    "output",
    "image",
    "request",
]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_MEDIA_TYPES = ("image/png", "image/jpeg")
_MAX_IDS = 20  # ids of cells or turns that didn't fit


@dataclass(frozen=True)
class ImageFacts(Payload):
    """The description of an image, without its content. ``width`` and ``height`` are in pixels, and
    ``size`` is its number of bytes. ``GET /aiserver/blobs/{sha256}`` returns it if it is stored."""

    media_type: Literal["image/png", "image/jpeg"]
    width: int
    height: int
    size: int
    sha256: str


@dataclass(frozen=True)
class ContextItem(Payload):
    """One item of a prompt.

    ``rules`` are AI Server's own; ``rules_file`` is a file such as ``AGENTS.md``. ``cell`` is an
    earlier cell, and ``source`` the cell's own code. ``summary`` is a model's summary of older
    turns, and ``turn`` a past turn word for word. ``mention`` is what the intent mentions by a name
    such as ``@cell3``, and ``request`` the intent. ``output`` is the output of a mentioned cell
    that isn't allowed; otherwise, it is a part of the mention. ``image`` is an image in it. It
    isn't included if the model can't see images or if it doesn't fit, or, without ``image``, if it
    is too large. ``tokens`` is None for a text that isn't included and wasn't counted.
    """

    kind: ItemKind
    name: str = ""
    """That of a DataFrame, file or mention, or of the notebook of a past answer; the path of a
    rules file or of headings; the scope and id of a memory's entry: ``project:3f9c2a41b07d``."""
    tokens: int | None = nullable()
    is_included: bool = True
    is_forbidden: bool = False
    """Whether the item isn't included because the administrator doesn't allow it."""
    is_shortened: bool = False
    """Whether an earlier cell is shortened to its definitions, or another text to a part of it."""
    level: Level | Literal[""] = ""
    """Of a DataFrame, the level of the item: its columns, their statistics, or its rows."""
    defines: tuple[str, ...] = ()
    """The variables that the request needs and that the earlier cell defines or changes."""
    cell_ids: tuple[str, ...] = ()
    turn_ids: tuple[int, ...] = ()
    count: int = 1
    """The number of cells, turns, examples, variables, rows or images that the item stands for.

    Of a summary, it is the number of turns that the summary covers."""
    has_output: bool = False
    """Whether a mention contains the output of a cell, in text or images."""
    image: ImageFacts | None = nullable()

    def to_dict(self) -> dict[str, Any]:
        """Return the item as stored: names and sizes, but no text of the notebook."""
        fields = {
            "kind": self.kind,
            "name": self.name if self.kind != "headings" else "",  # text of the notebook
            "tokens": self.tokens,
            "dropped": not self.is_included,
            "forbidden": self.is_forbidden,
            "shortened": self.is_shortened,
            "level": self.level if self.level != "schema" else "",
            "count": self.count if self.count != 1 else None,
            "output": self.has_output,
            "image": self.image and asdict(self.image),
            "defines": list(self.defines),
            "cell_ids": list(self.cell_ids),
            "turn_ids": list(self.turn_ids),
        }
        return {name: value for name, value in fields.items() if value or type(value) is int}


def stored_items(context: Iterable[Any]) -> list[ContextItem]:
    """Return a stored receipt's items, without those that another version stored differently."""
    items = []
    for fields in context:
        if not isinstance(fields, dict) or not isinstance(fields.get("kind"), str):
            continue
        tokens, count = fields.get("tokens"), fields.get("count", 1)
        items.append(
            ContextItem(
                fields["kind"],
                str(fields.get("name", "")),
                tokens if isinstance(tokens, int) and tokens >= 0 else None,
                is_included=not fields.get("dropped"),
                is_forbidden=bool(fields.get("forbidden")),
                is_shortened=bool(fields.get("shortened")),
                level=_stored_level(fields),
                defines=tuple(map(str, _list(fields.get("defines")))),
                cell_ids=tuple(filter(is_id, map(str, _list(fields.get("cell_ids"))))),
                turn_ids=tuple(id for id in _list(fields.get("turn_ids")) if isinstance(id, int)),
                count=count if isinstance(count, int) and count >= 0 else 1,
                has_output=bool(fields.get("output")),
                image=stored_image(fields.get("image")),
            )
        )
    return items


def stored_image(fields: Any) -> ImageFacts | None:
    """Return stored facts, or None if another version has stored them differently."""
    names = ImageFacts.__annotations__
    if not isinstance(fields, dict) or not all(name in fields for name in names):
        return None
    facts = ImageFacts(**{name: fields[name] for name in names})
    numbers = (facts.width, facts.height, facts.size)
    are_valid = all(isinstance(number, int) and number > 0 for number in numbers)
    is_hash = isinstance(facts.sha256, str) and _SHA256.fullmatch(facts.sha256)
    return facts if are_valid and is_hash and facts.media_type in _MEDIA_TYPES else None


def _stored_level(fields: dict[str, Any]) -> Level | Literal[""]:
    """Return a stored item's level. Columns of DataFrames are stored without one."""
    if fields["kind"] != "dataframe":
        return ""
    levels: tuple[Level, ...] = get_args(Level)
    return next((level for level in levels if level == fields.get("level")), "schema")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def size_of(items: Iterable[ContextItem]) -> int:
    """Return the tokens of the included items."""
    return sum(item.tokens or 0 for item in items if item.is_included)


def dropped_cells(cell_ids: Iterable[str | None]) -> list[ContextItem]:
    """Return one item for all cells that don't fit, newest last, or []."""
    all_ids = list(cell_ids)
    ids = tuple(id for id in all_ids[-_MAX_IDS:] if id)
    item = ContextItem("cell", is_included=False, cell_ids=ids, count=len(all_ids))
    return [item] if all_ids else []


def fixed_items(sizes: Sequence[int], project: Iterable[ContextItem]) -> list[ContextItem]:
    """Return the items for the rules, the ``project``, and the examples."""
    items = [ContextItem("rules", tokens=sizes[0]), *project]
    if examples := sizes[1:]:
        items.append(ContextItem("examples", tokens=sum(examples), count=len(examples) // 2))
    return items


def turn_items(
    turns: Sequence[Interaction], pairs: Sequence[Pair], start: int, sizes: Sequence[int]
) -> list[ContextItem]:
    """Return an item for each included past turn, and one for all others.

    ``pairs`` and ``sizes`` are about all past turns; those from ``start`` on fit.
    """
    tokens_by_turn: Counter[int] = Counter()
    for pair, size in zip(pairs, sizes, strict=True):
        if pair.turn is not None:
            tokens_by_turn[pair.turn] += size
    included = {pair.turn for pair in pairs[start:]}
    items = [
        ContextItem("turn", tokens=size, turn_ids=(turns[index].turn_id,))
        for index, size in tokens_by_turn.items()
        if index in included
    ]
    if dropped := [index for index in tokens_by_turn if index not in included]:
        ids = tuple(turns[index].turn_id for index in dropped[-_MAX_IDS:])
        size = sum(tokens_by_turn[index] for index in dropped)
        items.append(
            ContextItem("turn", "", size, is_included=False, turn_ids=ids, count=len(dropped))
        )
    return items


def source_item(tokens: int, cell_above: ContextCell | None = None) -> ContextItem:
    """Return the item for the code that a request is about."""
    if cell_above is None:
        return ContextItem("source", tokens=tokens)
    cell_ids = (cell_above.cell_id,) if cell_above.cell_id else ()
    return ContextItem("cell", tokens=tokens, cell_ids=cell_ids)
