"""Markdown in the exported page: elements of a short list, and texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from aiserver.sharing import markdown
from aiserver.sharing.markdown import tree
from aiserver.sharing.page import page
from aiserver.sharing.page_data import page_data

from .demo import HOSTILE
from .test_page import PAGE, data_of, demo

MANY = 9_000


def tags(node: Any) -> Iterator[str]:
    """The tags of a tree."""
    if not isinstance(node, str):
        yield node[0].partition(":")[0]
        for child in node[1:]:
            yield from tags(child)


def text(node: Any) -> str:
    """The texts of a tree, joined."""
    return node if isinstance(node, str) else "".join(map(text, node[1:]))


def depth(node: Any) -> int:
    """The depth of nested elements."""
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
    """P11, P12: nothing can be followed or loaded; no sign of a formula is lost."""
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
def test_hostile_markdown_makes_no_other_elements(given: str) -> None:
    """P12"""
    for node in tree(given) or []:
        assert set(tags(node)) <= markdown.TAGS
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
        "x" * (markdown.LIMIT + 1) + "\n\n# a",
    ],
)
def test_a_tree_is_small_and_flat_or_there_is_none(given: str) -> None:
    """Texts that links repeat, that are nested, or that fill up tables, are shown as they are."""
    made = json.dumps(tree(given))
    assert len(made) <= 10 * len(given) + 10_000
    assert max(map(depth, tree(given) or [""])) <= markdown.DEPTH


def test_plain_text_has_no_tree() -> None:
    """Most answers are a sentence: the file has them once."""
    assert tree("It reads the file.") is None
    assert tree("") is None


def test_the_page_has_markdown_cells_and_answers() -> None:
    _, history = demo()
    told = data_of(page(page_data(history, "a", {})))
    title = next(cell for cell in told["cells"] if cell["id"] == "title")
    place = title["steps"][-1]["code"]
    assert told["markdown"][str(place)] == [["h:1", "Sales"], ["p", "Each month of 2026."]]
    assert len(told["markdown"]) == 1  # no code is read as Markdown


def test_the_script_draws_no_other_tags() -> None:
    """P12: what the file says can't choose an element that loads or runs."""
    script = (PAGE / "markdown.js").read_text("utf-8")
    [listed] = re.findall(r"'([a-z0-9 ]+)'\.split", script)
    assert set(listed.split()) == markdown.TAGS - {"h"}
    assert not {"a", "img", "script", "style", "iframe", "svg", "form"} & set(listed.split())
