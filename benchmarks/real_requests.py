"""Send real requests to the embedded model through the HTTP API, and run the answers in a kernel.

    python -m benchmarks.real_requests [--threads N] [--only NAME] [--note TEXT]

The benchmark starts a Jupyter server and sends each request as the interface does: it warms up the
model, waits for as long as a person types, and then sends the request. It runs the code of the
answer in a kernel, and writes the results to ``docs/real-requests.md``.

There are two sets of requests, in ``benchmarks/data``:

- **Fictional Army**, steps 3 to 18 of a notebook from pandas_exercises. The request is the text of
  a step, and the cells above it have the notebook's code for the previous steps. To judge an
  answer, the notebook's code for the step runs in a second kernel in the same state. The answer is
  right if its output contains the output of the notebook's code. If the notebook's code has no
  output, the answer is right if the DataFrame ``army`` has the same contents in both kernels.
- **DABench**, the 52 questions whose file is in the data folder. The cell above the request reads
  the file. The request is the question with its constraints and format. It is sent to
  ``generate``. The answer is right if its output
  contains every expected value (``answers.py``).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from tests.ports import ReservedPort

from .answers import contains_all
from .notebook_kernel import Kernel, Output

ROOT = Path(__file__).parent.parent
DATA = ROOT / "benchmarks" / "data"
PAGE = ROOT / "docs" / "real-requests.md"
TYPING = 4.0  # seconds between opening the prompt row and sending the request


@dataclass
class Outcome:
    """The outcome of one request. The times are in seconds from the request."""

    name: str
    executes: bool
    """Whether the code of the answer ran without an error."""
    right: bool
    """Whether the answer is right, by the rules of its set."""
    first: float
    """The time of the first token."""
    total: float
    """The time of the end of the answer."""
    error: str | None
    code: str
    output: str


@dataclass(frozen=True)
class Answer:
    """The answer to one request. The times are in seconds, as in ``Outcome``."""

    code: str
    first: float
    total: float
    error: str | None
    turn_id: int = 1


class Server:
    """A Jupyter server with AI Server, called as the frontend calls it."""

    def __init__(self, folder: Path, threads: int, model: str) -> None:
        self._token = secrets.token_hex(16)
        self._reserved = ReservedPort()
        port = self._reserved.number
        command = [sys.executable, "-m", "jupyter", "server", "--no-browser", "--allow-root"]
        command += [
            f"--port={port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={folder}",
        ]
        command += ["--ServerApp.jpserver_extensions=aiserver=True"]
        command += [f"--ModelRegistry.local_threads={threads}"]
        if model:
            command += [f"--AIServer.model={model}"]
        self._log = (folder / "server.log").open("wb")
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "JUPYTER_TOKEN": self._token},
            stdout=self._log,
            stderr=self._log,
        )
        self._http = httpx.Client(
            base_url=f"http://127.0.0.1:{port}/aiserver",
            headers={"Authorization": f"token {self._token}"},
            timeout=300,
            trust_env=False,
        )

    def __enter__(self) -> Server:
        deadline = time.monotonic() + 60
        while True:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"The server did not start; see {self._log.name}")
            with contextlib.suppress(httpx.HTTPError):
                if self._http.get("/health").status_code == 200:
                    return self
            time.sleep(0.2)

    def __exit__(self, *exc: object) -> None:
        self._http.close()
        self._process.terminate()
        self._process.wait(30)
        self._reserved.release()
        self._log.close()

    @property
    def model(self) -> dict[str, Any]:
        """The default model, which must be ready."""
        listed = self._http.get("/models").json()
        for model in listed["models"]:
            if model["id"] == listed.get("default") and model["ready"]:
                return dict(model)
        raise SystemExit("No model answers. Run: jupyter aiserver model install")

    def ask(self, body: dict[str, Any], typing: float) -> Answer:
        """Send one request as the prompt row does, ``typing`` seconds after the row was opened.

        Without ``typing``, the row is already open, so that nothing is warmed up.
        """
        if typing:
            opened = {k: v for k, v in body.items() if k not in ("intent", "dataframes")}
            self._http.post("/models/warm-up", json=opened).raise_for_status()
            time.sleep(typing)
        route = "/analyze-dataframe" if "dataframes" in body else "/generate"
        started = time.monotonic()
        first, code, received, error, turn_id = None, "", "", None, 1
        headers = {"Accept": "text/event-stream"}
        with self._http.stream("POST", route, json=body, headers=headers) as response:
            response.raise_for_status()
            for kind, data in _events(response.iter_lines()):
                if kind == "token":
                    first = time.monotonic() - started if first is None else first
                    received += data["text"] if data["part"] == "code" else ""
                elif kind == "done":
                    turn = data.get("interaction", data)
                    code, turn_id = turn["ai_response"]["suggestion"], turn["turn_id"]
                    error = None if code.strip() else "answer in words"
                elif kind == "error":
                    error, code = data["code"], received
        total = time.monotonic() - started
        return Answer(code, total if first is None else first, total, error, turn_id)


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Parse server-sent events; yield the type and the data of each."""
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            yield kind, json.loads(line[6:])


