"""``memory import`` and ``export``.

Invariants:

- All files are read, and all texts are checked, before anything is written. A text that can't be
  remembered is listed by its number, because it may be a password.
- What is imported waits for the person, unless the command has the option ``--confirm``.
- An import never displaces what waits already.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....cli.files import write_output
from ....cli.terminal import ProgressBar, make_safe
from ....errors import AIServerError, SettingError
from ...sessions.importers.base import UnreadableInput
from ...sessions.memories import MemoryText, read_memories, text_with_heading
from ..limits import checked_proposal, checked_text
from ..listed import ListedEntry
from ..proposals import MAX_PROPOSALS
from .commands import MemoryContext

_MAX_CONFIRMED = 1_000  # entries of an import; adding one takes as long as reading the memory
_TITLES = {"project": "The project’s memory", "person": "My memory"}


@dataclass
class _Plan:
    proposed: list[str] = field(default_factory=list)
    remembered: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    duplicate_count: int = 0


async def run_import(arguments: argparse.Namespace, context: MemoryContext) -> int:
    """Read the files, and propose or remember their entries."""
    waiting = {proposal.text: proposal.id for proposal in await context.memories.pending()}
    entries = [item.entry for item in await context.listed(arguments.scope)]
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
    """Write the entries as Markdown, which ``memory import`` can read."""
    # What came with a project and wasn't confirmed must not be imported elsewhere as confirmed.
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


def _markdown_lines(listed: Sequence[ListedEntry]) -> Iterator[str]:
    place = ("", "")
    for item in listed:
        entry = item.entry
        # A heading of the first level is a title, so what is below it has no section.
        if place[0] != item.scope or (place[1] and not entry.section):
            yield from (f"# {_TITLES[item.scope]}", "")
            place = (item.scope, "")
        if place[1] != entry.section:
            yield from ("", f"## {entry.section}", "")
            place = (item.scope, entry.section)
        date = f" ({entry.date})" if entry.date else ""
        first, *more = f"{entry.text}{date}".split("\n")
        # As in MEMORY.md itself, the comment prevents that two lines become a table or a heading.
        yield f"- {first} <!-- aiserver id={entry.id} -->"
        yield from (f"  {line}" for line in more)
