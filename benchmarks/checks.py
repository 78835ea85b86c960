"""Measure the checks of suggestions: false alarms and recall on public notebooks.

    python -m benchmarks.checks --clones FOLDER [--set NAME] [--mutants N] [--output FILE]

Each notebook runs in a real kernel, cell by cell, in a copy of its folder. Each cell is checked
before it runs. A problem in a cell that then runs without an error is a false alarm, and so is a
warning about a DataFrame that still has all its data afterwards. For recall,
mistakes are put into cells that run (``check_mutants.py``); each such cell is checked, and run in a
fork of the kernel's process. A mutant counts if it fails with an exception of its kind.

``FOLDER`` has clones of the repositories in ``SETS``, named ``owner+name``; the sets of this
repository need none. Needs ipykernel, pandas and whatever the notebooks import.
"""

from __future__ import annotations

import argparse
import base64
import collections
import json
import random
import re
import runpy
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .check_mutants import KINDS, Mutant, mutants
from .current_mutants import CURRENT_KINDS, SILENT
from .notebook_kernel import Kernel

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Set:
    """Public notebooks: their repository, its licence and where they are in it."""

    repository: str
    licence: str
    pattern: str
    without: str = "$^"


SETS = {
    "own": Set("", "see tests/data/notebooks and benchmarks/data", ""),
    "pydata": Set("wesm/pydata-book", "MIT", "*.ipynb"),
    "stefmolin": Set(
        "stefmolin/Hands-On-Data-Analysis-with-Pandas-2nd-edition", "MIT", "ch_*/*.ipynb"
    ),
    "exercises": Set("guipsamora/pandas_exercises", "BSD-3-Clause", "*/*/*olutions.ipynb"),
    "cookbook": Set("jvns/pandas-cookbook", "CC BY-SA 4.0", "cookbook/*.ipynb"),
    "handbook": Set("jakevdp/PythonDataScienceHandbook", "MIT (code)", "notebooks/*.ipynb"),
    # The data of the exercises is in justmarkham/DAT8.
    "puzzles": Set("ajcr/100-pandas-puzzles", "MIT", "*solutions.ipynb"),
}
# Errors of a text that isn't a column although it is equal to a column's name, such as `"min"` in a
# list of functions, or the attribute of something else than a DataFrame.
NOT_A_COLUMN = re.compile(r"'(?!DataFrame)\w+' object has no attribute|not a valid function name")
# The errors of operations that need another dtype.
WRONG_DTYPE = re.compile(
    r"dtype|not supported between|unsupported operand|could not convert|Can only"
)
# The part that runs in the kernel, besides the check itself.
PROBE = '''
import base64, hashlib, io, json, os, re, signal, sys, time, types

def checked(code, removed=""):
    names = dict(get_ipython().user_ns)
    names.pop(removed, None)
    start = time.perf_counter()
    result = check_suggestion(code, names)
    seconds = time.perf_counter() - start
    warned.clear()
    for warning in result["warnings"]:
        if warning["kind"] not in ("file", "reloaded"):
            frame = names[warning["name"]]
            warned[warning["name"]] = frame.copy() if hasattr(frame, "copy") else frame.clone()
    return answer({**result, "seconds": seconds})

warned = {}

def intact():
    """Return the DataFrames that were warned about, but still have all their data."""
    names = get_ipython().user_ns
    return answer({"names": [name for name in warned if has_all(names.get(name), warned[name])]})

def has_all(after, before):
    if type(after) is not type(before) or len(after) != len(before):
        return False
    columns = list(before.columns)
    if not set(columns) <= set(after.columns):
        return False
    if not hasattr(before, "index"):
        return bool(after[columns].equals(before))
    try:
        return bool(after[columns].sort_index().equals(before.sort_index()))
    except TypeError:
        return bool(after[columns].equals(before))

def answer(value):
    return base64.b64encode(json.dumps(value).encode()).decode()

def facts(names):
    pandas = sys.modules.get("pandas")
    columns = set()
    for value in list(names.values()):
        if pandas and type(value) is pandas.DataFrame:
            columns.update(name for name in value.columns if type(name) is str)
    modules = [name for name, value in names.items() if type(value) is types.ModuleType]
    return {"columns": sorted(columns), "modules": modules}

def digest(names, shown):
    """Return a hash of what a cell shows, and of its DataFrames and Series."""
    pandas = sys.modules.get("pandas")
    parts = [re.sub("0x[0-9a-f]+", "", shown)]
    for name, value in sorted(names.items()):
        if not name.startswith("_") and pandas and type(value) in (pandas.DataFrame, pandas.Series):
            parts += [name, value.head(5000).to_csv(), str(getattr(value, "dtypes", ""))]
        elif type(value) in (str, int, float, bool, list, type(None)) and not name.startswith("_"):
            parts += [name, repr(value)[:5000]]
    return hashlib.sha256("".join(parts).encode()).hexdigest()

def tried(code, removed="", seconds=20):
    """Run code in a fork of this process; return its exception's name and facts."""
    shell = get_ipython()
    receiving, sending = os.pipe()
    child = os.fork()
    if child:
        os.close(sending)
        with os.fdopen(receiving, "rb") as stream:
            data = stream.read()
        os.waitpid(child, 0)
        return answer(json.loads(data or '{"error": "died"}'))
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        sys.stdout, sys.stderr = io.StringIO(), open(os.devnull, "w")
        names = shell.user_ns
        names.pop(removed, None)
        result = {"error": "", "text": ""}
        try:
            import ast
            source = shell.transform_cell(code)
            tree = compile(source, "<mutant>", "exec", ast.PyCF_ONLY_AST)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "<mutant>", "exec"), names)
            text = ""
            if last is not None:
                shown = eval(compile(ast.Expression(last.value), "<mutant>", "eval"), names)
                text = shell.display_formatter.format(shown)[0].get("text/plain", "")
            text += sys.stdout.getvalue()
            result.update(facts(names), digest=digest(names, text))
        except BaseException as error:
            result = {"error": type(error).__name__, "text": str(error)[:200]}
        os.write(sending, json.dumps(result).encode())
    finally:
        os._exit(0)
'''


