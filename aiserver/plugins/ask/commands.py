"""``jupyter aiserver ask``: ask a model for a cell's code, print it, and write it with ``--apply``.

Invariants: without ``--apply``, only the history changes. The code never runs. If a model isn't
named by ``--model``, the default model of the server answers, so no remote model is used unless a
person has configured, chosen or named it (P4).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...cli.notebook_file import Cell, NotebookFile
from ...cli.stores import StoreContext
from ...cli.terminal import make_safe
from ...errors import InvalidRequest, SettingError
from ...generation.assistant import Assistant
from ...generation.generation import Generation, Outcome, Waiting
from ...models import Contributor, NewEvent, SessionKey, utc_now
from ...notebooks.change_log import Batch, CellChange, ChangeRecorder
from ...notebooks.restored_ids import restore_ids
from ...redact import register_secrets, secrets_in_environment
from ...requests import MAX_INTENT, GenerateBody
from ...running_servers.client import Server, ServerError
from ...running_servers.discovery import running_servers

_PROGRAM = Contributor(kind="program", name="jupyter aiserver ask")


async def run_ask(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Ask for the code of a cell and print it; with ``--apply``, write it into the file."""
    notebook = NotebookFile(arguments.notebook)
    path = notebook.path_below(context.configuration.root_dir)
    is_new = notebook.notebook_id is None
    registry = context.notebooks()
    await restore_ids(registry, path, notebook.content)
    cell = notebook.find_cell(arguments.cell)
    if arguments.apply:
        await asyncio.to_thread(check_not_open, notebook)
    intent = sys.stdin.read() if arguments.request == "-" else arguments.request
    # A page may have recorded a newer order of the cells than the file has. So the order is only
    # recorded if the notebook is new, because its id is then found by its cells.
    cell_ids = notebook.cell_ids if is_new else []
    identity = await registry.identify(path, notebook.notebook_id, cell_ids)
    key = SessionKey(identity.notebook_id, cell.id, context.owner)
    body = _body(notebook, cell, path, intent.strip(), arguments.model, key)
    async with open_assistant(context) as assistant:
        outcome = await _generate(await assistant.generate(key, body))
    return await _finish(arguments, context, notebook, cell, outcome, key)


@contextlib.asynccontextmanager
async def open_assistant(context: StoreContext) -> AsyncIterator[Assistant]:
    """Create an assistant for an open store. At the end, save its turns and close its models.

    The log has no line about a generation, because scripts read standard error.
    """
    register_secrets(secrets_in_environment(os.environ))
    extension = context.configuration.extension
    models = extension.make_models()
    log = logging.getLogger(__name__)
    log.setLevel(logging.ERROR)
    plugins = context.start_plugins(context.owner)
    assistant = extension.make_assistant(context.store, models, plugins, log)
    try:
        yield assistant
    finally:
        await assistant.close()
        await plugins.stop()
        await models.close()


def _body(
    notebook: NotebookFile,
    cell: Cell,
    path: str,
    intent: str,
    model: str | None,
    key: SessionKey,
) -> GenerateBody:
    """Return the body of the request. Raises InvalidRequest if it is empty or too long."""
    if not intent:
        raise InvalidRequest("The request is empty.")
    if len(intent) > MAX_INTENT:
        raise InvalidRequest(f"The request is too long: at most {MAX_INTENT:,} characters.")
    context: dict[str, Any] = {"cells": notebook.cells_above(cell), "kernel": notebook.kernel}
    try:
        return GenerateBody(
            notebook_id=key.notebook_id,
            cell_id=key.cell_id,
            notebook_path=path,
            source=cell.source,
            language=notebook.language,
            cell_type=cell.type,
            model=model,
            context=context,
            intent=intent,
        )
    except ValidationError as error:
        field = str(error.errors(include_url=False, include_input=False)[0]["loc"][0])
        if field == "model":
            raise InvalidRequest("--model must be the ID of a model.") from None
        raise InvalidRequest("The cell is too long to send.") from None


