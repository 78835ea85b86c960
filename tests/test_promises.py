"""``docs/promises.md`` is true: each promise has tests that name it, where the table says."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ("tests/**/test_*.py", "ui-tests/tests/*.spec.ts", "src/**/*.spec.ts", "src/**/*.spec.tsx")


def named_in_tests() -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for pattern in TESTS:
        for path in ROOT.glob(pattern):
            for number in re.findall(r"\bP(\d{1,2})\b", path.read_text("utf-8")):
                found.setdefault(int(number), set()).add(path.relative_to(ROOT).as_posix())
    return found


def named_in_docs() -> dict[int, set[str]]:
    rows = re.findall(
        r"^\| P(\d+) \|[^|]*\|([^|]*)\|$", (ROOT / "docs/promises.md").read_text(), re.M
    )
    return {int(number): set(re.findall(r"`([^`]+)`", files)) for number, files in rows}


def test_every_promise_is_held_by_the_tests_that_the_table_names():
    docs = named_in_docs()
    assert set(docs) == set(range(1, 39))
    assert docs == {number: files for number, files in named_in_tests().items() if number in docs}
