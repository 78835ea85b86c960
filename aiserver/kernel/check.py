"""Check a suggestion against the state of the kernel, without running anything.

A problem is a dict with these keys:

- ``line`` (from 1), ``column`` (from 0, in characters), ``end_line`` and ``end_column`` (exclusive)
- ``kind``: ``syntax``, ``undefined_name``, ``missing_column``, ``missing_module``,
  ``missing_attribute``, ``unknown_argument``, ``missing_file``, ``not_numbers``, ``not_dates``,
  ``not_text``, ``not_aligned``, ``changed_code`` or ``no_tests``
- ``name`` and ``message``; for the kinds that begin with ``not_``, ``name`` is the wrong code
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
from .inspection.imports import import_of
from .inspection.objects import plain_variables
from .overwrites.overwrites import find_overwrites
from .problems import CLEAR_SIMILARITY, MAX_CANDIDATES, Problems, similarity
from .scopes.names import NameChecker
from .source import Source, depth, syntax_position
from .unchanged import check_unchanged

_LONGEST_CODE = 100_000  # characters; in longer code, only the syntax is checked
_LONGEST_PARSED = 300_000  # characters; longer code isn't checked at all
_DEEPEST = 150  # levels of the syntax tree; from this depth on, only the syntax is checked


def check(code: str, variables: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    """Return only the problems of ``check_suggestion``."""
    problems: list[dict[str, Any]] = check_suggestion(code, variables, **options)["problems"]
    return problems


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
) -> dict[str, list[dict[str, Any]]]:
    """Return the ``problems`` of a suggestion, at most ``limit``, and the ``warnings`` about it.

    Both are sorted by position. ``overwrites.py`` describes the warnings.

    ``variables`` is the namespace in which the suggestion would run, and ``folder`` is the kernel's
    current folder. ``mode`` is the mode of the request, and ``original`` the code that it was about
    (``unchanged.py``). ``own_code`` is the cell's code, which the suggestion would replace. The
    check stops after ``seconds``. Never raises: if an analysis fails, problems may be missing.
    """
    warnings: list[dict[str, Any]] = []
    if len(code) > _LONGEST_PARSED:
        return {"problems": [], "warnings": warnings}
    deadline = time.monotonic() + seconds
    source = Source(code)
    problems = Problems(source.text, source.indent, limit, deadline)
    tree = source.tree
    if source.error is not None:
        message = str(source.error.msg or "invalid syntax")
        problems.deadline = math.inf  # parsing alone may have taken longer
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
            flow.folder = folder or os.getcwd()
            flow.run(tree)
        with contextlib.suppress(Exception):
            problems.check_time()
            warnings = find_overwrites(source, plain, own_code, deadline, folder or os.getcwd())
    return {"problems": problems.sorted(), "warnings": warnings}


def _is_checked(tree: ast.Module, source: Source, code: str) -> bool:
    """Return whether more than the syntax is checked."""
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
            # Except for clear misspellings, a name never means a built-in name.
            candidates = [other for other in near if other not in builtin_names]
            frames, meant = frames_meant_by(name)
            meant = "" if candidates else meant
            candidates = list(dict.fromkeys([*frames, *candidates]))[:MAX_CANDIDATES]
        message = f"The name {name!r} is not defined."
        more = {"statement": statement, "correction": meant}
        problems.add(node, "undefined_name", name, message, candidates, **more)

    @lru_cache(maxsize=64)
    def frames_meant_by(name: str) -> tuple[list[str], str]:
        return meant_frames(tree, name, flow.frames())

    NameChecker(set(variables) | builtin_names, report, problems.check_time).check(tree)
