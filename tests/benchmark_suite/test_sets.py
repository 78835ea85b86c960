"""The sets: scaffolds are removed, and what the code needs is in the cells above."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.notebook_kernel import Output
from benchmarks.suite import fetch, sources
from benchmarks.suite.collection import SETS
from benchmarks.suite.ds1000_test import passes
from benchmarks.suite.fetch import WrongChecksum
from benchmarks.suite.items import Item
from benchmarks.suite.judge import Record
from benchmarks.suite.notebook import CellsFailed
from benchmarks.suite.sets import chinese, dabench, ds1000, numpy_exercises, pandas_exercises
from benchmarks.suite.sets.pandas_puzzles import split_setup
from benchmarks.suite.sources import Source, sha256
from benchmarks.suite.verify import reason_to_exclude

PROMPT = """Problem:
How do I double every value of `df`?
A:
<code>
import pandas as pd
df = pd.DataFrame({"a": [1, 2]})
</code>
result = ... # put solution in this variable
BEGIN SOLUTION
<code>
"""
PLOT = """import matplotlib.pyplot as plt
x = [1, 2]

# Plot x with a title
# and a grid
# SOLUTION START
"""
FUNCTION = PROMPT.replace("result = ... # put solution in this variable", "def f(df):")
TEST = '''
def test_execution(solution):
    env = {"test_input": 2}
    exec("""value = test_input
