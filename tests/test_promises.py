"""Each promise in ``docs/promises.md`` has a test that names it.

    python -m tests.test_promises [P19 …]

prints the tests of all promises, or of the given ones.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs/promises.md"
TESTS = (
    "tests/**/test_*.py",
    "aiserver/testing/contract/*.py",
    "aiserver/testing/memory_contract.py",
    "ui-tests/tests/*.spec.ts",
    "src/**/*.spec.ts",
    "src/**/*.spec.tsx",
)
ROW = re.compile(r"^\| P(\d+) \|([^|]*)\|$", re.MULTILINE)


def tests_by_promise() -> dict[int, set[str]]:
    tests: dict[int, set[str]] = {}
    for pattern in TESTS:
        for path in ROOT.glob(pattern):
            for number in re.findall(r"\bP(\d{1,2})\b", path.read_text("utf-8")):
                tests.setdefault(int(number), set()).add(path.relative_to(ROOT).as_posix())
    return tests


def promises() -> dict[int, str]:
    return {int(number): text.strip() for number, text in ROW.findall(TABLE.read_text("utf-8"))}


def test_every_promise_has_a_test() -> None:
    numbers = promises().keys()
    assert numbers >= set(range(1, 39))
    assert numbers <= tests_by_promise().keys()


def main() -> None:
    tests, wanted = tests_by_promise(), sys.argv[1:]
    for number, text in promises().items():
        if not wanted or f"P{number}" in wanted:
            print(f"P{number}  {text}", *sorted(tests.get(number, ())), sep="\n    ")


if __name__ == "__main__":
    main()
