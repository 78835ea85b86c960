"""The rules files that a person has chosen to use, such as ``AGENTS.md``, as texts of the prompt.

Invariants:

- The texts follow AI Server's own rules in the system message, and don't depend on the intent. So a
  model reads them in advance. A small model gets them as one line after the intent instead, because
  it rarely follows rules in the system message (``benchmarks/rules_files.py``).
- All rules files together get at most 1 / ``SHARE`` of the model's budget. If they don't fit, the
  longest ones are shortened from their ends, by whole paragraphs or lines. A file of which no line
  fits is left out.
- The prompt contains no names of folders, and the names of the files only in the style ``full``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from .. import templates
from ..fence import marked
from ..history import Count
from ..mentions import fair_shares
from ..prompt_input import RulesText
from ..receipt import ContextItem
from ..templates import Style

SHARE = 6
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


async def rules_texts(
    files: Sequence[RulesText], style: Style, budget: int, count: Count
) -> tuple[str, list[ContextItem]]:
    """Return the text to append to the rules, and the items of the files in the receipt.

    In the style ``compact``, the text is to be appended to the intent.
    """
    if not files:
        return "", []
    introduction = templates.project_rules(style)
    introduction_size, *sizes = await count([introduction, *(_format(f, style) for f in files)])
    shares = fair_shares(sizes, max(budget // SHARE - introduction_size, 0))
    texts: list[str] = []
    items: list[ContextItem] = []
    for file, full_size, share in zip(files, sizes, shares, strict=True):
        shown, size = file, full_size
        while size > share and shown.text:
            shown = replace(shown, text=first_lines(shown.text, share / size))
            [size] = await count([_format(shown, style)])
        item = ContextItem("rules_file", file.path, full_size, is_included=bool(shown.text))
        if item.is_included:
            # The introduction counts as a part of the first text.
            size += 0 if texts else introduction_size
            item = replace(item, tokens=size, is_shortened=shown is not file)
            texts.append(_format(shown, style))
        items.append(item)
    separator = " " if style == "compact" else "\n"
    return separator.join([introduction, *texts]) if texts else "", items


def _format(file: RulesText, style: Style) -> str:
    if style == "compact":
        lines = [line.strip(" \t*-") for line in file.text.splitlines()]
        return " ".join(line for line in lines if line and not line.startswith("#")) or file.text
    return marked("conventions", f"{PurePosixPath(file.path).name}:\n{file.text}")


def first_lines(text: str, fraction: float) -> str:
    """Return the first paragraphs of a text, at most ``fraction`` of its characters.

    If they would be less than half of that, return the first lines; "" if the first line is too
    long. ``fraction`` is less than 1.
    """
    length = int(len(text) * fraction)
    ends = [match.start() for match in _PARAGRAPH_END.finditer(text) if match.start() <= length]
    line_end = max(text.rfind("\n", 0, length + 1), 0)
    return text[: ends[-1] if ends and 2 * ends[-1] >= length else line_end].rstrip()