def request_body(intent: str, cells: list[str], number: int, **more: Any) -> dict[str, Any]:
    """Return the body of a request for a new cell below ``cells``."""
    context = [{"cellType": "code", "source": source} for source in cells]
    return {
        "notebookId": "benchmark",
        "cellId": f"cell-{secrets.token_hex(4)}-{number}",
        "intent": intent,
        "source": "",
        "language": "python",
        "context": {"cells": context},
    } | more


REPAIRS = 2  # requests after the first at most


class Asker:
    """Sends a request, and further requests to repair its answer.

    ``mode`` is ``plain``; ``check``, which has the model correct the problems found before a run,
    as the page does by itself for local models; or ``run``, which then also runs the answer and has
    the model fix its error.
    """

    def __init__(self, server: Server, typing: float, mode: str) -> None:
        self._server, self._typing, self._mode = server, typing, mode

    def ask(self, body: dict[str, Any], kernel: Kernel, restore: Callable[[], None]) -> Answer:
        """Return the last answer. ``restore`` brings the kernel into the state before a run."""
        body = _with_variables(body, kernel)
        answer = self._server.ask(body, self._typing)
        if self._mode == "plain":
            return answer
        answer = self._correct(answer, body, kernel)
        for _ in range(REPAIRS if self._mode == "run" else 0):
            output = kernel.run(answer.code)
            restore()
            if output.error is None:
                break
            fixed = self._again(answer, body, f"Fix this error:\n{output.message}")
            if fixed.code == answer.code:
                break
            answer = self._correct(fixed, body, kernel)
        return answer

    def _correct(self, answer: Answer, body: dict[str, Any], kernel: Kernel) -> Answer:
        """Have the model correct problems; an attempt that isn't better ends it."""
        problems = kernel.check(answer.code)
        for _ in range(REPAIRS):
            if all(problem["kind"] == "missing_module" for problem in problems):
                break
            attempt = self._again(answer, body, _repair_request(problems), mode="repair")
            left = kernel.check(attempt.code) if attempt.code.strip() else problems
            if len(left) >= len(problems):
                return replace(answer, total=attempt.total)
            answer, problems = attempt, left
        return answer

    def _again(self, last: Answer, body: dict[str, Any], intent: str, **more: str) -> Answer:
        following = body | {"source": last.code, "intent": intent, "parentTurnId": last.turn_id}
        answer = self._server.ask(following | more, 0)
        return replace(answer, first=last.first, total=last.total + answer.total)


