"""The page's rules for the context and the texts of a request, in Python.

Each function mirrors one of the frontend, which its docstring names.
``src/ask/model/context/attachmentCases.json`` has cases that the tests of both run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from aiserver.plugins.magics.attachments import attach, mentions, named_frames, relevant_variables

__all__ = ["attach", "mentions", "named_frames", "relevant_variables"]

MAX_FACTS = 5
_CHANGE_WORDS = Path(__file__).parents[2] / "src" / "ask" / "model" / "changeWords.ts"


def asks_for_change(intent: str) -> bool:
    """``asksForChange`` of ``src/ask/model/changeWords.ts``, with the patterns of that file."""
    changes, shows = _change_patterns()
    return changes.search(intent) is not None and shows.search(intent) is None


@cache
def _change_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    source = _CHANGE_WORDS.read_text("utf-8")
    # Without the flag, only Python would count Chinese characters as a part of a word.
    patterns = re.findall(r"^  /(.*)/i;$", source, re.MULTILINE)
    changes, shows = (re.compile(pattern, re.IGNORECASE | re.ASCII) for pattern in patterns)
    return changes, shows


def repair_request(problems: Sequence[dict[str, Any]]) -> str:
    """``repairRequest`` of ``src/ask/view/problemList.tsx``, in English."""
    return "\n".join(["Fix these problems:", *map(_problem_line, problems)])


def fix_request(error: str, problems: Sequence[dict[str, Any]]) -> str:
    """``fixRequest`` of ``src/ask/view/promptLabels.ts``, in English."""
    return "\n".join(["Fix this error:", *map(_problem_line, problems[:MAX_FACTS]), error])


def _problem_line(problem: dict[str, Any]) -> str:
    """``problemLine`` of ``src/ask/model/problems.ts``."""
    line = f"Line {problem['line']}: {problem['message']}"
    if names := " or ".join(f"'{name}'" for name in problem["candidates"]):
        line += f" Did you mean {names}?"
    if package := problem.get("package"):
        line += f" The package '{package}' provides it and can be installed."
    if statement := problem.get("import"):
        line += f" '{statement}' defines it."
    return line


def correct_obvious(code: str, problems: Sequence[dict[str, Any]]) -> str:
    """``correctObvious`` of ``src/ask/model/problems.ts``."""
    statements = []
    for problem in reversed(problems):
        if problem["correction"]:
            code = _replace_name(code, problem)
        elif problem["import"] and not problem["candidates"]:
            statements.append(problem["import"])
    first_line = re.match(r"\s*%%.*\n", code)
    magic = first_line[0] if first_line else ""
    lines = "".join(f"{line}\n" for line in dict.fromkeys(statements))
    return magic + lines + code[len(magic) :]


def _replace_name(code: str, problem: dict[str, Any]) -> str:
    """``replaceName`` of ``src/ask/model/problems.ts``."""
    lines = code.split("\n")
    start = sum(len(line) + 1 for line in lines[: problem["line"] - 1]) + problem["column"]
    end = sum(len(line) + 1 for line in lines[: problem["end_line"] - 1]) + problem["end_column"]
    text, name, correction = code[start:end], problem["name"], problem["correction"]
    at = text.rfind(name)
    if at < 0:
        return code
    if quote := re.match(r"\w*([\"'])", text, re.A):
        correction = correction.replace("\\", "\\\\").replace(quote[1], "\\" + quote[1])
    return code[: start + at] + correction + code[start + at + len(name) :]


def is_for_model(problem: dict[str, Any]) -> bool:
    """``isForModel`` of ``src/ask/model/repair.ts``: installing is the person's choice."""
    return bool(problem["kind"] != "missing_module")
