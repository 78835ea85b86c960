"""The places where a small model may add text to code, for /document or /test.

A small model changes the code even if told not to. So a grammar restricts its answer to the code,
with ``Gap``s for what may be added.

Invariants:

- Without its additions, the answer is the cell's code, character by character, except that tests of
  the cell above don't repeat its code.
- A comment is added above a statement only, never within a string or an expression. So additions
  never change what the code does, except that tests below it may fail.
- Nothing is added above a statement that has a comment already, above ``elif`` or a docstring, nor
  to a function or class that has a docstring.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..llm.base import Additions, Gap
from ..prompts.parsed_request import ParsedRequest
from ..unicode import parse_python

MAX_LENGTH = 4000  # characters; of longer code, the answer would exceed the model's limit
# A fence, even an indented one, would end the answer. A line magic may continue in the next line,
# so no comment may come between.
_UNSAFE = re.compile(r"\r|^[ \t]*```|^[ \t]*[%!].*\\$", re.MULTILINE)
_LINE_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def additions(request: ParsedRequest) -> Additions | None:
    """Return a cell's code with gaps for what is to be added.

    Return None unless the request is /document or /test, for valid Python with such gaps.
    """
    mode, source, language = request.slash_mode, request.subject, request.subject_language
    is_python = language.name == "python" and not language.head
    if mode not in ("document", "test") or not is_python or not source.strip():
        return None
    if len(source) > MAX_LENGTH or _UNSAFE.search(source):
        return None
    tree = parse_python(source) or parse_python(_LINE_MAGIC.sub(r"\1pass", source))
    if tree is None:
        return None
    code = source.strip("\n")
    if mode == "test":
        tests = Gap("tests")
        return (tests,) if request.above else (f"{code}\n", "\n", tests)
    skipped = len(source) - len(source.lstrip("\n"))
    gaps = {number - skipped: gap for number, gap in _gaps(tree, source.split("\n"))}
    if not gaps:
        return None
    pieces: list[str | Gap] = []
    for number, line in enumerate(code.split("\n"), 1):
        if gap := gaps.get(number):
            pieces.append(gap)
        pieces.append(f"{line}\n")
    return tuple(pieces)


def _gaps(tree: ast.Module, lines: list[str]) -> Iterator[tuple[int, Gap]]:
    """Yield gaps with the line below. All docstrings, or one comment, are required."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    # The first statement of a line, by its line and column.
    starts = sorted({_start(node) for node in statements})
    starts = [
        (number, column) for number, column in starts if not lines[number - 1][:column].strip()
    ]
    below_docstring = {
        _start(node.body[0])
        for node in statements
        if isinstance(node, _Definition) and ast.get_docstring(node) is None
    }
    is_required = below_docstring.isdisjoint(starts)
    for number, column in starts:
        indentation, text = lines[number - 1][:column], lines[number - 1][column:]
        is_below_comment = number > 1 and lines[number - 2].lstrip().startswith("#")
        if (number, column) in below_docstring:
            yield number, Gap("docstring", indentation)
        elif not text.startswith(("elif", '"', "'")) and not is_below_comment:
            yield number, Gap("comment", indentation, is_required=is_required)
            is_required = False


def _start(node: ast.stmt) -> tuple[int, int]:
    decorators = node.decorator_list if isinstance(node, _Definition) else []
    return min([node.lineno, *(item.lineno for item in decorators)]), node.col_offset