def _with_variables(body: dict[str, Any], kernel: Kernel) -> dict[str, Any]:
    """Attach the DataFrames and variables that the page attaches (``src/ask/model``)."""
    described = kernel.describe()
    cells = body["context"]["cells"]
    texts = "\n".join([body["intent"], body["source"], *(cell["source"] for cell in cells[-1:])])
    frames = described["frames"]
    named = [frame for frame in frames if re.search(rf"\b{re.escape(frame['name'])}\b", texts)]
    attached = named or (frames if len(frames) == 1 else [])
    variables = [item for item in described["variables"] if item["kind"] != "module"]
    context = body["context"] | {"dataframes": attached[:5], "variables": variables[:30]}
    return body | {"context": context}


def _repair_request(problems: list[dict[str, Any]]) -> str:
    """The words of the page's request, in English."""
    lines = ["Fix these problems:"]
    for problem in problems:
        line = f"Line {problem['line']}: {problem['message']}"
        if candidates := " or ".join(f"'{name}'" for name in problem["candidates"]):
            line += f" Did you mean {candidates}?"
        lines.append(line)
    return "\n".join(lines)


def fictional_army(asker: Asker, folder: Path) -> Iterator[Outcome]:
    """The steps of the exercise, each after the notebook's previous cells."""
    notebook = json.loads((DATA / "pandas_exercises" / "fictional_army.ipynb").read_text("utf-8"))
    steps: list[tuple[str, str]] = []
    request = ""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            request = source
        else:
            steps.append((request, source))
    with Kernel(folder) as reference, Kernel(folder) as ours:
        for number, (request, solution) in enumerate(steps, 1):
            if number >= 3:
                text = re.sub(
                    r"^#+ *", "", request[request.index("### Step") :], flags=re.MULTILINE
                )
                intent = re.sub(r"^Step \d+\.\s*", "", text).strip()
                previous = [code for _, code in steps[: number - 1]]
                _restore(ours, previous)
                _restore(reference, previous)
                body = request_body(intent, previous, number)
                answer = asker.ask(body, ours, partial(_restore, ours, previous))
                output, expected = ours.run(answer.code), reference.run(solution)
                right = output.error is None and _shows_same(ours, output, reference, expected)
                yield _outcome(f"step {number}", answer, output, right)


def _restore(kernel: Kernel, cells: list[str]) -> None:
    """Bring a kernel into the state in which only these cells were run."""
    kernel.run("%reset -f")
    for cell in cells:
        if (output := kernel.run(cell)).error:
            raise SystemExit(f"The notebook's own code fails: {output.error}")


def _shows_same(ours: Kernel, output: Output, reference: Kernel, expected: Output) -> bool:
    """Return whether the answer's output or, if none is expected, its ``army`` is right."""
    if expected.text:
        expected_text = " ".join(expected.text.split())
        return expected_text in " ".join(output.text.split())
    army = "army.to_csv() if 'army' in globals() else None"
    return bool(ours.value(army) == reference.value(army))


def dabench(asker: Asker, folder: Path) -> Iterator[Outcome]:
    """Ask the questions whose file is in the data folder, and yield the outcomes."""
    source = DATA / "dabench"
    labels = {
        row["id"]: [(name, value) for name, value in row["common_answers"]]
        for row in map(json.loads, (source / "labels.jsonl").read_text("utf-8").splitlines())
    }
    with Kernel(folder) as kernel:
        for line in (source / "questions.jsonl").read_text("utf-8").splitlines():
            question = json.loads(line)
            name = question["file_name"]
            shutil.copy(source / name, folder / name)
            cell = f"import pandas as pd\n\ndf = pd.read_csv({name!r})"
            _restore(kernel, [cell])
            parts = (question["question"], question["constraints"], question["format"])
            body = request_body("\n".join(parts), [cell], question["id"])
            answer = asker.ask(body, kernel, partial(_restore, kernel, [cell]))
            output = kernel.run(answer.code)
            right = output.error is None and contains_all(labels[question["id"]], output.text)
            yield _outcome(f"{question['id']} ({question['level']})", answer, output, right)


