"""The main module of the child process that ranks entries; see ``search.worker``."""

from __future__ import annotations

import os
from functools import partial

from ...child_process import serve_parent
from ...search.worker import serve
from .index import EntryIndex


def main() -> None:
    """Answer the calls of the parent process."""
    # For numpy, which isn't imported yet: on a busy machine, several threads take much longer than
    # one for a product as small as this (``python -m benchmarks.memory_recall --time``).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    serve_parent(partial(serve, EntryIndex()))
