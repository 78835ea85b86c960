"""Write results without the answers, for the repository.

    python -m benchmarks.suite.publish FILE… --output benchmarks/results/NAME.jsonl

``run --output`` with the written file resumes the run. The answers to items that are held back must
not be read, and answers can contain texts of sets whose licence isn't this repository's.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from .results import Line, read

_NOT_PUBLISHED = {"code", "error"}


def without_answers(lines: Iterable[Line]) -> list[Line]:
    """Return results without the answers and the messages of errors, one for each run and item."""
    latest = {(line["model"], line["run"], line["item"]): line for line in lines}
    return [
        line
        | {
            "stages": {
                name: {key: value for key, value in stage.items() if key not in _NOT_PUBLISHED}
                for name, stage in line["stages"].items()
            }
        }
        for _, line in sorted(latest.items())
    ]


def main() -> None:
    """Join some files of results, and write them without the answers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    lines = without_answers(read(options.files))
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
