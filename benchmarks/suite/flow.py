"""Ask a model for the answer to an item, stage by stage, as the page does.

``plain`` is a request of its own with the cells above only. The other stages are one course of the
page, and each continues from the one before: ``context`` adds the DataFrames and variables of the
kernel; ``corrected`` checks this first answer and makes the obvious corrections; ``repair`` has the
model correct the remaining problems; ``run`` runs the answer and has the model correct its errors.
On the page, the person decides about the last two. Tokens and seconds are sums since the person's
request.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from ..notebook_kernel import Kernel, Output
from . import page_rules
from .failures import failure_class
from .items import Item
from .notebook import Notebook
from .server import Answer

STAGES = ("plain", "context", "corrected", "repair", "run")
MAX_REPAIRS = 2
MAX_RUN_REPAIRS = 2
UNUSABLE = ("bad_answer", "answer_cut")

Judge = Callable[[Item, Notebook, str], tuple[Output, bool]]
"""Runs the code of an answer in the notebook; returns its output and whether it is right."""


class Model(Protocol):
    """A model behind the server."""

    @property
    def is_small(self) -> bool: ...

    def ask(self, body: dict[str, Any]) -> Answer: ...


@dataclass(frozen=True)
class Spent:
    """The sums over the requests since the person's request."""

    tokens: int = 0
    seconds: float = 0.0
    requests: int = 0


@dataclass(frozen=True)
class Stage:
    """The result of one stage of an item."""

    right: bool
    ran: bool
    failure: str | None
    tokens: int
    seconds: float
    requests: int
    code: str
    error: str | None = None
    problems: tuple[str, ...] | None = None
    """The kinds of the problems that the check reports; None if it didn't run."""
    marks: tuple[str, ...] | None = None
    """The kinds of the problems and signals that the page shows with this answer."""


class Course:
    """Sends the requests of one item."""

    def __init__(self, model: Model, item: Item, notebook: Notebook, examples: int) -> None:
        self._model, self._item, self._notebook = model, item, notebook
        self._kernel: Kernel = notebook.kernel
        self._examples = examples
        self._is_small = model.is_small
        self._check_mode = "change" if page_rules.asks_for_change(item.request) else ""
        self._cell = ""
        self.spent = Spent()

    def first(self, with_context: bool) -> Answer:
        """Send the person's request for a cell without history."""
        self._cell = f"cell-{secrets.token_hex(6)}"
        self.spent = Spent()
        return self._ask(with_context=with_context)

    def check(self, answer: Answer) -> list[dict[str, Any]]:
        """Return the problems of an answer; none if it has no code."""
        return self._kernel.check(answer.code, self._check_mode) if _has_code(answer) else []

    def correct(self, answer: Answer, problems: list[dict[str, Any]]) -> Answer:
        """Have the problems corrected, and return the answer with the fewest problems."""
        requests = MAX_REPAIRS
        while self._is_small and answer.error in UNUSABLE and requests:
            requests -= 1
            answer = self._ask(mode="retry")
            problems = self.check(answer)
        if not _has_code(answer):
            return answer
        best, problems = self.correct_obvious(answer, problems)
        for _ in range(requests):
            if not any(map(page_rules.is_for_model, problems)):
                break
            attempt = self._attempt(best, problems)
            if not _has_code(attempt):
                break
            attempt, remaining = self.correct_obvious(attempt, self.check(attempt))
            if len(remaining) < len(problems):
                best, problems = attempt, remaining
            elif not self._is_small:
                break
        return best

    def _attempt(self, answer: Answer, problems: list[dict[str, Any]]) -> Answer:
        """Ask a small model for another answer, and any other model to correct its answer."""
        if self._is_small:
            return self._ask(mode="retry")
        intent = page_rules.repair_request(problems)
        return self._send(intent, answer.code, mode="repair", parentTurnId=answer.turn_id)

    def correct_obvious(
        self, answer: Answer, problems: list[dict[str, Any]]
    ) -> tuple[Answer, list[dict[str, Any]]]:
        """Make the obvious corrections, unless no fewer problems would remain."""
        code = page_rules.correct_obvious(answer.code, problems)
        corrected = replace(answer, code=code)
        remaining = self.check(corrected) if corrected != answer else problems
        is_valid = all(problem["kind"] != "syntax" for problem in remaining)
        if is_valid and len(remaining) < len(problems):
            return corrected, remaining
        return answer, problems

    def fix(self, answer: Answer, message: str) -> Answer:
        """Have the error of a run corrected. The cell has the code that failed."""
        if self._is_small:
            fixed = self._ask(mode="retry")
        else:
            problems = self.check(answer)
            intent = page_rules.fix_request(message, problems)
            fixed = self._send(intent, answer.code, cell=answer.code, mode="repair")
        if not _has_code(fixed):
            return answer
        return self.correct(fixed, self.check(fixed))

    def _ask(self, **more: Any) -> Answer:
        """Send the person's request."""
        source = self._item.source
        return self._send(self._item.request, source, cell=source, **more)

    def _send(
        self, intent: str, source: str, *, cell: str = "", with_context: bool = True, **more: Any
    ) -> Answer:
        cells = self._item.cells
        context: dict[str, Any] = {
            "cells": [{"cellType": "code", "source": source} for source in cells]
        }
        if with_context:
            texts = [intent, cell, cells[-1] if cells else ""]
            described = self._kernel.describe(self._examples)
            context |= page_rules.attach(described, texts)
        body = {
            "notebookId": "benchmark",
            "notebookPath": "benchmark.ipynb",
            "cellId": self._cell,
            "intent": intent,
            "source": source,
            "language": "python",
            "context": context,
        }
        answer = self._model.ask(body | more)
        spent = self.spent
        self.spent = Spent(
            spent.tokens + answer.tokens, spent.seconds + answer.seconds, spent.requests + 1
        )
        return answer


