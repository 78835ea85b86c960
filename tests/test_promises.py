"""``docs/promises.md`` is true: each promise has tests that name it, where the table says.

    python -m tests.test_promises

writes the table's last column anew.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs/promises.md"
TESTS = ("tests/**/test_*.py", "ui-tests/tests/*.spec.ts", "src/**/*.spec.ts", "src/**/*.spec.tsx")
ROW = re.compile(r"^\| P(\d+) \|([^|]*)\|([^|]*)\|$", re.MULTILINE)


def named_in_tests() -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for pattern in TESTS:
        for path in ROOT.glob(pattern):
            for number in re.findall(r"\bP(\d{1,2})\b", path.read_text("utf-8")):
                found.setdefault(int(number), set()).add(path.relative_to(ROOT).as_posix())
    return found


def named_in_docs() -> dict[int, set[str]]:
    rows = ROW.findall(TABLE.read_text("utf-8"))
    return {int(number): set(re.findall(r"`([^`]+)`", files)) for number, _, files in rows}


def write() -> None:
    """Write where each promise is held."""
    tests = named_in_tests()

    def row(match: re.Match[str]) -> str:
        files = ", ".join(f"`{file}`" for file in sorted(tests[int(match[1])]))
        return f"| P{match[1]} |{match[2]}| {files} |"

    TABLE.write_text(ROW.sub(row, TABLE.read_text("utf-8")), "utf-8")


def test_every_promise_is_held_by_the_tests_that_the_table_names() -> None:
    docs = named_in_docs()
    assert set(docs) >= set(range(1, 39))
    tests = {number: files for number, files in named_in_tests().items() if number in docs}
    assert docs == tests, "python -m tests.test_promises writes the table anew"


if __name__ == "__main__":
    write()
