"""The stages of an item, with a scripted model and a kernel that only knows names."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.notebook_kernel import Output
from benchmarks.suite.flow import run_item
from benchmarks.suite.items import Item
from benchmarks.suite.judges import Judges
from benchmarks.suite.notebook import CellsFailed
from benchmarks.suite.results import ResultFile, read
from benchmarks.suite.run import run_items
from benchmarks.suite.server import Answer

ITEM = Item("s/1", "Sum of a", ("df = 1",), solution="df")
FRAME = {"name": "df", "columns": []}


class ScriptedModel:
    """Answers requests with the given codes, one after the other."""

    def __init__(self, *codes: str, is_small: bool = False) -> None:
        self._codes = list(codes)
        self.is_small = is_small
        self.bodies: list[dict[str, Any]] = []

    def ask(self, body: dict[str, Any]) -> Answer:
        self.bodies.append(body)
        code = self._codes.pop(0)
        error = None if code else "bad_answer"
        return Answer(code, 1.0, 10, error, turn_id=len(self.bodies))


def check(code: str, mode: str = "") -> list[dict[str, Any]]:
    """Report one problem for each word ``wrong``."""
    wrong = {"line": 1, "kind": "missing_column", "message": "No column.", "candidates": []}
    wrong |= {"import": "", "correction": ""}
    missing = wrong | {"kind": "missing_module"}
    undefined = wrong | {"kind": "undefined_name", "import": "load np"}
    obvious = [] if "load np" in code else [undefined] * code.count("np.")
    return [wrong] * code.count("wrong") + [missing] * code.count("import") + obvious


class FakeNotebook:
    """A notebook whose kernel has one DataFrame; ``restored`` counts the calls of ``restore``."""

    def __init__(self) -> None:
        self.restored = 0
        described = {"frames": [FRAME], "variables": []}
        self.kernel: Any = SimpleNamespace(
            check=check,
            describe=lambda examples: described,
            early_signals=lambda code, own_code, intent: [],
            state=lambda code: code,
            signals=self.signals,
        )

    def signals(
        self, code: str, state: str, output: str, own_code: str, is_change: bool
    ) -> list[dict[str, Any]]:
        assert state == code
        return [{"kind": "no_rows"}] * code.count("empty")

    def restore(self, item: Item) -> None:
        self.restored += 1
        if "broken" in item.id:
            raise CellsFailed("NameError")


def judge(item: Item, notebook: Any, code: str) -> tuple[Output, bool]:
    if "fail" in code:
        return Output("", "", "KeyError", "KeyError: 'b'"), False
    return Output("", "", None), "right" in code


def run(*codes: str, is_small: bool = False) -> tuple[dict[str, dict[str, Any]], ScriptedModel]:
    model = ScriptedModel(*codes, is_small=is_small)
    notebook: Any = FakeNotebook()
    return run_item(model, ITEM, notebook, judge, 2), model


def failures(stages: dict[str, dict[str, Any]]) -> list[str | None]:
    return [stage["failure"] for stage in stages.values()]


def test_a_right_answer_needs_two_requests() -> None:
    stages, model = run("x = 2", "right")
    assert failures(stages) == ["wrong value", None, None, None, None]
    plain, context = (body["context"] for body in model.bodies)
    assert "dataframes" not in plain
    assert context["dataframes"] == [FRAME]
    assert plain["cells"] == context["cells"] == [{"cellType": "code", "source": "df = 1"}]
    assert model.bodies[0]["cellId"] != model.bodies[1]["cellId"]
    assert stages["context"]["problems"] == ()
    assert (stages["run"]["requests"], stages["run"]["tokens"]) == (1, 10)


def test_problems_are_corrected_before_the_answer_runs() -> None:
    stages, model = run("right", "wrong wrong fail", "wrong fail", "right")
    assert failures(stages) == [None, "missing column", "missing column", None, None]
    assert stages["context"]["problems"] == ("missing_column", "missing_column")
    assert [stage["requests"] for stage in stages.values()] == [1, 1, 1, 3, 3]
    assert stages["repair"]["seconds"] == 3.0
    repair = model.bodies[2]
    assert (repair["mode"], repair["parentTurnId"]) == ("repair", 2)
    assert repair["source"] == "wrong wrong fail"
    assert repair["intent"].startswith("Fix these problems:\nLine 1: No column.")


def test_a_small_model_is_asked_for_other_answers():
    stages, model = run("1", "wrong wrong", "wrong wrong", "right", is_small=True)
    assert failures(stages)[-2:] == [None, None]
    assert [body.get("mode") for body in model.bodies] == [None, None, "retry", "retry"]
    assert model.bodies[3]["intent"] == ITEM.request


def test_the_first_answer_is_marked_and_corrected_without_the_model() -> None:
    model, notebook = ScriptedModel("np.right wrong empty", "right fail"), FakeNotebook()
    fake: Any = notebook
    stages = run_item(model, ITEM, fake, judge, 2, first_answer=True)
    assert list(stages) == ["context", "corrected"]
    assert stages["context"]["marks"] == ("missing_column", "undefined_name", "no_rows")
    assert stages["corrected"]["marks"] == ("missing_column", "no_rows")
    assert stages["corrected"]["code"] == "load np\nnp.right wrong empty"
    assert (len(model.bodies), notebook.restored) == (1, 2)
    stages = run_item(model, ITEM, fake, judge, 2, first_answer=True)
    assert stages["corrected"]["marks"] == ()


def test_errors_of_a_run_are_corrected_two_times_at_most() -> None:
    stages, model = run("right", "fail", "fail 2", "fail 3")
    assert failures(stages)[-1] == "missing column"
    assert stages["run"]["requests"] == 3
    fix = model.bodies[2]
    assert fix["intent"] == "Fix this error:\nKeyError: 'b'"
    assert "parentTurnId" not in fix


def test_finished_items_are_not_asked_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(Judges, "prepare", lambda self, item, notebook: True)
    monkeypatch.setattr(Judges, "judge", staticmethod(judge))
    path = tmp_path / "results.jsonl"
    items = [ITEM, Item("s/broken", "x", solution="x"), Item("s/2", "Mean", solution="x")]

    def start(*codes: str) -> ScriptedModel:
        model = ScriptedModel(*codes)
        notebook: Any = FakeNotebook()
        file = ResultFile(path)
        run_items(model, items, notebook, file, run="1", model_id="local:a", examples=0)
        return model

    start("right", "right", "right", "right")
    assert [line["item"] for line in read([path])] == ["s/1", "s/2"]
    assert start().bodies == []
    assert len(read([path])) == 2
