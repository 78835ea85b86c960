"""Ask a model to work on real cells in each mode: fix, explain, refactor, document, test, …

    python -m benchmarks.suite.modes --output FILE [--model PROVIDER:NAME] [--limit N] [--mode MODE]

The cells are solutions of the suite's exercises and puzzles, below the cells that they need. The
request is the slash word alone, except for ``convert``, which names the target; each of its targets
has items of its own (``conversions.py``). ``RULES`` has the rule by which each mode's answer is
judged. ``benchmarks.suite.table FILE --by-set`` prints the results; each mode is a set. ``create``
and ``edit`` are what the suite itself measures.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import random
import signal
import sys
import tempfile
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..check_mutants import mutants
from ..notebook_kernel import EXAMPLES, Kernel, Output
from . import conversions, page_rules
from .collection import select
from .flow import STAGES, Course, Model, Stage, run_item
from .items import Item
from .judges import Judges
from .notebook import CellsFailed, Notebook
from .results import ResultFile, line_of
from .server import Server

MODES = (
    *("fix", "explain", "refactor", "document", "test", "visualise", "optimise"),
    *conversions.REQUESTS,
)
_SETS = ("pandas_exercises", "pandas_puzzles", "numpy_exercises")
_MIN_LENGTH = 40  # characters; shorter cells have too little to work on
_HAS_PLOT = """(lambda plt: any(
    axes.has_data() for number in plt.get_fignums() for axes in plt.figure(number).axes
))(__import__("matplotlib.pyplot").pyplot)"""

Rule = Callable[[Item, str, bool, Notebook], bool]
"""Return whether an answer that ran is right. The bool says whether it has the solution's value."""


def _same_value(item: Item, code: str, has_value: bool, notebook: Notebook) -> bool:
    return has_value


def _changed_code(item: Item, code: str, has_value: bool, notebook: Notebook) -> bool:
    return has_value and _statements(code) != _statements(item.source)


def _documented(item: Item, code: str, has_value: bool, notebook: Notebook) -> bool:
    is_same = _statements(code) == _statements(item.source)
    return is_same and _comments(code) > _comments(item.source)


def _tested(item: Item, code: str, has_value: bool, notebook: Notebook) -> bool:
    before, after = _statements(item.source), _statements(code)
    added = after[len(before) :] if after[: len(before)] == before else []
    return any("Assert(" in statement or "'assert_" in statement for statement in added)


def _plotted(item: Item, code: str, has_value: bool, notebook: Notebook) -> bool:
    return bool(notebook.kernel.value(_HAS_PLOT))


def _converted(item: Item, code: str, has_value: bool, notebook: Notebook) -> bool:
    return has_value and conversions.uses_target(item.set, code)


RULES: dict[str, Rule] = {
    "fix": _same_value,
    "refactor": _changed_code,
    "document": _documented,
    "test": _tested,
    "visualise": _plotted,
    "optimise": _changed_code,
    **dict.fromkeys(conversions.REQUESTS, _converted),
}


def _statements(code: str) -> list[str]:
    """Return the statements as text that doesn't depend on comments, docstrings and format."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return [code]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            node.body = [child for child in node.body if not _is_docstring(child)]
    return [ast.dump(node) for node in tree.body]


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _comments(code: str) -> int:
    """Return the number of comments and docstrings."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
        docstrings = sum(map(_is_docstring, _all_statements(code)))
    except (tokenize.TokenError, SyntaxError):
        return 0
    return docstrings + sum(token.type == tokenize.COMMENT for token in tokens)


def _all_statements(code: str) -> list[ast.stmt]:
    return [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]


def items_of(mode: str, notebook: Notebook, limit: int) -> Iterator[Item]:
    """Yield the items of a mode, at most ``limit``, always the same ones."""
    items = [
        item
        for item in conversions.ITEMS.get(mode, _solutions)()
        if len(item.solution or "") >= _MIN_LENGTH
    ]
    items.sort(key=lambda item: hashlib.sha256(f"{mode}/{item.id}".encode()).digest())
    count = 0
    for item in items:
        source, request = item.solution or "", conversions.REQUESTS.get(mode, f"/{mode}")
        if mode == "fix":
            broken = _broken(item, notebook)
            if broken is None:
                continue
            source, request = broken
        yield replace(item, id=f"{mode}/{item.id}", request=request, source=source)
        count += 1
        if count == limit:
            return


def _solutions() -> Iterator[Item]:
    yield from select(False, _SETS)


def _broken(item: Item, notebook: Notebook) -> tuple[str, str] | None:
    """Return the solution with a mistake with which it fails, and the page's request to fix it."""
    notebook.restore(item)
    described = notebook.kernel.describe(0)
    columns = {column["name"] for frame in described["frames"] for column in frame["columns"]}
    chance = random.Random(item.id)
    changed = list(mutants(item.solution or "", columns, set(), set(), chance, 1))
    chance.shuffle(changed)
    for mutant in changed:
        notebook.restore(item)
        output = notebook.kernel.run(mutant.code)
        if output.error:
            problems = notebook.kernel.check(mutant.code)
            return mutant.code, page_rules.fix_request(output.message, problems)
    return None


def _explain(
    model: Model, item: Item, notebook: Notebook, examples: int
) -> dict[str, dict[str, Any]]:
    """Ask for an explanation. It is right if it has words and no code; all stages are the same."""
    notebook.restore(item)
    course = Course(model, item, notebook, examples)
    answer = course.first(with_context=True)
    right = answer.error is None and bool(answer.words.strip()) and not answer.code
    stage = Stage(
        right=right,
        ran=right,
        failure=None if right else "no code",
        tokens=answer.tokens,
        seconds=round(answer.seconds, 2),
        requests=1,
        code=answer.words,
        error=answer.error,
        problems=(),
    )
    return dict.fromkeys(STAGES, asdict(stage))


def main() -> None:
    """Run the items of all modes with the server's default model, or another one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="the file of results")
    parser.add_argument("--model", default="", help="a model, as provider:name")
    parser.add_argument("--run", default="1", help="the name of the run, for the tables (1)")
    parser.add_argument("--limit", type=int, default=20, help="items of each mode (20)")
    parser.add_argument(
        "--mode", action="append", choices=MODES, help="a mode to run; may be repeated (all)"
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of a local model (1)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server ends, too
    file = ResultFile(options.output)
    file.repair()
    judges = Judges()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Server(folder, options.threads, options.model) as server, Kernel(folder) as kernel:
            model, notebook = server.model, Notebook(kernel, folder)
            examples = EXAMPLES if model.get("onThisMachine") else 0
            finished = file.finished(options.run, model["id"])
            for mode in options.mode or MODES:
                for item in items_of(mode, notebook, options.limit):
                    if item.id in finished:
                        continue
                    try:
                        stages = _run(server, item, notebook, judges, examples)
                    except CellsFailed:
                        continue
                    file.append(line_of(item, stages, options.run, model["id"]))
                    print(f"{item.id}: {stages['run']['failure'] or 'right'}", flush=True)


def _run(
    model: Model, item: Item, notebook: Notebook, judges: Judges, examples: int
) -> dict[str, dict[str, Any]]:
    """Return the results of the stages of an item."""
    if item.set == "explain":
        return _explain(model, item, notebook, examples)
    judges.prepare(item, notebook)

    def judge(item: Item, notebook: Notebook, code: str) -> tuple[Output, bool]:
        output, has_value = judges.judge(item, notebook, code)
        right = output.error is None and RULES[item.set](item, code, has_value, notebook)
        return output, right

    return run_item(model, item, notebook, judge, examples)


if __name__ == "__main__":
    main()
