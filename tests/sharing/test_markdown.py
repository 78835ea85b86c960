"""Markdown in the exported page becomes text and a few allowed elements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from aiserver.plugins.export import markdown_tree
from aiserver.plugins.export.markdown_tree import tree
from aiserver.plugins.export.page import page
from aiserver.plugins.export.page_data import page_data

from .demo import HOSTILE
from .test_page import ROOT, data_of, demo

MANY = 9_000


def tags(node: Any) -> Iterator[str]:
    """Yield the tags of a tree."""
    if not isinstance(node, str):
        yield node[0].partition(":")[0]
        for child in node[1:]:
            yield from tags(child)


def text(node: Any) -> str:
    """Return the text of a tree."""
    return node if isinstance(node, str) else "".join(map(text, node[1:]))


def depth(node: Any) -> int:
    """Return the depth of nested elements."""
    return 0 if isinstance(node, str) else 1 + max(map(depth, node[1:]), default=0)


def test_markdown_becomes_elements() -> None:
    table = "| x | y |\n|---|---|\n| 1 | ~~2~~ |"
    given = f"# Sales of *2026*\n\n3. `a`\n4. b\n\n{table}\n\n```python\nx\n```"
    assert tree(given) == [
        ["h:1", "Sales of ", ["em", "2026"]],
        ["ol:3", ["li", ["code", "a"], "\n"], ["li", "b", "\n"]],
        [
            "table",
            ["thead", ["tr", ["th", "x"], ["th", "y"]]],
            ["tbody", ["tr", ["td", "1"], ["td", ["s", "2"]]]],
        ],
        ["pre", "x"],
    ]


def test_links_pictures_and_formulas_are_text() -> None:
    """P11, P12: nothing can be followed or loaded, and formulas are complete."""
    given = (
        "**see** [here](https://a.example/b) ![a *plot*](https://x.example/p.png) $a*b*c$ $$_x_$$"
    )
    assert text(["p", *(tree(given) or [])]) == (
        "see here (https://a.example/b) a *plot* $a*b*c$ $$_x_$$"
    )


@pytest.mark.parametrize(
    "given",
    [
        HOSTILE,
        "# a\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> <b>*x*</b>",
        "- [j](javascript:alert(1)) ![x](javascript:alert(1)) <javascript:alert(1)>",
        "- [j](data:text/html;base64,PHNjcmlwdD4=) &lt;script&gt; &#60;script&#62;",
        '- [j](https://a.example "onmouseover=alert(1)")\n\n```"><script>\nx\n```',
    ],
)
def test_hostile_markdown_creates_no_other_elements(given: str) -> None:
    """P12"""
    for node in tree(given) or []:
        assert set(tags(node)) <= markdown_tree.TAGS
        assert re.fullmatch(r"[a-z]+(:[0-9]+)?", node[0])


@pytest.mark.parametrize(
    "given",
    [
        "[a]: http://x.example/" + "x" * 5000 + "\n\n" + "[a] " * 500,
        "*a **b " * (MANY // 7),
        "> " * 200 + "a",
        "- " * 200 + "a",
        "|a" * 60 + "\n" + "|-" * 60 + "|\n" + "x\n" * (MANY // 3),
        "$" * MANY,
        "[" * MANY,
        "x" * (markdown_tree.LIMIT + 1) + "\n\n# a",
    ],
)
def test_trees_are_bounded_in_size_and_depth(given: str) -> None:
    """Texts that would exceed the limits are shown as plain text."""
    data = json.dumps(tree(given))
    assert len(data) <= 10 * len(given) + 10_000
    assert max(map(depth, tree(given) or [""])) <= markdown_tree.DEPTH


def test_plain_text_has_no_tree() -> None:
    """Plain answers are stored only once in the page."""
    assert tree("It reads the file.") is None
    assert tree("") is None


def test_only_markdown_cells_and_answers_are_rendered() -> None:
    _, history = demo()
    data = data_of(page(page_data(history, "a", {})))
    title = next(cell for cell in data["cells"] if cell["id"] == "title")
    text_number = title["steps"][-1]["code"]
    assert data["markdown"][str(text_number)] == [["h:1", "Sales"], ["p", "Each month of 2026."]]
    assert len(data["markdown"]) == 1  # code is not rendered as Markdown


def test_the_script_creates_only_allowed_tags() -> None:
    """P12: the data can't create an element that loads or runs something."""
    script = (ROOT / "src" / "plugins" / "exportedPage" / "view" / "code.ts").read_text("utf-8")
    tags = re.findall(r"'(\w+)'", script.partition("const TAGS = [")[2].partition("];")[0])
    assert set(tags) == markdown_tree.TAGS - {"h"}
    assert not {"a", "img", "script", "style", "iframe", "svg", "form"} & set(tags)
