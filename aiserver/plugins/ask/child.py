"""Generate for a kernel without a Jupyter server: ``python -m aiserver.plugins.ask.child``.

The first line of standard input is the body of a request, as ``POST /aiserver/generate`` gets it.
The events of the answer are written to standard output, as the server sends them. When standard
input is closed, the model is stopped; then the turn is saved, and the process ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from typing import BinaryIO

from pydantic import ValidationError

from ...cli.stores import open_store
from ...errors import AIServerError, InvalidRequest
from ...generation.generation import Generation
from ...handlers.base import error_fields
from ...handlers.generate import generation_events
from ...handlers.sse import frame_event
from ...models import SessionKey
from ...requests import GenerateBody
from .commands import open_assistant


async def run(line: bytes, source: BinaryIO, target: BinaryIO) -> None:
    """Answer the request in ``line``; stop when ``source`` ends."""
    try:
        body = GenerateBody.model_validate_json(line)
    except ValidationError as error:
        raise InvalidRequest from error
    async with (
        open_store() as context,
        open_assistant(context) as assistant,
    ):
        key = SessionKey(body.notebook_id, body.cell_id, context.owner)
        generation = await assistant.generate(key, body)
        loop = asyncio.get_running_loop()
        threading.Thread(target=_stop_at_end, args=(source, generation, loop), daemon=True).start()
        async for event in generation_events(generation):
            if event is not None and not _write(target, frame_event(*event)):
                generation.stop()
        await generation.outcome


def _stop_at_end(source: BinaryIO, generation: Generation, loop: asyncio.AbstractEventLoop) -> None:
    while source.read(1):
        pass
    if not loop.is_closed():
        loop.call_soon_threadsafe(generation.stop)


def _write(target: BinaryIO, data: bytes) -> bool:
    """Write an event; return whether anybody reads it."""
    try:
        target.write(data)
        target.flush()
    except OSError:
        return False
    return True


def main() -> None:
    """Answer one request."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Only events may be written to standard output, whatever a library prints.
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    source = os.fdopen(sys.stdin.fileno(), "rb", buffering=0)
    line = bytearray()
    while not line.endswith(b"\n") and (chunk := source.read(65536)):
        line += chunk
    try:
        asyncio.run(run(bytes(line), source, target))
    except AIServerError as error:
        _write(target, frame_event("error", error_fields(error)))


if __name__ == "__main__":
    main()
