"""The index of the docs links every page, and links are valid."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [
    *sorted(DOCS.glob("*.md")),
    *(
        DOCS.parent / f"{name}.md"
        for name in ("README", "CONTRIBUTING", "AGENTS", "RELEASE", "SECURITY")
    ),
]


def links(page: Path) -> set[str]:
    """Return the files of a page's links and pictures."""
    text = page.read_text("utf-8")
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', text)
    return {*re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text), *pictures}


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


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_to_headings_are_valid() -> None:
    broken = [
        f"{page.name}: {file}#{anchor}"
        for page in PAGES
        for file, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", page.read_text("utf-8"))
        if anchor not in anchors(page.parent / file if file else page)
    ]
    assert broken == []


def test_the_readme_is_short() -> None:
    """A stranger reads it in two minutes."""
    assert len((DOCS.parent / "README.md").read_text("utf-8").splitlines()) <= 120
