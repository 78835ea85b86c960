"""Read and change the text of a memory, ``MEMORY.md``. Pure.

An entry is an item of a list at the top level, or a paragraph at the top level::

 - Plot with seaborn, titles in Chinese. (2026-11-27) <!-- aiserver id=3f9c2a41b07d -->

The date and the comment, with the ids of the entry and its source, are optional.

Invariants:

- A change affects only the lines of one entry; all other text stays byte for byte.
- A text that is written is read again as the same text of one entry.
- Each change can be repeated: an entry whose id exists isn't added again.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ...errors import MemoryEntryChanged, MemoryUnreadable, NotFound
from ...gc_pause import pause_gc
from ..rules.visible_text import visible_part
from .entries import MemoryEntry, TurnSource, computed_id, is_entry_id

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

T = TypeVar("T")

HEAD = "# Memory\n\n"
_FIELDS = re.compile(r"\s*aiserver((?:\s+[a-z]+=[\w-]+)+)\s*")
_DATE = re.compile(r"\(([0-9]{4}-[0-9]{2}-[0-9]{2})\)")
_BULLET = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|\Z)")
# The parser's lines; ``splitlines`` would also end lines at other characters.
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# git leaves these lines if the attribute ``merge=union`` isn't set.
_CONFLICT_MARK = re.compile(r"^(?:[<>|]{7} [^\r\n]*|={7})(?=\r?$)", re.MULTILINE)
_UNSAFE = re.compile(r"<!--|-->")
_DATE_LENGTH = len("(2026-11-27)")
_MAX_SECTION = 200  # characters
_MAX_SKIPPED = 100  # ids


class _Block(NamedTuple):
    """An entry's lines ``start`` to ``end``, without blank lines at the end."""

    start: int
    end: int
    section: str
    is_item: bool


async def run_in_memory_thread(work: Callable[[], T]) -> T:
    """Run ``work``, which parses memories, in a thread, one at a time.

    So many requests at once parse the same text once. Work that nobody waits for isn't begun; if it
    has begun, the next one waits for its end.
    """
    loop = asyncio.get_running_loop()
    lock = _lock_of(loop)
    await lock.acquire()
    running = loop.run_in_executor(None, work)
    running.add_done_callback(lambda _: lock.release())
    return await asyncio.shield(running)


@lru_cache(maxsize=1)
def _lock_of(loop: asyncio.AbstractEventLoop) -> asyncio.Lock:
    return asyncio.Lock()