@dataclass
class Result:
    """The findings in a notebook."""

    cells: int = 0
    alarms: list[dict[str, Any]] = field(default_factory=list)
    true: int = 0
    failed: int = 0
    seconds: list[float] = field(default_factory=list)
    warnings: int = 0
    intact: list[str] = field(default_factory=list)
    # kind, is it reported, the wrong name, the error, code, has it a correction, is that right
    mutants: list[tuple[str, bool, str, str, str, bool, bool]] = field(default_factory=list)


class CheckKernel(Kernel):
    """A kernel with the check and the probe, and without traces of them in its namespace."""

    def __enter__(self) -> CheckKernel:
        super().__enter__()
        self.run("del os")
        bundle = runpy.run_path(str(ROOT / "aiserver" / "kernel" / "bundle.py"))["bundle"]()
        text = repr(bundle + PROBE)
        self.run(
            "(lambda m: (m.__dict__.update(get_ipython=get_ipython), exec("
            + text
            + ", m.__dict__), __import__('sys').modules.__setitem__('aiserver_probe', m))[2])"
            "(__import__('types').ModuleType('aiserver_probe'))"
        )
        return self

    def ask(self, function: str, *arguments: str) -> dict[str, Any]:
        """Call a function of the probe, without leaving a trace."""
        listed = ", ".join(map(repr, arguments))
        expression = f"__import__('sys').modules['aiserver_probe'].{function}({listed})"
        reply = self._client.execute_interactive(
            "",
            silent=True,
            store_history=False,
            user_expressions={"answer": expression},
            timeout=120,
            output_hook=lambda message: None,
            allow_stdin=False,
        )["content"]["user_expressions"]["answer"]
        if reply["status"] != "ok":
            raise RuntimeError("\n".join(reply.get("traceback", [])))
        answer: dict[str, Any] = json.loads(
            base64.b64decode(reply["data"]["text/plain"].strip("'"))
        )
        return answer


