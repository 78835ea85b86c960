"""``%%ai`` and ``%ai``: parse the request, send it, and show the answer while it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from ...running_servers.client import ServerError
from .context import context_of
from .output import Output, create_output, review_hint
from .session import current_session
from .stream import read_events, stream_from_child

MAX_REQUEST = 20_000  # characters; the limits of the HTTP API
MAX_SOURCE = 200_000

_USAGE = """\
%%ai [--model PROVIDER:NAME]
the request, in any language     ask for code; Ctrl+K in the cell then shows it as a change
%ai a question                   ask in one line
%ai?                             the options"""

# Options at the line's beginning, then the request.
_LINE = re.compile(r"\s*((?:(?:-m|--model)(?:=|\s+)\S+\s*|--?[A-Za-z][\w-]*\s*)*)(.*)", re.S)
_STOPPED = "Stopped. What was received is in the history."


class RequestFailed(Exception):
    """The request failed or was stopped. The message is for people.

    The cell fails, so that “Run All” and papermill stop there.
    """

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows instead of a traceback."""
        return [str(self)]


@magics_class
class AIMagics(Magics):
    """The magics, and the requests that were answered in this kernel."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._answered: set[tuple[str, str, str]] = set()

    @no_var_expand
    @magic_arguments()
    @argument("-m", "--model", metavar="ID", help="the model, as PROVIDER:NAME")
    @line_cell_magic
    def ai(self, line: str = "", cell: str | None = None) -> None:
        """Ask for code: ``%%ai`` with the request below it, or ``%ai`` with the request behind it.

        The answer is shown; nothing is written into a cell, and nothing runs. In a notebook, the
        request belongs to the history of the cell, and Ctrl+K in the cell shows the code as a
        suggestion. Interrupt the kernel to stop the model.
        """
        match = _LINE.fullmatch(line)
        options, text = match.groups() if match else ("", line)
        model = parse_argstring(self.ai, options).model
        request = "\n".join(part for part in (text.strip(), (cell or "").strip()) if part)
        if not request:
            print(_USAGE)
            return
        output = create_output(self.shell)
        try:
            self._ask(request, model, output)
        except ServerError as error:
            output.end()
            raise RequestFailed(error.sentence) from None
        except KeyboardInterrupt:
            # The server now stops the model and saves the turn.
            output.end()
            raise RequestFailed(_STOPPED) from None

    def _ask(self, request: str, model: str | None, output: Output) -> None:
        session = current_session(self.shell)
        if max(len(request) - MAX_REQUEST, len(session.source) - MAX_SOURCE) > 0:
            raise ServerError(f"The request is too long: at most {MAX_REQUEST:,} characters.")
        key = (session.cell_id, session.source, request)
        body: dict[str, Any] = {
            "notebookId": session.notebook_id,
            "cellId": session.cell_id,
            "intent": request,
            "source": session.source,
            "notebookPath": session.path,
            "context": context_of(self.shell, request),
        }
        if model:
            body["model"] = model
        if key in self._answered:
            body["mode"] = "retry"  # the cell was run again, for another answer
        server = session.server
        answering = server.stream("aiserver/generate", body) if server else stream_from_child(body)
        with answering as lines:
            turn = _show(read_events(lines), output)
        answer = turn["ai_response"]
        if turn["is_saved"]:
            self._answered.add(key)
        output.show_answer(
            answer["suggestion"],
            answer.get("explanation") or "",
            review_hint(turn["locale"]) if session.is_cell and turn["is_saved"] else "",
        )


def _show(events: Iterable[tuple[str, dict[str, Any]]], output: Output) -> dict[str, Any]:
    """Show the events of an answer.

    Return its turn, with ``is_saved`` and the page's ``locale``. Raises ServerError if the answer
    failed or was stopped.
    """
    locale = ""
    for name, data in events:
        if name == "start":
            locale = str(data.get("locale") or "")
            output.show_model(str(data["model"]["label"]))
        elif name == "waiting":
            output.show_waiting(float(data["seconds"]))
        elif name == "token":
            output.add(str(data["part"]), str(data["text"]), replaces=bool(data.get("replaces")))
        elif name == "done":
            return {**data["interaction"], "is_saved": True, "locale": locale}
        elif name == "error" and data.get("unsaved"):
            output.warn(str(data["message"]))
            return {**data["unsaved"], "is_saved": False, "locale": locale}
        elif name == "error":
            raise ServerError(str(data.get("message") or "Something went wrong."))
        elif name == "cancelled":
            raise ServerError(_STOPPED)
    raise ServerError("The answer ended before it was complete. Try again.")


def register(shell: Any) -> None:
    """Register ``%ai`` and ``%%ai``, perhaps again."""
    shell.register_magics(AIMagics)
    transformers = shell.input_transformers_cleanup
    if allow_question not in transformers:
        transformers.append(allow_question)


def allow_question(lines: list[str]) -> list[str]:
    """Let a request in a line end with a question mark.

    IPython would show help on its last word. Only a cell's first line counts, because a later one
    may be in a string. ``%ai?`` still shows help.
    """
    for index, line in enumerate(lines):
        if line.strip():
            name, _, request = line.strip().partition(" ")
            if name == "%ai" and request.endswith("?"):
                call = f"get_ipython().run_line_magic('ai', {request.strip()!r})\n"
                return [*lines[:index], call, *lines[index + 1 :]]
            break
    return lines