def decode(data: bytes | None) -> str:
    """Decode UTF-8, with or without a byte order mark. Raises MemoryUnreadable."""
    try:
        return (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise MemoryUnreadable from exc


def parse(text: str) -> list[MemoryEntry]:
    """Return the entries of a memory, in the order of the text."""
    return list(_parse(text)[0])


@lru_cache(maxsize=8)
@pause_gc()  # garbage collection would double the time
def _parse(text: str) -> tuple[tuple[MemoryEntry, ...], tuple[_Block, ...]]:
    """Parse any text in linear time: at most about 2 s for ``MAX_MEMORY_BYTES``."""
    if "<<<<<<< " in text:  # ``=======`` may be the line below a heading
        text = _CONFLICT_MARK.sub("", text)
    lines = _LINES.findall(text)
    entries: list[MemoryEntry] = []
    blocks: list[_Block] = []
    ids: set[str] = set()
    ids_of_copies: dict[str, Iterator[str]] = {}
    for block in _blocks(text, lines):
        entry = _entry_of(lines[block.start : block.end], block)
        if not entry.text:
            continue
        id_ = entry.id or computed_id(entry.text)
        if id_ in ids:  # the line was copied, or git kept two versions of it
            if entry.text not in ids_of_copies:
                ids_of_copies[entry.text] = _ids_of_copies(entry.text, ids)
            id_ = next(ids_of_copies[entry.text])
        ids.add(id_)
        entries.append(replace(entry, id=id_))
        blocks.append(block)
    return tuple(entries), tuple(blocks)


def _ids_of_copies(text: str, used: Collection[str]) -> Iterator[str]:
    """Yield unused ids of entries with the same text.

    Somebody may have put many computed ids into a memory. So after ``_MAX_SKIPPED`` of them, a long
    text is no longer hashed for each, which would take quadratic time.
    """
    hashed, skipped_count = text, 0
    for number in itertools.count(1):
        id_ = computed_id(hashed, number)
        if id_ not in used:
            yield id_
        elif (skipped_count := skipped_count + 1) == _MAX_SKIPPED:
            hashed = computed_id(text)


def add(text: str, entry: MemoryEntry) -> str:
    """Return a memory with a new entry: below the last list that has no heading, or above headings.

    A heading above it, perhaps somebody else's, would be sent with the entry. Raises
    MemoryUnreadable if the Markdown leaves no place for it.
    """
    entries, blocks = _parse(text)
    if any(existing.id == entry.id for existing in entries):
        return text
    text = text if text.strip() else HEAD
    lines = _LINES.findall(text)
    plain = [index for index, block in enumerate(blocks) if not block.section]
    items = [index for index in plain if blocks[index].is_item]
    texts = [existing.text for existing in entries]
    # Below the last list, above the first section's heading, or at the beginning.
    places = [(blocks[items[-1]].end, items[-1] + 1)] if items else []
    places += [(_first_section(text, len(lines)), len(plain)), (0, 0)]
    for line, index in places:
        expected = [*texts[:index], entry.text, *texts[index:]]
        is_above_heading = line < len(lines) and lines[line].lstrip().startswith("#")
        gap = _end_of_line(text) if is_above_heading else ""
        new = _join(lines[:line], _format(entry, text) + gap, lines[line:], expected)
        if new and not _parse(new)[0][index].section:
            return new
    raise MemoryUnreadable


def change(text: str, id_: str, new_text: str, expected: str) -> str:
    """Return a memory in which an entry has another text.

    Raises NotFound, MemoryEntryChanged if the text is no longer ``expected``, and MemoryUnreadable
    if the Markdown leaves no place for the new one.
    """
    entries, blocks = _parse(text)
    index = _index_of(entries, id_)
    entry, block = entries[index], blocks[index]
    if entry.text == new_text:
        return text
    if entry.text != expected:
        raise MemoryEntryChanged
    # The id is stored from now on, so that it stays the same.
    changed = replace(entry, text=new_text)
    undated, date = _split_date(new_text)
    if date and undated and not entry.date:  # it would be read as a text with a date
        changed = replace(entry, text=undated, date=date)
    texts = [other.text for other in entries]
    texts[index] = changed.text
    lines = _LINES.findall(text)
    new = _join(lines[: block.start], _format(changed, text), lines[block.end :], texts)
    if new is None:
        raise MemoryUnreadable
    return new


def remove(text: str, id_: str) -> str:
    """Return a memory without an entry. Raises NotFound if there is no such entry."""
    entries, blocks = _parse(text)
    index = _index_of(entries, id_)
    lines = _LINES.findall(text)
    before, after = lines[: blocks[index].start], lines[blocks[index].end :]
    texts = [other.text for other in (*entries[:index], *entries[index + 1 :])]
    return _join(before, "", after, texts) or "".join([*before, *after])


def _join(before: list[str], new: str, after: list[str], expected: list[str]) -> str | None:
    """Insert lines, separated so that the entries are ``expected``.

    Without a separator, an item could become a part of the text before it, or contain the text
    after it. Return None if no separator helps.
    """
    end = _end_of_line("".join([*before, *after]))
    start = "".join(before)
    start += end if start and not start.endswith(("\n", "\r")) else ""
    separators = ["", end, f"{end}<!-- -->{end}{end}"]
    for first, second in itertools.product(separators, separators):
        joined = "".join([start, first if start else "", new, second if after else "", *after])
        if [entry.text for entry in _parse(joined)[0]] == expected:
            return joined
    return None


def _first_section(text: str, end: int) -> int:
    for token in _parser().parse(text):
        if token.type == "heading_open" and token.level == 0 and token.tag != "h1" and token.map:
            return int(token.map[0])
    return end


def _index_of(entries: Sequence[MemoryEntry], id_: str) -> int:
    for index, entry in enumerate(entries):
        if entry.id == id_:
            return index
    raise NotFound


def clean(text: str) -> str:
    """Return a text without comments, blank lines and indentation."""
    lines = (line.strip() for line in _UNSAFE.sub(" ", text).splitlines())
    return "\n".join(line for line in lines if line)


def _blocks(text: str, lines: list[str]) -> Iterator[_Block]:
    section = ""
    tokens = _parser().parse(text)
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            # A heading of level 1 is the title of the memory.
            heading, _ = _split_comments("" if token.tag == "h1" else tokens[index + 1].content)
            section = " ".join(clean(visible_part(heading)).split())[:_MAX_SECTION]
        is_item = token.type == "list_item_open" and token.level == 1
        if token.map and (is_item or (token.type == "paragraph_open" and token.level == 0)):
            start, end = token.map
            while end > start and not lines[end - 1].strip():
                end -= 1
            yield _Block(start, end, section, is_item)


def _entry_of(lines: list[str], block: _Block) -> MemoryEntry:
    visible, comments = _split_comments("".join(lines))
    fields: dict[str, str] = {}
    for comment in comments:
        if stored := _FIELDS.fullmatch(comment):
            fields |= dict(pair.split("=", 1) for pair in stored[1].split())
    # Invisible characters could hide instructions.
    text = clean(visible_part(visible))
    if block.is_item:
        text = _BULLET.sub("", text, count=1)
    text, date = _split_date(text)
    id_ = fields.get("id", "")
    turn = fields.get("turn", "0")
    turn_id = int(turn) if turn.isdecimal() and len(turn) < 10 else 0
    ids = {"notebook_id": fields.get("notebook"), "cell_id": fields.get("cell")}
    source = TurnSource.from_dict(ids | {"turn_id": turn_id})
    return MemoryEntry(id_ if is_entry_id(id_) else "", text, date, source, block.section)


def _split_date(text: str) -> tuple[str, str]:
    """Return a text and the date at its end, or ""."""
    date = _DATE.fullmatch(text[-_DATE_LENGTH:])
    return (text[:-_DATE_LENGTH].rstrip(), date[1]) if date else (text, "")


def _split_comments(source: str) -> tuple[str, list[str]]:
    """Return a text without its comments, and their contents, in linear time."""
    parts, comments, position = [], [], 0
    while (start := source.find("<!--", position)) >= 0:
        end = source.find("-->", start + 4)
        if end < 0:
            break
        parts.append(source[position:start])
        comments.append(source[start + 4 : end])
        position = end + 3
    return "".join([*parts, source[position:]]), comments


def _format(entry: MemoryEntry, memory: str) -> str:
    end_of_line = _end_of_line(memory)
    source = entry.source
    fields = [f"id={entry.id}"]
    if source:
        fields += [f"notebook={source.notebook_id}", f"cell={source.cell_id}"]
        fields += [f"turn={source.turn_id}"] if source.turn_id else []
    date = f" ({entry.date})" if entry.date else ""
    first, *more = f"{entry.text}{date}".split("\n")
    # The comment is in the first line, so that hyphens in it aren't a thematic break.
    lines = [f"- {first} <!-- aiserver {' '.join(fields)} -->", *(f"  {line}" for line in more)]
    return "".join(f"{line}{end_of_line}" for line in lines)


def _end_of_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


@cache
def _parser() -> MarkdownIt:
    """Return a parser of blocks only."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable(["inline"])
    return parser