def _outcome(name: str, answer: Answer, output: Output, right: bool) -> Outcome:
    """Return the outcome of a request. An answer with an error or without code isn't right."""
    error = answer.error or output.error
    right = right and error is None
    if not answer.code.strip():
        error, right = error or "no code", False
    return Outcome(
        name, error is None, right, answer.first, answer.total, error, answer.code, output.text
    )


SETS = {"Fictional Army": fictional_army, "DABench": dabench}


def summary(outcomes: list[Outcome]) -> str:
    """Return the results of one set, as the cells of a row of a Markdown table."""
    count = len(outcomes)
    executes = sum(item.executes for item in outcomes)
    right = sum(item.right for item in outcomes)
    times = []
    for values in ([item.first for item in outcomes], [item.total for item in outcomes]):
        percentile_90 = sorted(values)[max(0, -(-9 * count // 10) - 1)]
        times += [f"{statistics.median(values):.1f} s", f"{percentile_90:.1f} s"]
    shares = [f"{part} ({100 * part / count:.0f} %)" for part in (executes, right)]
    return " | ".join([str(count), *shares, *times])


def main() -> None:
    """Run the sets, print each outcome, and update the page of the docs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=1, help="threads of the local model (1)")
    parser.add_argument(
        "--typing",
        type=float,
        default=TYPING,
        help=f"seconds of typing before each request ({TYPING})",
    )
    parser.add_argument("--only", choices=sorted(SETS), help="run only this set")
    parser.add_argument("--model", default="", help="another model, as provider:name")
    parser.add_argument("--repair", choices=("plain", "check", "run"), default="check")
    parser.add_argument("--note", default="", help="what is new in this run, for the table of runs")
    parser.add_argument("--answers", type=Path, help="write each answer into this file")
    parser.add_argument("--dry", action="store_true", help="don't change the page of the docs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server ends, too

    rows, details, all_outcomes = [], [], {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Server(folder, options.threads, options.model) as server:
            model = server.model
            asker = Asker(server, options.typing, options.repair)
            for name, run in SETS.items():
                if options.only in (None, name):
                    outcomes = []
                    for outcome in run(asker, folder):
                        outcomes.append(outcome)
                        mark = "right" if outcome.right else outcome.error or "wrong"
                        print(f"{name}, {outcome.name}: {mark}, {outcome.total:.1f} s", flush=True)
                    today = date.today().isoformat()
                    what = f"{model['label']}, {options.threads} thread(s), {options.repair}"
                    rows.append(
                        f"| {today} | {options.note} | {what} | {name} | {summary(outcomes)} |"
                    )
                    details.append(_details(name, outcomes))
                    all_outcomes[name] = [vars(outcome) for outcome in outcomes]
                    print(rows[-1], flush=True)
    if options.answers:
        options.answers.write_text(json.dumps(all_outcomes, indent=1, ensure_ascii=False), "utf-8")
    if not options.dry:
        write_page(rows, details)


def _details(name: str, outcomes: list[Outcome]) -> str:
    """Return a section of the page, with a table of the outcomes of one set."""
    lines = [f"### {name}", "", "| request | executes | right | first token | whole |"]
    lines.append("|---|---|---|---|---|")
    for item in outcomes:
        executes = "yes" if item.executes else f"no: {item.error}"
        right = "yes" if item.right else "no"
        lines.append(
            f"| {item.name} | {executes} | {right} | {item.first:.1f} s | {item.total:.1f} s |"
        )
    return "\n".join(lines)


def write_page(rows: list[str], details: list[str]) -> None:
    """Add rows to the table of runs in the docs, and replace the details of the newest run."""
    page = PAGE.read_text("utf-8")
    page = page.replace("<!-- next run -->", "\n".join([*rows, "<!-- next run -->"]))
    head = page[: page.index("<!-- newest -->")]
    PAGE.write_text(head + "<!-- newest -->\n\n" + "\n\n".join(details) + "\n", "utf-8")


if __name__ == "__main__":
    main()