[insert]
""".replace("[insert]", solution), env)
    assert env["result"] == 4


def test_string(solution):
    assert "for" not in solution
'''


def problem(prompt: str, library: str = "Pandas") -> dict[str, Any]:
    metadata = {"library": library, "library_problem_id": 7}
    return {"prompt": prompt, "metadata": metadata, "code_context": TEST, "reference_code": "x"}


def test_a_problem_of_ds1000_has_no_scaffold() -> None:
    item = ds1000.to_item(problem(PROMPT))
    assert item is not None
    assert item.id == "ds1000/pandas-7"
    assert item.request == ("How do I double every value of `df`?\nPut the solution into `result`.")
    assert item.cells == ('import pandas as pd\ndf = pd.DataFrame({"a": [1, 2]})',)
    assert item.test == TEST


def test_the_request_of_a_plot_is_in_its_comments() -> None:
    item = ds1000.to_item(problem(PLOT, "Matplotlib"))
    assert item is not None
    assert item.request == "Plot x with a title\nand a grid"
    assert item.cells == ("import matplotlib.pyplot as plt\nx = [1, 2]",)


@pytest.mark.parametrize("prompt", [FUNCTION, "Problem: none"])
def test_other_problems_are_left_out(prompt: str) -> None:
    assert ds1000.to_item(problem(prompt)) is None
    assert ds1000.to_item(problem(PROMPT, "Pytorch")) is None


@pytest.mark.parametrize(
    ("code", "is_correct"),
    [
        ("result = value * 2", True),
        ("%matplotlib inline\nresult = value * 2", True),
        ("result = value", False),
        ("result = 0\nfor _ in range(4): result += 1", False),
        ("raise SystemExit(1)", False),
    ],
)
def test_the_test_of_ds1000_decides(code: str, is_correct: bool) -> None:
    assert passes(TEST, code) is is_correct


def test_steps_of_a_notebook_follow_each_other() -> None:
    items = [item for item in pandas_exercises.items([]) if "fictional_army" in item.id]
    assert [item.id for item in items[:3]] == [
        f"pandas_exercises/fictional_army/{step}" for step in (2, 3, 4)
    ]
    fourth = items[2]
    assert fourth.request == "Set the 'origin' colum as the index of the dataframe"
    assert fourth.cells == (*items[1].cells, items[1].solution)
    assert len(items) == 17


def test_the_code_of_a_failing_step_is_left_out() -> None:
    failing = "pandas_exercises/fictional_army/3"
    items = {item.id: item for item in pandas_exercises.items([failing])}
    assert items[failing].solution not in items["pandas_exercises/fictional_army/4"].cells


def test_questions_of_dabench_read_their_file() -> None:
    items = list(dabench.items([]))
    assert len(items) >= 52
    assert all(item.files[0].exists() and item.labels for item in items)
    assert items[0].cells[0].startswith("import pandas as pd\n\ndf = pd.read_csv(")


def test_the_setup_of_a_solution_becomes_a_cell() -> None:
    frame = "df = pd.DataFrame({'a': [1]})"
    assert split_setup(f"{frame}\n\ndf.sum()") == (frame, "df.sum()")
    assert split_setup(f"x = 1\n{frame}\ndf") == ("", f"x = 1\n{frame}\ndf")
    assert numpy_exercises.split("Z = 1\n# note\nprint(Z)", 1) == ("Z = 1", "# note\nprint(Z)")
    assert numpy_exercises.split("print(1)\n", 0) == ("", "print(1)")


def test_chinese_wordings_replace_the_request_only() -> None:
    wordings = chinese.wordings()
    assert len(wordings) >= 60
    item_id = "pandas_exercises/fictional_army/5"
    [item] = chinese.translated([Item(item_id, "Print", ("x",)), Item("none/1", "y")])
    assert item == Item(f"{item_id}@zh", wordings[item_id], ("x",))
    assert {item.partition("/")[0] + "@zh" for item in wordings} <= set(SETS)


def test_every_source_has_a_licence_and_sums() -> None:
    for source in sources.sources().values():
        assert source.licence
        is_pinned = len(source.revision) == 40
        assert all((total is not None) == is_pinned for total in source.files.values())
        assert source.address("a b.csv").endswith(f"{source.revision}/a%20b.csv")


def test_only_files_with_the_right_sum_are_fetched(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(sources, "FETCHED", tmp_path / "fetched")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.csv").write_text("a\n1\n")
    total = sha256(b"a\n1\n")
    right = Source("s", "owner/repo", "main", "MIT", {"a.csv": total, "b.csv": total})
    assert fetch.fetch(right, "a.csv", tmp_path, {})
    assert right.path("a.csv").read_text() == "a\n1\n"
    assert not fetch.fetch(right, "b.csv", tmp_path, {})
    unrecorded = Source("t", "owner/repo", "main", "MIT", {"a.csv": None})
    with pytest.raises(WrongChecksum, match=total):
        fetch.fetch(unrecorded, "a.csv", tmp_path, {})
    assert not unrecorded.path("a.csv").exists()
    assert fetch.fetch(unrecorded, "a.csv", tmp_path, {"a.csv": total})


class FakeNotebook:
    """A notebook in which cells named ``broken`` fail, and solutions show the given values."""

    def __init__(self, *values: Any) -> None:
        self._values = list(values)

    def restore(self, item: Item) -> None:
        if "broken" in item.cells:
            raise CellsFailed("NameError")

    def seed(self, seed: int) -> None:
        """Do nothing, as nothing is random here."""

    def run(self, code: str, shows_all: bool = False) -> tuple[Output, Record]:
        value = self._values.pop(0)
        if isinstance(value, Exception):
            return Output("", "", type(value).__name__), Record()
        return Output("", "", None), Record(displayed=[] if value is None else [value])


@pytest.mark.parametrize(
    ("item", "values", "reason"),
    [
        (Item("s/1", "Sum", solution="x"), [1, 1], None),
        (Item("s/1", "Sum", solution="x"), [1, 2], "not the same value twice"),
        (Item("s/1", "Sum", solution="x"), [None], "no value to compare"),
        (Item("s/1", "Sum", solution="x"), [KeyError()], "fails: KeyError"),
        (Item("s/1", "Sum", ("broken",), solution="x"), [], "cells above fail: NameError"),
        (Item("s/1", "Sum", labels=(("sum", "1"),)), [], None),
        (Item("s/1", "Sum", solution="result = value * 2", test=TEST), [], None),
        (Item("s/1", "Sum", solution="result = 1", test=TEST), [], "fails: its own test"),
    ],
)
def test_items_that_cannot_be_judged_are_excluded(
    item: Item, values: list[Any], reason: str | None
) -> None:
    notebook: Any = FakeNotebook(*values)
    assert reason_to_exclude(item, notebook) == reason


def test_excluded_items_have_reasons() -> None:
    folder = Path(sources.__file__).parent
    reasons = json.loads((folder / "excluded.json").read_text("utf-8"))
    assert all(item.count("/") and reason for item, reason in reasons.items())
