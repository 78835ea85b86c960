"""The additions of a small model to a cell with /document and /test."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.generation.additions import MAX_LENGTH, additions
from aiserver.llm.base import Additions, Gap
from aiserver.plugins.local_models.grammar import with_additions
from aiserver.prompts.context import build_messages
from aiserver.prompts.language import CellLanguage, cell_language
from aiserver.prompts.parsed_request import ParsedRequest
from aiserver.requests import ColumnProfile, ContextCell, DataFrameProfile
from tests.prompts.test_modes import count

from ..prompts.inputs import prompt_input

PYTHON = cell_language("python")
SOURCES = [
    path
    for path in sorted(Path(__file__).parents[2].glob("aiserver/*/*.py"))
    if path.name != "__init__.py" and len(path.read_text()) <= MAX_LENGTH
]


def additions_to(
    intent: str, source: str, language: CellLanguage, *, is_above: bool = False
) -> Additions | None:
    above = ContextCell(source=source) if is_above else None
    return additions(ParsedRequest(intent, language, "" if is_above else source, above))


def filled(pieces: Additions, choose: Any) -> str:
    """Return the code with a text in each gap for which ``choose`` returns true."""
    texts = {"comment": "# text", "docstring": '"""Text."""', "tests": "assert True"}
    lines = []
    for piece in pieces:
        if isinstance(piece, str):
            lines.append(piece)
        elif piece.is_required or choose(piece):
            lines.append(f"{piece.indentation}{texts[piece.kind]}\n")
    return "".join(lines)


def without_docstrings(source: str) -> str:
    """Return the statements of ``source`` as text, without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.body = node.body[ast.get_docstring(node) is not None :]
    return ast.dump(tree)


@given(path=st.sampled_from(SOURCES), seed=st.integers())
def test_comments_and_docstrings_change_no_statement(path: Path, seed: int) -> None:
    source = path.read_text()
    pieces = additions_to("/document", source, PYTHON)
    assert pieces is not None
    chance = random.Random(seed)
    code = filled(pieces, lambda gap: chance.random() < 0.5)
    assert without_docstrings(code) == without_docstrings(source)
    added = [line for line in code.splitlines() if line.strip() in ("# text", '"""Text."""')]
    assert added
    tree = ast.parse(code)
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    assert all(
        ast.get_docstring(node) is not None
        for node in ast.walk(tree)
        if isinstance(node, definitions) and node.body[0].lineno > node.lineno
    )
    assert "".join(piece for piece in pieces if isinstance(piece, str)).strip() == source.strip()


def gaps_of(source: str) -> list[tuple[str, str, bool]]:
    """Return the kind and indentation of each gap, and whether it is required."""
    pieces = additions_to("/document", source, PYTHON) or ()
    return [(p.kind, p.indentation, p.is_required) for p in pieces if isinstance(p, Gap)]


@pytest.mark.parametrize(
    ("source", "gaps"),
    [
        ("a = 1\nb = 2", [("comment", "", True), ("comment", "", False)]),
        ("# why\na = 1\nb = 2", [("comment", "", True)]),
        ("# why\na = 1", []),
        ("a = 1; b = 2", [("comment", "", True)]),
        ('text = """\n# no comment\nx = 1\n"""', [("comment", "", True)]),
        ("y = (1,\n  2)", [("comment", "", True)]),
        ("if a:\n\tb\nelif c:\n\td", [("comment", i, i == "") for i in ("", "\t", "\t")]),
        ("def f():\n  return 1", [("comment", "", False), ("docstring", "  ", True)]),
        ('def f():\n  """F."""\n  pass', [("comment", "", True), ("comment", "  ", False)]),
        ("@cache\ndef f(): return 1", [("comment", "", True)]),
        ("%matplotlib inline\ndf.plot()", [("comment", "", True), ("comment", "", False)]),
        ("\n\nx = 1\n", [("comment", "", True)]),
        ("名 = 1; 乙 = 2", [("comment", "", True)]),
    ],
)
def test_gaps_are_above_statements_without_a_comment(
    source: str, gaps: list[tuple[str, str, bool]]
) -> None:
    assert gaps_of(source) == gaps


@pytest.mark.parametrize(
    ("intent", "source"),
    [
        ("add a comment column", "df"),
        ("/edit", "df"),
        ("/document", ""),
        ("/document", "x ="),
        ("/test", "!ls\nx = ("),
        ("/document", 'x = """\n```\n"""'),
        ("/document", "x = 1\r\n"),
        ("/document", 'def f():\n  """F.\n  ```\n  x\n  ```\n  """'),
        ("/document", "!echo a \\\n  b"),
        ("/document", "x = 1\n" * 1000),
        ("/document", "x = '\0'"),
    ],
)
def test_other_requests_and_broken_code_may_change_everything(intent: str, source: str) -> None:
    assert additions_to(intent, source, PYTHON) is None


def test_only_python_is_restricted() -> None:
    assert additions_to("/document", "x", cell_language("r")) is None
    assert additions_to("/document", "%%sql\nselect 1", cell_language("python", "%%sql\nx")) is None


def test_tests_come_below_the_code() -> None:
    assert additions_to("/测试", "\nx = 1\n", PYTHON) == ("x = 1\n", "\n", Gap("tests"))


def test_tests_of_the_cell_above_do_not_repeat_its_code() -> None:
    pieces = additions_to("/test", "x = 1", PYTHON, is_above=True)
    assert pieces == (Gap("tests"),)
    assert with_additions(pieces).startswith('root ::= "```python\\n" tests "```"\n')
    assert additions_to("/test", "x = (", PYTHON, is_above=True) is None


def test_the_grammar_contains_the_code_literally() -> None:
    source = 'a = "\\t"\n\tb'.replace("\n\tb", "\nif a:\n\tb")
    pieces = additions_to("/document", source, PYTHON)
    assert pieces is not None
    root = with_additions(pieces).splitlines()[0]
    assert r'"# " text "\n" "a = \"\\t\"\n"' in root
    assert r'"if a:\n" ("\t# " text "\n")? "\tb\n" "```"' in root


async def messages_of(intent: str, **more: Any) -> list[tuple[str, str]]:
    request = prompt_input(intent, "total = prices.sum()", only_adds=True, **more)
    messages, _ = await build_messages(request, style="compact", budget=2000, count=count)
    return [(message.type, str(message.text)) for message in messages]


async def test_a_test_gets_the_data_and_a_comment_does_not() -> None:
    columns = [ColumnProfile(name="价格", dtype="int64")]
    frame = DataFrameProfile(name="prices", row_count=7, column_count=1, columns=columns)
    *_, (_, tested) = await messages_of("/test", dataframes=[frame])
    assert "prices, 7 rows: '价格' int64" in tested
    *_, (_, documented) = await messages_of("/document", dataframes=[frame])
    assert "价格" not in documented


async def test_comments_are_in_the_language_of_the_request() -> None:
    answers = [text for kind, text in await messages_of("/注释") if kind == "ai"]
    assert "# 计算" in answers[0]
    answers = [text for kind, text in await messages_of("/document") if kind == "ai"]
    assert "# Sum up" in answers[0]
