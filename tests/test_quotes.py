"""Labels that the docs quote exist in the interface."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", *(f"docs/{name}.md" for name in ("administration", "privacy", "replay"))]
PAGES += [f"docs/{name}.md" for name in ("search", "sharing", "troubleshooting")]
# Jupyter's own buttons and commands, which these pages mention, too.
JUPYTERS = {"Run all", "View", "Keyboard Shortcuts", "Language", "Undo Cell Operation"}
# Texts of chips with a number of runs.
SHOWN = {"ran ×3"}


def texts() -> str:
    """Return all texts of the interface, the server and the exported page, one per line."""
    pot = (ROOT / "translations" / "aiserver.pot").read_text("utf-8")
    joined = re.sub(r'"\n"', "", pot)
    lines = re.findall(r'^msgid(?:_plural)? "(.*)"$', joined, re.M)
    return "\n".join(lines)


def quotes(page: str) -> Iterator[str]:
    text = re.sub(r"\s*\n\s*", " ", (ROOT / page).read_text("utf-8"))
    yield from re.findall(r"“([^“”]+)”", text)
    yield from re.findall(r"\*\*[^*]* → ([^*]+)\*\*", text)


@pytest.mark.parametrize("page", PAGES)
def test_quoted_labels_exist_in_the_interface(page: str) -> None:
    """“…” stands for variable parts; a quote may be part of a sentence."""
    shown = texts()
    stale = []
    for quote in quotes(page):
        if quote in JUPYTERS | SHOWN:
            continue
        parts = [re.escape(part.strip()) for part in re.split(r"…|\d+", quote) if part.strip()]
        if not re.search(".*".join(parts), shown):
            stale.append(quote)
    assert stale == []
