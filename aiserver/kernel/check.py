"""Check a suggestion against the state of the kernel, without running anything.

A problem is a dict with these keys:

- ``line`` (from 1), ``column`` (from 0, in characters), ``end_line`` and ``end_column`` (exclusive)
- ``kind``: ``syntax``, ``undefined_name``, ``missing_column``, ``missing_module``,
  ``missing_attribute``, ``unknown_argument``, ``missing_file``, ``not_numbers``, ``not_dates``,
  ``not_text``, ``not_aligned``, ``not_valid`` (a library refuses the code), ``no_effect``,
  ``not_called``, ``only_shown``, ``changed_code`` or ``no_tests``
- ``name`` and ``message``; for ``no_effect``, ``only_shown`` and the kinds that begin with
  ``not_``, ``name`` is the wrong code
- ``candidates``: the most similar names, or replacements for the wrong code
- ``correction``: the candidate that the name clearly means, or ""
- ``package``: the package to install for a missing module, or ""
- ``import``: the statement that defines a well-known name, such as ``import numpy as np``, or ""
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import math
import os
import time
from functools import lru_cache
from typing import Any

from .frames.flow import Flow
from .frames.meant import meant_frames
from .frames.requested import check_names_of_request, check_relation
from .frames.shown_copies import check_shown_copy
from .inspection.dtypes import WRONG_DTYPES
from .inspection.modules import import_of
from .inspection.objects import encode, plain_variables
from .overwrites import find_overwrites
from .problems import CLEAR_SIMILARITY, MAX_CANDIDATES, Problems, similarity
from .scopes.names import NameChecker
from .source import Source, depth, syntax_position

_LONGEST_CODE = 100_000  # characters; of longer code, only the syntax is checked
_LONGEST_PARSED = 300_000  # characters; longer code isn't checked
# Dtypes that models write without quotes.
_DTYPES = set("int64 int32 float64 float32 Int64 string category boolean".split())
_DEEPEST = 150  # levels of the syntax tree; beyond, only the syntax is checked


def check_cell(
    variables: dict[str, Any],
    code: str,
    own_code: str,
    original: str,
    mode: str,
    intent: str = "",
) -> str:
    """Return the result of ``check_suggestion`` as JSON in base64."""
    result = check_suggestion(
        code, variables, original=original, mode=mode, own_code=own_code, intent=intent
    )
    return encode(result)


def check_suggestion(
    code: str,
    variables: dict[str, Any],
    *,
    limit: int = 20,
    seconds: float = 1.0,
    folder: str | None = None,
    original: str = "",
    mode: str = "",
    own_code: str = "",
    intent: str = "",
) -> dict[str, list[dict[str, Any]]]:
    """Return the ``problems`` of a suggestion, at most ``limit``, its ``warnings`` and ``signals``.

    ``overwrites.py`` describes the warnings, ``signals.py`` the signals. Problems and warnings are
    sorted by position.

    ``folder`` is the kernel's current folder, ``intent`` the person's request, ``original`` the
    code that the request was about, ``own_code`` that which the suggestion would replace. With the
    mode ``agent``, no files are looked at; with ``change``, the request asks for a change of data;
    with ``repair``, the code is another attempt after ``original``. The check stops after
    ``seconds``. Never raises: if an analysis fails, problems may be missing.
    """
    warnings: list[dict[str, Any]] = []
    signals: list[dict[str, Any]] = []
    if len(code) > _LONGEST_PARSED:
        return {"problems": [], "warnings": warnings, "signals": signals}
    deadline = time.monotonic() + seconds
    source = Source(code)
    problems = Problems(source.text, source.indent, limit, deadline)
    tree = source.tree
    if source.error is not None:
        message = str(source.error.msg or "invalid syntax")
        problems.deadline = math.inf  # parsing may have taken longer
        problems.add(syntax_position(source.error, source.text), "syntax", "", message)
    elif tree is not None and _is_checked(tree, source, code):
        with contextlib.suppress(Exception):
            problems.check_time()
            check_unchanged(tree, original, mode, problems)
        plain = plain_variables(variables)
        flow = Flow(problems, plain, folder or "", source)
        with contextlib.suppress(Exception):  # an error of ours must not hide the other problems
            _check_names(tree, plain, source, problems, flow)
        with contextlib.suppress(Exception):
            flow.folder = "" if mode == "agent" else folder or os.getcwd()
            flow.run(tree)
            if mode == "change":
                check_shown_copy(flow, tree)
            if mode == "repair":
                check_relation(flow, tree, original)
            check_names_of_request(flow, tree, intent, original + own_code)
        with contextlib.suppress(Exception):
            problems.check_time()
            warnings = find_overwrites(source, plain, own_code, deadline, flow.folder)
        signals = flow.signals
    return {"problems": problems.sorted(), "warnings": warnings, "signals": signals}


def _is_checked(tree: ast.Module, source: Source, code: str) -> bool:
    if source.is_foreign or len(code) > _LONGEST_CODE:
        return False
    return depth(tree, _DEEPEST) < _DEEPEST


def _check_names(
    tree: ast.Module, variables: dict[str, Any], source: Source, problems: Problems, flow: Flow
) -> None:
    if source.may_define_names:
        return
    builtin_names = {name for name in dir(builtins) if type(name) is str}

    def report(node: ast.AST, name: str, visible: set[str]) -> None:
        if problems.is_full:
            return
        is_private = name.startswith("_")
        names = [other for other in visible if is_private or not other.startswith("_")]
        near = problems.near(name, sorted(names))
        candidates = [other for other in near if similarity(name, other) >= CLEAR_SIMILARITY]
        statement = import_of(name, problems.text_after(node))
        meant = ""
        if not candidates and not statement:
            # Only a clear misspelling means a built-in name.
            candidates = [other for other in near if other not in builtin_names]
            frames, meant = frames_meant_by(name)
            meant = "" if candidates else meant
            candidates = list(dict.fromkeys([*frames, *candidates]))[:MAX_CANDIDATES]
        dtype = name if name in _DTYPES else WRONG_DTYPES.get(name)
        if dtype and not candidates and problems.text_before(node).endswith("astype("):
            meant = repr(dtype)
            candidates = [meant]
        message = f"The name {name!r} is not defined."
        more = {"statement": statement, "correction": meant}
        problems.add(node, "undefined_name", name, message, candidates, **more)

    @lru_cache(maxsize=64)
    def frames_meant_by(name: str) -> tuple[list[str], str]:
        return meant_frames(tree, name, flow.frames())

    NameChecker(set(variables) | builtin_names, report, problems.check_time).check(tree)


_MESSAGES = {
    "document": "This code is changed. Add only comments and docstrings.",
    "test": "This code is changed. Keep it, and add only tests below it.",
}


def check_unchanged(tree: ast.Module, original: str, mode: str, problems: Problems) -> None:
    """Report the first statement that differs from ``original``, and missing tests."""
    old_tree = Source(original).tree if mode in _MESSAGES and tree.body else None
    if old_tree is None:
        return
    old, new = _without_docstring(old_tree), _without_docstring(tree)
    added = new[len(old) :]
    if mode == "test":
        new = new[: len(old)]
    changed = _first_change(old, new, problems)
    if changed is not None:
        problems.add(changed, "changed_code", "", _MESSAGES[mode])
    elif len(new) < len(old):
        problems.add(tree.body[-1], "changed_code", "", _MESSAGES[mode])
    elif mode == "test" and not any(map(_has_assertion, added)):
        message = "There are no tests. Add assert statements below the code."
        problems.add(tree.body[-1], "no_tests", "", message)


def _first_change(old: list[ast.stmt], new: list[ast.stmt], problems: Problems) -> ast.stmt | None:
    for before, after in zip(old, new):
        problems.check_time()
        if _text(before) != _text(after):
            inner = None
            if _text(before, with_body=False) == _text(after, with_body=False):
                # Only the body differs, so look for the change in it.
                inner = _first_change(
                    _without_docstring(before), _without_docstring(after), problems
                )
            return inner or after
    return new[len(old)] if len(new) > len(old) else None


def _text(node: ast.stmt, with_body: bool = True) -> str:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return ast.dump(node)
    copy = type(node)(**dict(ast.iter_fields(node)))
    copy.body = []
    head = ast.dump(copy)
    if not with_body:
        return head
    return head + "".join(_text(child) for child in _without_docstring(node))


def _without_docstring(node: ast.AST) -> list[ast.stmt]:
    body: list[ast.stmt] = getattr(node, "body", [])
    first = body[0] if body else None
    is_docstring = (
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module))
        and isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return body[1:] if is_docstring else body


def _has_assertion(node: ast.stmt) -> bool:
    for child in ast.walk(node):
        if isinstance(child, ast.Assert):
            return True
        if isinstance(child, ast.Call):
            function = child.func
            name = getattr(function, "attr", "") or getattr(function, "id", "")
            if name.lower().startswith("assert"):
                return True
    return False
