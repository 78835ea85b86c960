"""``memory import`` and ``export``.

Invariants:

- All files are read and checked before anything is written. A text that can't be remembered is
  listed by its number, because it may be a password.
- What is imported waits for the person, unless ``--confirm`` is given.
- An import never displaces what waits already.

Memories of nanobot and PCAI, like ours, are Markdown with headings, lists and paragraphs. In older
files of PCAI, a line such as ``- [2026-02-05] #preference: …`` contains a date and a category.
PCAI's ``memory_store.json`` is a list of objects with ``content``, which is Markdown, and its items
that wait are objects with an ``id`` such as ``pending_1770963``. Other JSON is read if it has this
shape: a list of texts or of objects with ``text``, ``content`` or ``memory``, or an object that
contains such a list or maps ids to such objects.

Dates, tags and vectors are left out. Headings become part of the texts only from our own memories,
where they can say which table a text is about.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ....cli.files import write_output
from ....cli.terminal import ProgressBar, make_safe
from ....errors import AIServerError, SettingError
from ....surrogates import fix_surrogates
from ...sessions.importers.base import UnreadableInput, decode_text, loads, normalize_names
from .. import document
from ..entries import MemoryEntry
from ..limits import checked_proposal, checked_text
from ..proposals import MAX_PROPOSALS
from .commands import MemoryContext

_MAX_CONFIRMED = 1_000  # adding an entry takes as long as reading the memory
MAX_FILE_BYTES = 64 * 1024 * 1024  # a thousand entries of PCAI with their vectors have 12 MB
MAX_TEXT_LENGTH = 4 * 1024 * 1024  # characters of a file
_JSON_SUFFIX = ".json"
_TEXT_NAMES = ("text", "content", "memory")
_LIST_NAMES = ("entries", "memories", "memory", "items", "pending", "pendingitems", "data")
_PENDING_ID = "pending_"
_OUR_COMMENT = "<!-- aiserver id="
_DATE_AND_CATEGORY = re.compile(r"\[\d{4}-\d{2}-\d{2}\]\s*(?:#[^\s:：]+[:：]?\s*)?")
# PCAI writes this directly below a paragraph, which becomes a heading.
_RULE = re.compile(r"^-{3,}[ \t]*$", re.MULTILINE)
# nanobot and PCAI write these into new files.
_TEMPLATE_TEXTS = {
    "This file stores important information that should persist across sessions.",
    "(Important facts about the user)",
    "(User preferences learned over time)",
    "(Information about ongoing projects)",
    "(Things to remember)",
    "*This file is automatically updated by nanobot when important information should be "
    "remembered.*",
    "此文件包含經過篩選的持久記憶。",
}
_TITLES = {"project": "The project’s memory", "person": "My memory"}


class MemoryText(NamedTuple):
    """A text, with the number of its entry in the file.

    ``is_pending``: the person hadn't confirmed it in the other program.
    """

    text: str
    number: int
    is_pending: bool = False


@dataclass
class MemoryFile:
    """The texts of a file, and a message about each unreadable entry."""

    texts: list[MemoryText] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass
class _Plan:
    proposed: list[str] = field(default_factory=list)
    remembered: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    duplicate_count: int = 0


async def run_import(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Read the files, and propose or remember their entries."""
    waiting = {proposal.text: proposal.id for proposal in await context.memories.pending()}
    entries = await context.listed(arguments.scope)
    remembered = {text for each in entries for text in (each.text, text_with_heading(each))}
    plan = _create_plan(arguments, waiting, remembered)
    if len(waiting) + len(plan.proposed) > MAX_PROPOSALS:
        raise SettingError(
            f"These files have {len(plan.proposed):,} new entries, and {len(waiting):,} proposals "
            f"wait already. At most {MAX_PROPOSALS} can wait. Decide about some of them first, "
            "import fewer, or use --confirm. Nothing was imported."
        )
    if len(plan.remembered) > _MAX_CONFIRMED:
        raise SettingError(
            f"These files have {len(plan.remembered):,} new entries. At most {_MAX_CONFIRMED:,} "
            "can be imported at a time. Nothing was imported."
        )
    lifetime = 0.0
    with ProgressBar("importing", len(plan.proposed) + len(plan.remembered)) as bar:
        for text in plan.proposed:
            proposal = await context.memories.propose(text, arguments.scope, "import")
            lifetime = proposal.expires_at - proposal.created_at
            bar.advance()
        for text in plan.remembered:
            if text in waiting:
                await context.memories.confirm(waiting[text], scope=arguments.scope)
            else:
                await context.memories.add(arguments.scope, text)
            bar.advance()
    _print_summary(plan, lifetime)
    return 1 if plan.skipped else 0


