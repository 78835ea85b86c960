"""The questions of DABench about a CSV file that the cell above reads."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from ..items import Item
from ..sources import DATA, sources

NAME = "dabench"
_FOLDER = "examples/DA-Agent/data"


def items(failing: Collection[str]) -> Iterator[Item]:
    """Yield the questions: all that were fetched, or else those in the repository."""
    questions, labels, tables = _paths()
    answers = {
        row["id"]: tuple((name, value) for name, value in row["common_answers"])
        for row in map(json.loads, labels.read_text("utf-8").splitlines())
    }
    for line in questions.read_text("utf-8").splitlines():
        question = json.loads(line)
        table = tables / question["file_name"]
        if table.exists():
            parts = (question["question"], question["constraints"], question["format"])
            yield Item(
                id=f"{NAME}/{question['id']}",
                request="\n".join(parts),
                cells=(f"import pandas as pd\n\ndf = pd.read_csv({table.name!r})",),
                files=(table,),
                labels=answers[question["id"]],
            )


def _paths() -> tuple[Path, Path, Path]:
    """Return the files of questions and of labels, and the folder of tables."""
    source = sources()[NAME]
    fetched = source.path(f"{_FOLDER}/da-dev-questions.jsonl")
    if fetched.exists():
        return (
            fetched,
            source.path(f"{_FOLDER}/da-dev-labels.jsonl"),
            fetched.parent / "da-dev-tables",
        )
    folder = DATA / NAME
    return folder / "questions.jsonl", folder / "labels.jsonl", folder
