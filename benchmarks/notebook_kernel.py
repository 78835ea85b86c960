"""A real Jupyter kernel for benchmarks, which runs cells and returns their output."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.manager import KernelManager

from aiserver.kernel.bundle import (
    CHECK_MODULES,
    SIGNALS_MODULES,
    VARIABLES_MODULES,
    bundle,
)

INTERRUPT_TIMEOUT = 10  # seconds until an interrupted kernel must reply
EXAMPLES = 2  # values of each column of texts
_CELL_FRAME = re.compile(r"(Cell|Input) In ?\[|<ipython-input-")  # the heading of a cell's lines
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Output:
    """The output of a cell.

    ``error`` is the name of the exception, or None if there was none; ``message`` is its text.
    """

    printed: str
    result: str
    error: str | None
    message: str = ""

    @property
    def text(self) -> str:
        """The printed output and the result."""
        return f"{self.printed}\n{self.result}".strip()


class Kernel:
    """A context manager that runs a Python kernel in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._manager = KernelManager(kernel_name="python3")
        self._folder = folder

    def __enter__(self) -> Kernel:
        self._manager.start_kernel(cwd=str(self._folder))
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._prepare()
        return self

    def __exit__(self, *exc: object) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def _prepare(self) -> None:
        self._client.wait_for_ready(timeout=120)
        self.run("import os; os.environ['MPLBACKEND'] = 'Agg'")

    def _restart(self) -> None:
        self._manager.restart_kernel(now=True)
        self._prepare()

    def run(self, code: str, timeout: float = 60) -> Output:
        """Run a cell. If it takes longer than ``timeout`` seconds, it is interrupted and fails.

        If it ends the kernel, or can't be interrupted, it fails and the kernel is restarted.
        """
        printed: list[str] = []
        result: list[str] = []

        def collect(message: dict[str, Any]) -> None:
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "stream" and content["name"] == "stdout":  # warnings aren't an answer
                printed.append(content["text"])
            elif kind in ("execute_result", "display_data"):
                result.append(content["data"].get("text/plain", ""))

        try:
            reply = self._client.execute_interactive(
                code, allow_stdin=False, timeout=timeout, output_hook=collect
            )["content"]
        except TimeoutError:
            self._manager.interrupt_kernel()
            try:
                self._client.wait_for_ready(timeout=INTERRUPT_TIMEOUT)
            except RuntimeError:
                self._restart()
            return Output("".join(printed), "\n".join(result), "TimeoutError")
        text = _ANSI.sub("", "".join(printed))
        if reply["status"] == "ok":
            return Output(text, "\n".join(result), None)
        return Output(text, "\n".join(result), reply.get("ename", "error"), error_text(reply))

    def value(self, expression: str) -> Any:
        """Return the value of an expression in the kernel, which JSON must be able to represent."""
        output = self.run(f"import json as _json; print(_json.dumps({expression}))")
        return json.loads(output.printed)

    def describe(self, examples: int = EXAMPLES) -> dict[str, Any]:
        """Return the DataFrames and other variables, as the page reads them for a local model."""
        return self._call(VARIABLES_MODULES, "describe", examples, True)

    def check(self, code: str, mode: str = "") -> list[dict[str, Any]]:
        """The problems of code, found as the page finds them; see ``check_suggestion``."""
        return list(self._call(CHECK_MODULES, "check_cell", code, "", "", mode)["problems"])

    def early_signals(
        self, code: str, own_code: str = "", intent: str = ""
    ) -> list[dict[str, Any]]:
        """Return the signals that the page shows before a run, and the warnings about reloading.

        ``own_code`` is the code that ``code`` replaces in the cell, ``intent`` the request.
        """
        checked = self._call(CHECK_MODULES, "check_cell", code, own_code, "", "", intent)
        reloads = [item for item in checked["warnings"] if item["kind"] == "reloaded"]
        return [*checked.get("signals", []), *reloads]

    def state(self, code: str) -> str:
        """Return the state before a run of ``code``, for ``signals``."""
        return str(self._call(SIGNALS_MODULES, "state_before", code)["state"])

    def signals(
        self, code: str, state: str, output: str, own_code: str = "", is_change: bool = False
    ) -> list[dict[str, Any]]:
        """Return the signals after a run of ``code`` without an error: dicts with a ``kind``.

        ``output`` is its ``Output.text``. ``is_change`` tells whether the request asks for a change
        of data; see ``asksForChange`` of ``src/ask/model/changeWords.ts``.
        """
        arguments = (code, state, output, own_code, is_change)
        return list(self._call(SIGNALS_MODULES, "signals_after", *arguments)["signals"])

    def _call(self, modules: tuple[str, ...], function: str, *arguments: Any) -> dict[str, Any]:
        call = (
            f"(lambda space: (exec({bundle(modules)!r}, space), "
            f"space[{function!r}](globals(), *{arguments!r}))[1])({{'__name__': 'aiserver'}})"
        )
        return dict(json.loads(base64.b64decode(self.value(call))))


def error_text(reply: dict[str, Any]) -> str:
    """Return the marked line of the cell and the error, as ``cellErrorText`` of the page does."""
    traceback = _ANSI.sub("", "\n".join(reply.get("traceback", [])))
    lines = traceback.split("Traceback (most recent call last)")[-1].split("\n")
    frame = next((at for at, line in enumerate(lines) if _CELL_FRAME.match(line)), len(lines))
    marked = next((line.strip() for line in lines[frame:] if re.match(r"-+> *\d+", line)), "")
    description = f"{reply.get('ename', 'error')}: {reply.get('evalue', '')}"[:1000]
    return f"{marked}\n{description}".strip()
