"""The child process in which the embedded model runs: llama.cpp's own server, on loopback.

    python server.py < one JSON line          (its keys: see ``serve``)

The parent writes the settings, among them the key, to the child's standard input and then
holds that pipe open. The child answers with one JSON line on its standard output, either
``{"url": …}`` once the model is loaded, or ``{"error": code}``.

What must hold: the key is never on a command line; the child ends when the pipe ends, so it
can't outlive its parent, however that died; nothing but this line goes to standard output, and
no prompt is ever written anywhere. It stands alone: it imports nothing of AI Server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

GGUF_MAGIC = b"GGUF"

# Small batches: a prompt that is being read can be dropped between two of them.
BATCH = 64
# Each connection that is kept open holds one of these, so there must be more than connections.
HTTP_THREADS = 24
# Prompts of other cells that are kept read, in MiB of memory: about 12 KiB a token.
PROMPT_CACHE_MIB = 128


def main() -> NoReturn:
    """Serve until standard input ends."""
    # llama.cpp prints to the C streams: keep the real output for the one line, mute the rest.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    settings = json.loads(sys.stdin.buffer.readline() or b"null")
    if settings is None:
        os._exit(0)
    # Before the model is loaded, for a parent may die meanwhile, too.
    threading.Thread(target=_exit_with_parent, daemon=True).start()

    try:
        server = serve(settings)
    except _Refused as refusal:
        answer.write(json.dumps({"error": refusal.code}) + "\n")
        answer.flush()
        os._exit(1)
    answer.write(json.dumps({"url": server.listening_address}) + "\n")
    answer.flush()
    threading.Event().wait()
    os._exit(0)


class _Refused(Exception):
    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


def serve(settings: dict[str, Any]) -> Any:
    """Load the model and listen. ``settings``: model (a path), key, threads, context (tokens)."""
    try:
        with Path(settings["model"]).open("rb") as file:
            if file.read(len(GGUF_MAGIC)) != GGUF_MAGIC:
                raise _Refused("not_a_model")
    except OSError as error:
        raise _Refused("not_found") from error
    try:
        import xllamacpp
    except ImportError as error:
        raise _Refused("not_installed") from error

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
        raise _Refused("not_loaded") from error


def _exit_with_parent() -> None:
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
