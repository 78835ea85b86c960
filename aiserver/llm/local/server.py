"""The child process of the embedded model: runs llama.cpp's server on the loopback interface.

    python server.py < one JSON line          (its keys: see ``serve``)

The parent writes the settings, including the key, to the child's standard input and keeps that
pipe open. The child responds with one JSON line on its standard output: ``{"url": …}`` once the
model is loaded, or ``{"error": code}``.

Invariants: the key is never on a command line; the child ends when the pipe is closed, so it can't
outlive its parent, however that ended; only this line is written to standard output, and prompts
are never written anywhere. It imports nothing from AI Server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

GGUF_MAGIC = b"GGUF"

# Small batches: reading a prompt can be cancelled between two of them.
BATCH = 64
# Each open connection occupies one thread, so there must be more threads than connections.
HTTP_THREADS = 24
# The cache for the prompts of other cells takes about 12 KiB per token.
PROMPT_CACHE_MIB = 128


def main() -> NoReturn:
    """Serve until standard input ends."""
    # llama.cpp prints to the C streams: reserve the real output for the one line, mute the rest.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    settings = json.loads(sys.stdin.buffer.readline() or b"null")
    if settings is None:
        os._exit(0)
    # Before the model is loaded, since the parent may end meanwhile.
    threading.Thread(target=_exit_with_parent, daemon=True).start()

    try:
        server = serve(settings)
    except _StartError as error:
        output.write(json.dumps({"error": error.code}) + "\n")
        output.flush()
        os._exit(1)
    output.write(json.dumps({"url": server.listening_address}) + "\n")
    output.flush()
    threading.Event().wait()
    os._exit(0)


class _StartError(Exception):
    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


def serve(settings: dict[str, Any]) -> Any:
    """Load the model and listen. ``settings``: model (a path), key, threads, context (tokens)."""
    try:
        with Path(settings["model"]).open("rb") as file:
            if file.read(len(GGUF_MAGIC)) != GGUF_MAGIC:
                raise _StartError("not_a_model")
    except OSError as error:
        raise _StartError("not_found") from error
    try:
        import xllamacpp
    except ImportError as error:
        raise _StartError("not_installed") from error

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [settings["key"]]
    params.cors_origins = "http://127.0.0.1"
    params.ui = False
    params.endpoint_slots = False
    params.n_threads_http = HTTP_THREADS
    params.verbosity = 0
    params.offline = True
    params.n_parallel = 1
    params.n_ctx = settings["context"]
    params.n_batch = params.n_ubatch = BATCH
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.warmup = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        raise _StartError("not_loaded") from error


def _exit_with_parent() -> None:
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
