"""The prompt of a completion, and the end of what is inserted."""

from __future__ import annotations

import pytest

from aiserver.plugins.completion.gap import (
    PREFIX_TOKENS,
    STEP_TOKENS,
    SUFFIX_TOKENS,
    CompletionBody,
    Gap,
    find_gap,
)
from aiserver.tokens import estimate_tokens


def gap_at(source: str, **more: object) -> Gap:
    """Return the gap at the ``|`` in a source."""
    prefix, _, suffix = source.partition("|")
    gap = find_gap(CompletionBody(prefix=prefix, suffix=suffix, **more))
    assert gap is not None
    return gap


def test_the_cells_above_come_first():
    gap = gap_at("total = |\nprint(total)", cells=["import math\n", "x = 2"])
    assert gap.prefix == "import math\n\nx = 2\n\ntotal = "
    assert gap.suffix == "\nprint(total)"


@pytest.mark.parametrize(
    ("source", "written", "inserted"),
    [
        ("x = |", "1\ny = 2", "1"),
        ("x = |", "1", "1"),
        ("x = 1|", "\ny = 2", ""),
        ("plot(|)", "title='a')\nshow()", "title='a'"),
        ("plot(|)", "len(x)", "len(x)"),
        ("print(a[|])", "0])", "0"),
        ("x = '|'", "a'", "a"),
        ("def f(x):|", "\n    return x\n\ndef g", "\n    return x"),
        ("def f(x):|", "\n    y = 1\n    return y\nf(1)", "\n    y = 1\n    return y"),
        ("    if x:|", "\n        y()\n    z()", "\n        y()"),
        ("# load it|", "\ndf = read()\ndf.head()\n\nx", "\ndf = read()\ndf.head()"),
        ("def f(x):\n    |", "return x\n\nf(1)", "return x"),
        ("def f(x):\n    |", "y = x\n    return y\nf(1)", "y = x\n    return y"),
        ("x = 1\n|", "   ", ""),
    ],
)
def test_a_completion_ends_with_its_line_or_block(source: str, written: str, inserted: str):
    gap = gap_at(source)
    assert gap.fit(written) == inserted
    # The end is found as soon as the model has written it, not only in the complete text.
    first_end = next((n for n in range(len(written)) if gap.end_of(written[:n]) is not None), None)
    assert first_end is None or gap.fit(written[:first_end]) == inserted


@pytest.mark.parametrize(
    "body",
    [
        {"prefix": "%%ai\nplot the "},
        {"prefix": "%%markdown\n# "},
        {"prefix": " \n", "suffix": "\n"},
    ],
    ids=["a request", "prose", "no code at all"],
)
def test_without_code_nothing_is_completed(body: dict[str, str]):
    assert find_gap(CompletionBody(**body)) is None


def test_only_cells_in_the_language_of_the_cell_are_used():
    cells = ["%%bash\nls", "x = 1", "%%ai\nplot it", "%%sql\nSELECT 1"]
    assert gap_at("y = |", cells=cells).prefix == "x = 1\n\ny = "
    assert gap_at("%%sql\nSELECT |", cells=cells).prefix == "%%sql\nSELECT 1\n\n%%sql\nSELECT "
    assert gap_at("y <- |", cells=["x <- 1"], language="R").prefix == "x <- 1\n\ny <- "


@pytest.mark.parametrize("line", ["value = other.method(1)\n", "# 计算每个地区的平均值\n"])
def test_the_prompt_is_limited_and_its_beginning_is_stable(line: str):
    """While a line is typed, a model's cache of the prompt's beginning stays useful."""
    cells = [line * 30, line * 30]
    assert estimate_tokens("".join(cells)) > PREFIX_TOKENS
    prefixes = [gap_at(f"x = {'1' * n}|", cells=cells).prefix for n in range(STEP_TOKENS * 2)]
    assert all(estimate_tokens(prefix) <= PREFIX_TOKENS for prefix in prefixes)
    assert len({prefix.partition("x = ")[0] for prefix in prefixes}) <= 3
    suffix = gap_at(f"x = |\n{line * 100}").suffix
    assert suffix.endswith(line) and 0 < estimate_tokens(suffix) <= SUFFIX_TOKENS


def test_a_single_long_line_is_cut():
    gap = gap_at(f"x = '{'长' * 9000}|{'长' * 9000}'")
    assert estimate_tokens(gap.prefix) <= PREFIX_TOKENS * 1.2
    assert estimate_tokens(gap.suffix) <= SUFFIX_TOKENS * 1.2
