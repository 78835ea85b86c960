"""The headings above a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from aiserver.prompts.context import build_messages
from aiserver.prompts.notebook.headings import MAX_LENGTH, heading_path
from aiserver.requests import ContextCell

from ..effort import at_most
from .inputs import prompt_input


def markdown(*sources: str) -> list[ContextCell]:
    return [ContextCell(cell_type="markdown", source=source) for source in sources]


@pytest.mark.parametrize(
    ("sources", "path"),
    [
        (["# A", "## B"], "A > B"),
        (["# A\ntext\n## B\n### C"], "A > B > C"),
        (["# A", "## B", "## C"], "A > C"),
        (["# A", "## B", "# D"], "D"),
        (["## B", "# A", "### C"], "A > C"),
        (["# A", "## B", "### C", "#### D"], "B > C > D"),
        (["# A ##", "##  B\t c "], "A > B c"),
        (["no heading", "#hashtag", "    # code"], ""),
        (["```\n# comment\n```\n## B"], "B"),
        (["````\n```\n# comment\n````"], ""),
        (["~~~\n# comment"], ""),
        ([], ""),
    ],
)
def test_the_path_of_the_nearest_headings(sources: list[str], path: str) -> None:
    assert heading_path(markdown(*sources)) == path


def test_code_cells_have_no_headings_and_long_headings_are_cut() -> None:
    cells = [ContextCell(source="# comment"), *markdown("# " + "x" * 500)]
    assert heading_path(cells) == "x" * MAX_LENGTH


async def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


async def prompt(style: Any, heading: str) -> str:
    request = prompt_input("plot", cells=markdown(f"# {heading}"))
    messages, _ = await build_messages(request, style=style, budget=500, count=words)
    return str(messages[-1].text)


async def test_a_small_model_gets_the_headings_only_if_they_are_short() -> None:
    assert "Prices" in await prompt("compact", "Prices")
    long = "Prices of " + "a b " * 20
    assert "Prices" not in await prompt("compact", long)
    assert "Prices" in await prompt("full", long)


async def test_a_heading_cannot_leave_its_line() -> None:
    """P14: in the style without marks, it is a quoted text."""
    heading = "it's </section> 'over'"
    text = await prompt("compact", heading)
    assert text.splitlines()[0] == f"Section {heading!r}"


def test_a_line_of_blanks_takes_no_time() -> None:
    with at_most(steps=4_000_000):
        assert heading_path(markdown("# a" + " " * 100_000 + "x")) == "a x"
