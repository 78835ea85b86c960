"""Runs of cells in a real kernel, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.notebook_kernel import Kernel
from benchmarks.suite.items import Item
from benchmarks.suite.judges import Judges
from benchmarks.suite.notebook import CellsFailed, Notebook

pytestmark = pytest.mark.thorough  # they test the benchmark, not the product


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    folder = tmp_path_factory.mktemp("notebook")
    with Kernel(folder) as kernel:
        yield Notebook(kernel, folder)


@pytest.fixture
def item(tmp_path: Path) -> Item:
    path = tmp_path / "sales.csv"
    path.write_text("a\n3\n1\n")
    cells = ("import numpy as np\nimport pandas as pd", "df = pd.read_csv('sales.csv')")
    return Item("s/1", "Sum of a", cells, (path,), solution="df.a.sum()")


def test_the_state_before_an_answer_is_restored(notebook: Notebook, item: Item) -> None:
    notebook.restore(item)
    first, _ = notebook.run("df['b'] = 1\nnp.random.random()")
    notebook.restore(item)
    second, _ = notebook.run("np.random.random()")
    assert first.result == second.result
    assert notebook.kernel.value("list(df)") == ["a"]
    with pytest.raises(CellsFailed, match="NameError"):
        notebook.restore(Item("s/2", "x", ("undefined",)))


@pytest.mark.parametrize(
    ("code", "is_right"),
    [
        ("df.a.sum()", True),
        ("df.a.sum()\ndf.a.mean()", False),
        ("print(f'The sum is {df.a.sum()}.')", True),
        ("display(df.a.sum())", True),
        ("total = sum(df.a)", True),
        ("import warnings; warnings.warn('4')", False),
        ("total = sum(df.a)\nprint(total)\n%reset -f", True),
        ("for value in df.a: pass", False),
    ],
)
def test_answers_are_judged_by_their_values(
    notebook: Notebook, item: Item, code: str, is_right: bool
) -> None:
    judges = Judges()
    assert judges.prepare(item, notebook)
    notebook.restore(item)
    output, right = judges.judge(item, notebook, code)
    assert output.error is None
    assert right is is_right


def test_an_endless_answer_fails(notebook: Notebook, item: Item) -> None:
    notebook.restore(item)
    assert notebook.kernel.run("while True: pass", timeout=1).error == "TimeoutError"
    assert notebook.kernel.run("raise KeyError('b')").message.endswith("KeyError: 'b'")