async def run_export(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Write Markdown that ``memory import`` can read."""
    # What wasn't confirmed must not be imported as confirmed.
    every = await context.listed(arguments.scope)
    listed = [item for item in every if item.review == "used"]
    if len(listed) < len(every):
        count = len(every) - len(listed)
        print(f"Left out: {count:,} entries of the project that you don't use.", file=sys.stderr)
    markdown = "\n".join(_markdown_lines(listed)) + "\n"
    if arguments.file is None:
        sys.stdout.write(make_safe(markdown))
        return 0
    target = write_output(arguments.file, "MEMORY.md", markdown.encode(), force=arguments.force)
    print(f"Exported {len(listed):,} entries to {target}")
    return 0


def _create_plan(
    arguments: argparse.Namespace, waiting: Collection[str], remembered: set[str]
) -> _Plan:
    plan = _Plan()
    seen = {text.replace("\n", " ") for text in remembered}  # as ``checked_text`` returns them
    for name in arguments.file:
        try:
            file = read_memories(Path(name))
        except UnreadableInput as reason:
            plan.skipped.append(f"{name}: {reason}")
            continue
        plan.skipped += [f"{name}: {problem}" for problem in file.problems]
        for item in file.texts:
            is_confirmed = arguments.confirm and not item.is_pending
            text = _checked(name, item, is_confirmed, plan)
            if text in seen or (not is_confirmed and text in waiting):
                plan.duplicate_count += 1
            elif text is not None:
                seen.add(text)
                (plan.remembered if is_confirmed else plan.proposed).append(text)
    return plan


def _checked(name: str, item: MemoryText, is_confirmed: bool, plan: _Plan) -> str | None:
    try:
        return (checked_text if is_confirmed else checked_proposal)(item.text)
    except AIServerError as error:
        plan.skipped.append(f"{name}: entry {item.number}: {error.message}")
        return None


def _print_summary(plan: _Plan, lifetime: float) -> None:
    for reason in plan.skipped:
        print(f"Skipped: {make_safe(reason)}", file=sys.stderr)
    if plan.remembered:
        print(f"Remembered {len(plan.remembered):,} entries.")
    if plan.proposed:
        print(
            f"{len(plan.proposed):,} entries wait for you. They are not used before you confirm "
            f"them, and are removed after {lifetime / 3600:.0f} hours. To decide, run: "
            "jupyter aiserver memory pending"
        )
    if plan.duplicate_count:
        print(f"Already there: {plan.duplicate_count:,}")
    if plan.skipped:
        print(f"Skipped: {len(plan.skipped):,}, see above")
    elif not (plan.remembered or plan.proposed or plan.duplicate_count):
        print("There is nothing to import.")


def _markdown_lines(listed: Sequence[MemoryEntry]) -> Iterator[str]:
    place = ("", "")
    for entry in listed:
        # What is directly below a title has no section.
        if place[0] != entry.scope or (place[1] and not entry.section):
            yield from (f"# {_TITLES[entry.scope]}", "")
            place = (entry.scope, "")
        if place[1] != entry.section:
            yield from ("", f"## {entry.section}", "")
            place = (entry.scope, entry.section)
        date = f" ({entry.date})" if entry.date else ""
        first, *more = f"{entry.text}{date}".split("\n")
        # The comment prevents that two lines become a table or a heading.
        yield f"- {first} <!-- aiserver id={entry.id} -->"
        yield from (f"  {line}" for line in more)


def read_memories(path: Path) -> MemoryFile:
    """Read a file. Raises UnreadableInput with the reason."""
    text = decode_text(_read(path))
    is_json = path.suffix.lower() == _JSON_SUFFIX
    if is_json or (path.suffix.lower() != ".md" and text.lstrip()[:1] in ("[", "{")):
        return _read_json(loads(text))
    _check_length(len(text))
    has_rules = path.name.lower() != "memory.md"
    return MemoryFile(
        [MemoryText(*each[::-1]) for each in enumerate(_texts_in(text, has_rules), 1)]
    )


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UnreadableInput("is a folder; name the files in it")
        if not path.is_file():
            raise UnreadableInput("no such file")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as exc:
        raise UnreadableInput("can't be read") from exc
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableInput(f"larger than {MAX_FILE_BYTES // 1024**2} MB")
    return data


def _check_length(length: int) -> None:
    if length > MAX_TEXT_LENGTH:
        raise UnreadableInput(f"has more than {MAX_TEXT_LENGTH // 1024**2} million characters")


def _read_json(content: Any) -> MemoryFile:
    entries, is_pending = _entries(content)
    _check_length(sum(len(_text_of(entry) or "") for entry in entries))
    file = MemoryFile()
    for number, entry in enumerate(entries, 1):
        text = _text_of(entry) or ""
        if fix_surrogates(text) != text:  # JSON can contain half of an emoji
            file.problems.append(f"entry {number}: contains half of a character")
            continue
        texts = list(_texts_in(text, True))
        id_ = entry.get("id") if isinstance(entry, dict) else None
        waits = is_pending or (isinstance(id_, str) and id_.startswith(_PENDING_ID))
        file.texts += [MemoryText(each, number, waits) for each in texts]
        if not texts:
            file.problems.append(f"entry {number}: has no text")
    return file


def _entries(content: Any) -> tuple[list[Any], bool]:
    """Return entries, and whether they wait for a confirmation. Raises UnreadableInput."""
    if isinstance(content, list):
        if not content or any(_text_of(entry) is not None for entry in content):
            return content, False
    elif isinstance(content, dict):
        if _text_of(content) is not None:
            return [content], False
        names = normalize_names(content)
        name = next((name for name in _LIST_NAMES if isinstance(names.get(name), list)), None)
        if name is not None:
            return _entries(names[name])[0], name.startswith("pending")
        values = list(content.values())
        if values and all(isinstance(value, dict) and _text_of(value) for value in values):
            return values, False
    raise UnreadableInput("not a list of memories")


def _text_of(entry: Any) -> str | None:
    if isinstance(entry, str):
        return entry
    names = normalize_names(entry)
    return next((names[name] for name in _TEXT_NAMES if isinstance(names.get(name), str)), None)


def text_with_heading(entry: MemoryEntry) -> str:
    """Return the text to import: a new entry has no heading."""
    return f"{entry.section}: {entry.text}" if entry.section else entry.text


def _texts_in(markdown: str, has_rules: bool) -> Iterator[str]:
    is_ours = _OUR_COMMENT in markdown
    for entry in document.parse(_RULE.sub("", markdown) if has_rules else markdown):
        text = text_with_heading(entry) if is_ours else entry.text
        if text[:1] == "[" and not is_ours:
            text = _DATE_AND_CATEGORY.sub("", text)
        if text.strip() and text not in _TEMPLATE_TEXTS:
            yield text