def run_item(
    model: Model,
    item: Item,
    notebook: Notebook,
    judge: Judge,
    examples: int,
    first_answer: bool = False,
) -> dict[str, dict[str, Any]]:
    """Return the results of the stages of an item, by the names of the stages.

    With ``first_answer``, the model is asked one time, for ``context`` and ``corrected``.
    """
    stages: dict[str, Stage] = {}
    if not first_answer:
        course = Course(model, item, notebook, examples)
        notebook.restore(item)
        answer = course.first(with_context=False)
        judged = _judged(answer, item, notebook, judge)
        stages["plain"] = _stage(answer, judged, course.spent)
    stages |= run_course(model, item, notebook, judge, examples, first_answer)
    return {name: asdict(stage) for name, stage in stages.items()}


def run_course(
    model: Model,
    item: Item,
    notebook: Notebook,
    judge: Judge,
    examples: int,
    first_answer: bool = False,
) -> dict[str, Stage]:
    """Return the results of the stages of the page's course: all but ``plain``."""
    course = Course(model, item, notebook, examples)
    stages: dict[str, Stage] = {}
    notebook.restore(item)
    answer = course.first(with_context=True)
    first_spent = course.spent
    problems = course.check(answer)
    corrected, _ = course.correct_obvious(answer, problems)
    following = [("corrected", corrected, first_spent)]
    if not first_answer:
        # The problems are corrected before anything runs, so the answers run afterwards.
        following.append(("repair", course.correct(answer, problems), course.spent))
    judged = _judged(answer, item, notebook, judge)
    kinds = tuple(problem["kind"] for problem in problems)
    stages["context"] = replace(_stage(answer, judged, first_spent), problems=kinds)
    for name, attempt, spent in following:
        if attempt != answer:
            notebook.restore(item)
            judged = _judged(attempt, item, notebook, judge)
        answer = attempt
        stages[name] = _stage(answer, judged, spent)
    if first_answer:
        return stages

    failed_codes = {answer.code}
    for _ in range(MAX_RUN_REPAIRS):
        if judged.output.error is None:
            break
        answer = course.fix(answer, judged.output.message)
        if answer.code in failed_codes:
            break
        failed_codes.add(answer.code)
        # As on the page, the kernel keeps what the failed code has changed.
        judged = _judged(answer, item, notebook, judge)
    stages["run"] = _stage(answer, judged, course.spent)
    return stages


@dataclass(frozen=True)
class _Judged:
    """The run of an answer."""

    output: Output = field(default_factory=lambda: Output("", "", None))
    right: bool = False
    marks: tuple[str, ...] = ()


def _judged(answer: Answer, item: Item, notebook: Notebook, judge: Judge) -> _Judged:
    """Run and judge an answer, and note what the page shows with it, before and after the run."""
    if not _has_code(answer):
        return _Judged()
    code, kernel = answer.code, notebook.kernel
    is_change = page_rules.asks_for_change(item.request)
    marks = kernel.check(code, "change" if is_change else "")
    marks += kernel.early_signals(code, item.source, item.request)
    state = kernel.state(code)
    output, right = judge(item, notebook, code)
    if output.error is None:
        marks += kernel.signals(code, state, output.text, item.source, is_change)
    return _Judged(output, right, tuple(mark["kind"] for mark in marks))


def _has_code(answer: Answer) -> bool:
    return bool(answer.code.strip()) and answer.error is None


def _stage(answer: Answer, judged: _Judged, spent: Spent) -> Stage:
    """Return the result of a stage. An answer with an error or without code isn't right."""
    output, right = judged.output, judged.right
    ran = _has_code(answer) and output.error is None
    code = answer.code if _has_code(answer) else ""
    return Stage(
        right=right and ran,
        ran=ran,
        failure=failure_class(code, output.error, right),
        tokens=spent.tokens,
        seconds=round(spent.seconds, 2),
        requests=spent.requests,
        code=answer.code,
        error=answer.error or output.error,
        marks=judged.marks,
    )
