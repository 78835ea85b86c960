"""The program of the child process, which runs a local model in llama.cpp's server.

The parent writes one JSON line with the settings of ``serve`` to the standard input, and keeps this
pipe open. The child responds with one JSON line: ``{"url": …}`` once the model is loaded, or
``{"error": code}``.

Invariants:

- The server listens on the loopback interface only, and its key is never on a command line.
- The child ends when the pipe is closed, however the parent ended.
- The response is the only line on standard output. Prompts are never written anywhere.
- The program imports nothing from AI Server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

GGUF_MAGIC = b"GGUF"

# In tokens; small, because reading a prompt can only be cancelled between two batches.
BATCH = 64

# More than ``MAX_CONNECTIONS`` in ``model.py``: each connection takes a thread.
HTTP_THREADS = 24

# llama.cpp's cache: a cell's prompt needn't be read again after another cell's. With the smallest
# model, a token takes 12 KiB.
PROMPT_CACHE_MIB = 128

# After these tokens in a row that the prompt or the answer already has, the tokens that followed
# there are checked in one step. Each token is still the most likely one, but an edit, which repeats
# most of a cell, takes a third less time (``benchmarks/local_speed.py``). Longer guesses take more,
# because llama.cpp computes four tokens at a time.
REPEATED_TOKENS = 3
GUESSED_TOKENS = 3


def main() -> NoReturn:
    """Run until standard input ends."""
    # llama.cpp prints to the file descriptors 1 and 2, so ``output`` keeps the real standard
    # output.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    settings = json.loads(sys.stdin.buffer.readline() or b"null")
    if settings is None:  # the parent has ended
        os._exit(0)
    # Started before loading, during which the parent may end.
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
    """Load the model and start the server. Raises _StartError."""
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
    params.n_gpu_layers = settings["gpu_layers"]
    params.n_batch = params.n_ubatch = BATCH
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.warmup = False
    params.enable_reasoning = 0  # models that can think answer at once
    guesses = params.speculative
    guesses.types = [xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE]
    guesses.ngram_simple.size_n, guesses.ngram_simple.size_m = REPEATED_TOKENS, GUESSED_TOKENS
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