async def _generate(generation: Generation) -> Outcome:
    """Wait for a generation. If the command is interrupted, stop the model and save the turn."""
    try:
        with _progress(generation.model.info.label) as show:
            count = 0
            async for token in generation.tokens():
                if isinstance(token, Waiting):
                    show(f"retrying in {token.seconds:.0f} s")
                elif token is not None:
                    count += len(token.text)
                    show(f"{count:,} characters")
        return await generation.outcome
    except (asyncio.CancelledError, KeyboardInterrupt):
        generation.stop()
        await generation.outcome
        raise


@contextlib.contextmanager
def _progress(label: str) -> Iterator[Any]:
    """Show the progress on standard error if it is a terminal. Yield a function that updates it."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    name = make_safe(label)
    with Console(file=sys.stderr, markup=False, highlight=False).status(name) as status:
        yield lambda text: status.update(f"{name}: {text}")


async def _finish(
    arguments: argparse.Namespace,
    context: StoreContext,
    notebook: NotebookFile,
    cell: Cell,
    outcome: Outcome,
    key: SessionKey,
) -> int:
    turn = outcome.interaction or outcome.unsaved
    if turn is None or (outcome.error is not None and outcome.interaction is not None):
        message = outcome.error.message if outcome.error else "The answer is not complete."
        print(message, file=sys.stderr)
        return 1
    if outcome.status == "cancelled":
        print("Stopped.", file=sys.stderr)
        return 130
    code, explanation = turn.ai_response.suggestion, turn.ai_response.explanation.strip()
    if code:
        _print(code, sys.stdout)
    if explanation:
        _print(explanation, sys.stderr if code else sys.stdout)
    if outcome.error is not None:  # the turn wasn't saved
        print(outcome.error.message, file=sys.stderr)
        return 1
    if not arguments.apply:
        return 0
    if not code:
        raise SettingError("The answer has no code, so the cell was not changed.")
    if code == cell.source:
        print("The cell already has this code.", file=sys.stderr)
        return 0
    await asyncio.to_thread(check_not_open, notebook)
    notebook.write(cell, code, key.notebook_id)
    await _record_accept(context, key, turn.turn_id, code)
    print(f"The code was written into the cell of “{arguments.notebook}”.", file=sys.stderr)
    return 0


async def _record_accept(context: StoreContext, key: SessionKey, turn_id: int, code: str) -> None:
    """Record that the code was written into the cell.

    The lines are the model's. Nobody has reviewed them, so a program counts as accepting them.
    """
    now = utc_now()
    event = NewEvent(
        type="accept",
        timestamp=now,
        turn_id=turn_id,
        source=code,
        id=str(uuid.uuid4()),
        contributor=_PROGRAM,
    )
    recorder = ChangeRecorder(context.store, owner=context.owner)
    change = CellChange(key, [event])
    result = await recorder.record(key.notebook_id, Batch(str(uuid.uuid4()), now, [change]))
    if key.cell_id not in result.heads:
        raise SettingError("The code was written, but not recorded in the history of the cell.")


def _print(text: str, stream: Any) -> None:
    """Print a text. At a terminal, its control characters are replaced."""
    print(make_safe(text) if stream.isatty() else text, file=stream)


def check_not_open(notebook: NotebookFile) -> None:
    """Raise SettingError if a running server of this user has the notebook open.

    A page may have changes that aren't saved, which the server doesn't know, so no kernel of the
    notebook may run. A page without a kernel can't be recognised; JupyterLab asks before it
    overwrites a file that was changed on disk. A server that can't be asked is skipped.
    """
    for server in running_servers():
        if server.root_dir and any(_is_same(notebook, server, path) for path in _open(server)):
            raise SettingError(
                "The notebook is open in Jupyter, where it may have unsaved changes. Save it, shut "
                "down its kernel and close it, or ask in the notebook itself."
            )


def _open(server: Server) -> list[str]:
    try:
        sessions = server.get("api/sessions")
        return [str(session["path"]) for session in sessions if session["type"] == "notebook"]
    except (ServerError, KeyError, TypeError):
        return []


def _is_same(notebook: NotebookFile, server: Server, path: str) -> bool:
    # jupyter-collaboration puts the name of a drive before the path.
    return notebook.is_file(Path(server.root_dir) / path.removeprefix("RTC:"))