def cells_of(path: Path, clone: Path, clones: Path | None) -> list[str]:
    """The code cells of a notebook. Addresses of repositories become paths of their clones."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return []
    sheets = data.get("worksheets") or [data]
    cells = []
    for cell in (cell for sheet in sheets for cell in sheet.get("cells", ())):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            cells.append("".join(source) if isinstance(source, list) else source)

    def local(match: re.Match[str]) -> str:
        owner, name, path = match.groups()
        file = (clones or clone) / f"{owner}+{name}" / path
        return str(file) if file.is_file() else match.group()

    pattern = r"https://raw\.githubusercontent\.com/([\w.-]+)/([\w.-]+)/master/([^'\"\s]+)"
    return [re.sub(pattern, local, cell) for cell in cells if cell.strip()]


def measure(
    path: Path, clone: Path, clones: Path | None, most: int, kinds: list[str] | None
) -> Result:
    result = Result()
    chance = random.Random(path.name)
    deadline = time.monotonic() + 240
    with CheckKernel(path.parent) as kernel:
        for code in cells_of(path, clone, clones):
            if time.monotonic() > deadline:
                break
            answer = kernel.ask("checked", code)
            if most and not code.lstrip().startswith("%"):
                measure_mutants(kernel, code, path.parent, chance, most, kinds, result)
            output = kernel.run(code, timeout=40)
            result.cells += 1
            result.seconds.append(answer["seconds"])
            result.failed += output.error is not None
            for problem in answer["problems"]:
                problem["code"] = code
                if output.error is None:
                    result.alarms.append(problem)
            if output.error is None and answer["warnings"]:
                result.warnings += len(answer["warnings"])
                result.intact += [f"{name}: {code}" for name in kernel.ask("intact")["names"]]
            result.true += bool(answer["problems"]) and output.error is not None
            if output.error in ("TimeoutError", "DeadKernelError"):
                break
    return result


def measure_mutants(
    kernel: CheckKernel,
    code: str,
    folder: Path,
    chance: random.Random,
    most: int,
    kinds: list[str] | None,
    result: Result,
) -> None:
    start = time.monotonic()
    base = kernel.ask("tried", code)
    if base["error"] or time.monotonic() - start > 5:
        return
    texts = re.findall(r"""['"]([^'"\n]{3,120})['"]""", code)
    files = {text for text in texts if (folder / text).is_file()}
    is_stable = kernel.ask("tried", code)["digest"] == base["digest"]
    columns, modules = set(base["columns"]), set(base["modules"])
    for mutant in mutants(code, columns, modules, files, chance, most):
        if kinds and mutant.kind not in kinds:
            continue
        shown = kernel.ask("tried", mutant.code, mutant.removed)
        is_silent = not shown["error"] and is_stable and shown["digest"] != base["digest"]
        if not (is_mistake(mutant, shown) or (is_silent and mutant.kind in SILENT)):
            continue
        problems = kernel.ask("checked", mutant.code, mutant.removed)["problems"]
        text = f"{shown['error']}: {shown['text']}"
        named = f"{mutant.name} {text}"  # the exception may name the column that is missing now
        expected = KINDS[mutant.kind][0]
        is_found = any(
            problem["kind"] in expected
            and (problem["name"] in named or mutant.kind in CURRENT_KINDS)
            for problem in problems
        )
        fixed = corrected(mutant.code, problems) if is_found else mutant.code
        is_right = False
        if fixed != mutant.code:
            after = kernel.ask("tried", fixed, mutant.removed)
            is_right = after.get("digest") == base["digest"] or not (is_stable or after["error"])
        row = (mutant.kind, is_found, mutant.name, text, mutant.code)
        result.mutants.append((*row, fixed != mutant.code, is_right))


def is_mistake(mutant: Mutant, shown: dict[str, Any]) -> bool:
    """Return whether a mutant fails because of the mistake."""
    errors = KINDS[mutant.kind][1]
    if not shown["error"] or shown["error"] == "died":
        return False
    if mutant.kind == "column renamed" and NOT_A_COLUMN.search(shown["text"]):
        return False
    if mutant.kind == "column exchanged" and not WRONG_DTYPE.search(shown["text"]):
        return False
    return errors is None or shown["error"] in errors


def corrected(code: str, problems: list[dict[str, Any]]) -> str:
    """Apply the corrections of problems in one line, the last one first, as the page does."""
    lines = code.split("\n")
    for problem in reversed(problems):
        if problem["correction"] and problem["line"] == problem["end_line"]:
            row, start, end = problem["line"] - 1, problem["column"], problem["end_column"]
            part = lines[row][start:end].replace(problem["name"], problem["correction"])
            lines[row] = lines[row][:start] + part + lines[row][end:]
    return "\n".join(lines)


def notebooks(name: str, clones: Path | None, scratch: Path) -> list[tuple[Path, Path]]:
    """Copies of the notebooks of a set, each with the root of its repository."""
    if name == "own":
        folder = scratch / "own"
        shutil.copytree(ROOT / "tests" / "data" / "notebooks", folder / "notebooks")
        shutil.copytree(ROOT / "benchmarks" / "data", folder / "data")
        return [(path, folder) for path in sorted(folder.rglob("*.ipynb"))]
    chosen = SETS[name]
    if clones is None:
        return []
    clone = clones / chosen.repository.replace("/", "+")
    if not clone.is_dir():
        return []
    copy = scratch / name
    shutil.copytree(clone, copy, ignore=shutil.ignore_patterns(".git"))
    return [(path, copy) for path in sorted(copy.glob(chosen.pattern))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--only", default="")
    parser.add_argument("--mutants", type=int, default=0, help="of each kind and cell")
    parser.add_argument(
        "--kind", action="append", help="of mistakes; current: those of current_mutants.py"
    )
    parser.add_argument("--output", type=Path, help="a JSON file with every finding")
    options = parser.parse_args()
    kinds = list(CURRENT_KINDS) if options.kind == ["current"] else options.kind
    results: dict[str, Result] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.set or SETS:
            for path, clone in notebooks(name, options.clones, Path(scratch)):
                if options.only not in str(path):
                    continue
                key = f"{name}/{path.relative_to(clone)}"
                try:
                    result = measure(path, clone, options.clones, options.mutants, kinds)
                except Exception as error:  # a notebook that breaks its kernel
                    print(f"{key}: {type(error).__name__}: {error}", file=sys.stderr)
                    continue
                if result.cells > result.failed:
                    results[key] = result
                print(f"{key}: {summary([result])}", flush=True)
                if options.output:
                    options.output.write_text(
                        json.dumps({k: vars(r) for k, r in results.items()}, indent=1)
                    )
    print(table(list(results.values())))


def summary(results: list[Result]) -> str:
    cells = sum(result.cells - result.failed for result in results)
    alarms = [alarm for result in results for alarm in result.alarms]
    wrong = len({alarm["code"] for alarm in alarms})
    seconds = [second for result in results for second in result.seconds] or [0.0]
    warnings = sum(result.warnings for result in results)
    intact = sum(len(result.intact) for result in results)
    return (
        f"{cells} cells ran, {wrong} with false alarms, checks took "
        f"{statistics.median(seconds) * 1000:.1f} ms, at most {max(seconds) * 1000:.0f} ms; "
        f"{warnings} warnings, {intact} of them about data that was still there"
    )


def table(results: list[Result]) -> str:
    lines = [f"{len(results)} notebooks: {summary(results)}", ""]
    counts: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0, 0])
    for result in results:
        for kind, is_found, _, _, _, is_fixed, is_right in result.mutants:
            for column, value in enumerate((True, is_found, is_fixed, is_right)):
                counts[kind][column] += value
    if counts:
        lines += ["| mistake | of | reported | recall | corrected | right then |"]
        lines += ["|---|---|---|---|---|---|"]
    for kind, (total, reported, fixed, right) in sorted(counts.items()):
        recall = f"{reported / total:.0%}"
        lines.append(f"| {kind} | {total} | {reported} | {recall} | {fixed} | {right} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
