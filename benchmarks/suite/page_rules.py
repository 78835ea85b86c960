"""The page's rules for the context and the texts of a request, in Python.

Each function mirrors one of the frontend, which its docstring names.
``src/ask/model/context/attachmentCases.json`` has cases that the tests of both run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

MAX_ATTACHED = 5
MAX_VARIABLES = 30
MAX_FACTS = 5
_DATA_KIND = re.compile(r"(numpy\.ndarray|(pandas|polars)\.\w+|(list|dict|set|tuple) of )", re.A)
_DATA_FILE = re.compile(
    r"[^\s'\"]\.(csv|tsv|parquet|pq|xlsx?|xlsm|jsonl?|ndjson)(?![A-Za-z0-9_])", re.IGNORECASE
)


def attach(described: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Return the DataFrames and variables of a request's context.

    ``texts`` are the intent, the cell's code and the code of the cell above.
    """
    return {
        "dataframes": named_frames(described["frames"], described["variables"], texts),
        "variables": relevant_variables(described["variables"], texts),
    }


def named_frames(
    frames: list[dict[str, Any]], variables: list[dict[str, Any]], texts: Sequence[str]
) -> list[dict[str, Any]]:
    """``namedFrames`` of ``src/ask/model/context/attachments.ts``."""
    named = [frame for frame in frames if any(mentions(text, frame["name"]) for text in texts)]
    if not named and len(frames) == 1:
        return [] if _is_about_other_data(texts[0], variables) else list(frames)
    return named[:MAX_ATTACHED]


def _is_about_other_data(intent: str, variables: list[dict[str, Any]]) -> bool:
    return _DATA_FILE.search(intent) is not None or any(
        _DATA_KIND.match(variable["kind"])
        and not re.fullmatch(r"\w{1,2}", variable["name"], re.A)
        and mentions(intent, variable["name"])
        for variable in variables
    )


def relevant_variables(
    variables: list[dict[str, Any]], texts: Sequence[str]
) -> list[dict[str, Any]]:
    """``relevantVariables`` of ``src/ask/model/context/attachments.ts``."""
    listed = [variable for variable in variables if variable["kind"] != "module"]
    named = [item for item in listed if any(mentions(text, item["name"]) for text in texts)]
    return [*named, *(item for item in listed if item not in named)][:MAX_VARIABLES]


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name as a word: ``mentions`` of ``…/context/attachments.ts``."""
    is_ascii = re.fullmatch(r"\w+", name, re.A) is not None
    at = text.find(name)
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(name) : at + len(name) + 1]
        if not is_ascii or not re.search(r"\w", around, re.A):
            return True
        at = text.find(name, at + 1)
    return False


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
