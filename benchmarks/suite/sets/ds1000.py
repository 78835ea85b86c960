"""The problems of DS-1000 about pandas, numpy and matplotlib, with their own tests.

A problem is a text with a scaffold: the code before the answer, in ``<code>`` or, for matplotlib,
above comments. The code becomes a cell that has run, and the rest is the request. Problems whose
answer is the body of a function can't be asked for in a cell, and are left out.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from ..items import Item
from ..sources import sources

NAME = "ds1000"
LIBRARIES = ("Pandas", "Numpy", "Matplotlib")
_SCAFFOLD = re.compile(
    r"\AProblem:\s*(?P<text>.*)\nA:\s*(?P<note>.*?)<code>\n(?P<setup>.*?)</code>\s*(?P<rest>.*)\Z",
    re.DOTALL,
)
_TARGET = re.compile(
    r"^([\w, ]+?) *= *\.\.\. *# *put solution in (this variable|these variables)", re.M
)
_PLOT_START = re.compile(r"^# SOLUTION START\s*$", re.MULTILINE)


def items(failing: Collection[str]) -> Iterator[Item]:
    """Yield the problems, if the file was fetched."""
    path = sources()[NAME].path("data/ds1000.jsonl.gz")
    if not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            item = to_item(json.loads(line))
            if item is not None:
                yield item


def to_item(problem: dict[str, Any]) -> Item | None:
    """Return the item of a problem; None if it isn't a request for a cell."""
    metadata = problem["metadata"]
    library = metadata["library"]
    if library not in LIBRARIES:
        return None
    split = _split_plot if library == "Matplotlib" else _split
    parts = split(problem["prompt"])
    if parts is None:
        return None
    request, setup = parts
    item_id = f"{NAME}/{library.lower()}-{metadata['library_problem_id']}"
    return Item(
        id=item_id,
        request=request,
        cells=(setup,) if setup else (),
        solution=problem["reference_code"],
        test=problem["code_context"],
    )


def _split(prompt: str) -> tuple[str, str] | None:
    """Split a prompt into the request and the code before the answer."""
    match = _SCAFFOLD.match(prompt)
    target = match and _TARGET.search(match["rest"])
    if not match or not target:
        return None  # the answer is a part of a function, or has another form
    names = " and ".join(f"`{name.strip()}`" for name in target[1].split(","))
    return f"{match['text'].strip()}\nPut the solution into {names}.", match["setup"].strip()


def _split_plot(prompt: str) -> tuple[str, str] | None:
    """Split a prompt about a plot: its request are the comments before the answer's place."""
    start = _PLOT_START.search(prompt)
    if not start:
        return None
    lines = prompt[: start.start()].rstrip().split("\n")
    first = len(lines)
    while first > 0 and (lines[first - 1].startswith("#") or not lines[first - 1].strip()):
        first -= 1
    comments = [line.lstrip("# ").rstrip() for line in lines[first:] if line.strip()]
    if not comments:
        return None
    return "\n".join(comments), "\n".join(lines[:first]).strip()
