"""The language of a cell, and the preservation of a magic's line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.prompts.answers.reader import read_answer
from aiserver.prompts.language import cell_language, code_of, display_name, fence_name


@pytest.mark.parametrize(
    ("kernel", "source", "name", "head"),
    [
        ("python", "x = 1", "python", ""),
        ("R", "x <- 1", "r", ""),
        ("julia", "x = 1", "julia", ""),
        ("C++17", "int x;", "cpp", ""),
        ("", "", "python", ""),
        ("python", "%%sql\nSELECT 1", "sql", "%%sql"),
        ("ipython", "%%sql sqlite:///a.db\nSELECT 1", "sql", "%%sql sqlite:///a.db"),
        ("python", "%%bash -e", "bash", "%%bash -e"),
        ("python", "%%!\nls", "bash", "%%!"),
        ("python", "%%R -i df\nplot(df)", "r", "%%R -i df"),
        ("python", "%%HTML\n<b>", "html", "%%HTML"),
        ("python", "%%script node\n1", "javascript", "%%script node"),
        ("python", "%%script --bg /bin/sh\n1", "bash", "%%script --bg /bin/sh"),
        ("python", "%%writefile a.py\nx = 1", "python", ""),
        ("python", "%%writefile -a q.sql\nSELECT 1", "sql", "%%writefile -a q.sql"),
        ("python", "%%writefile notes.md\n# A", "markdown", "%%writefile notes.md"),
        ("python", "%%writefile data.bin\n1", "python", ""),
        ("python", "%%time\nx = 1", "python", ""),
        ("python", "%%time\n%%bash\nls", "bash", "%%time\n%%bash"),
        ("python", "%%unknown\nx = 1", "python", ""),
        ("python", "%load_ext sql\n%%sql", "python", ""),
        ("python", " %%sql", "python", ""),
        ("python", "%%", "python", ""),
        ("matlab", "%%sql section\nx = 1", "matlab", ""),
        ("R", "%%sql\nSELECT 1", "r", ""),
    ],
)
def test_code_cells(kernel: str, source: str, name: str, head: str) -> None:
    language = cell_language(kernel, source)
    assert (language.name, language.head) == (name, head)
    assert language.kernel == fence_name(kernel)


def test_text_cells() -> None:
    markdown, raw = cell_language("R", "%%sql", "markdown"), cell_language("R", "", "raw")
    assert (markdown.name, markdown.kernel, markdown.is_prose) == ("markdown", "r", True)
    assert (raw.name, raw.is_prose, raw.head) == ("text", True, "")
    assert not cell_language("python").is_prose


@given(st.text())
def test_any_source_has_a_language(source: str) -> None:
    language = cell_language("python", source)
    assert source.startswith(language.head)
    assert (language.head + "\n" + language.below_head(source)).strip("\n") == (
        source.strip("\n") if language.head else ("\n" + source).strip("\n")
    )


@pytest.mark.parametrize(
    ("tag", "language"),
    [("R", "ir"), ("jl", "julia"), ("sh", "bash"), ("js", "javascript"), ("c++", "C++17")],
)
def test_a_fence_is_recognized_by_any_of_its_names(tag: str, language: str) -> None:
    assert read_answer(f"```{tag}\nx\n```", cell_language(language)).code == "x"


@pytest.mark.parametrize(
    ("answer", "suggestion"),
    [
        ("```sql\nSELECT 2\n```", "%%sql db\nSELECT 2"),
        ("```sql\n%%sql db\nSELECT 2\n```", "%%sql db\nSELECT 2"),
        ("```sql\n%%sql other <<\nSELECT 2\n```", "%%sql other <<\nSELECT 2"),
        ("```sql\n\n%%sql db\nSELECT 2\n```", "%%sql db\nSELECT 2"),
        ("```postgresql\nSELECT 2\n```", "%%sql db\nSELECT 2"),
        ("```sql\n% x\n```", "%%sql db\n% x"),
        ("```sql\n%\n```", "%%sql db\n%"),
        ("SELECT count(*) FROM t;", "%%sql db\nSELECT count(*) FROM t;"),
        ("I can't.", ""),
    ],
)
def test_a_magic_line_is_restored(answer: str, suggestion: str) -> None:
    """Without it the cell would run as Python."""
    assert read_answer(answer, cell_language("python", "%%sql db\nSELECT 1")).code == suggestion


def test_names_for_people() -> None:
    assert [display_name(name) for name in ("r", "python", "cpp")] == ["R", "Python", "C++"]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("%%ai\nplot it", ""),
        ("\n%%ai --model a:b plot it\n", ""),
        ("%%ai\nload it", "%%ai\nload it"),  # another request about the cell
        ("%%aix\nplot it", "%%aix\nplot it"),
        ("plot it", "plot it"),
    ],
)
def test_a_cell_that_contains_the_request_has_no_code(source: str, code: str) -> None:
    assert code_of(source, " plot it ") == code
