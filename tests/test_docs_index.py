"""The index of the docs links every page, and links to files are valid."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [
    *sorted(DOCS.glob("*.md")),
    *(DOCS.parent / f"{name}.md" for name in ("README", "CONTRIBUTING")),
]


def links(page: Path) -> set[str]:
    return set(re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")))


def test_the_index_links_every_page_and_lists_it_for_the_site() -> None:
    names = {path.name for path in DOCS.glob("*.md")} - {"index.md"}
    index = (DOCS / "index.md").read_text("utf-8")
    assert names <= links(DOCS / "index.md")
    [tree] = re.findall(r"```\{toctree\}\n:hidden:\n\n(.*?)```", index, re.S)
    assert {f"{name}.md" for name in tree.split()} == names


def test_links_to_files_are_valid() -> None:
    broken = [
        f"{page.name}: {link}"
        for page in PAGES
        for link in links(page)
        if not (page.parent / link).exists()
    ]
    assert broken == []
