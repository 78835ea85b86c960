"""The main module of the search process, which lets the server call a ``TextIndex`` over a pipe.

Each call is a pickled pair ``(method, arguments)``, and each answer is a pickled pair
``(is_ok, value)``. If ``is_ok`` is false, ``value`` describes the exception. Unpickling is safe
here, because only the parent process can write to the pipe.
"""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from operator import attrgetter
from typing import BinaryIO

from ...child_process import receive, send, serve_parent
from ...safe_traceback import outline_of
from .text_index import TextIndex


def serve(index: object, calls: BinaryIO, answers: BinaryIO) -> None:
    """Answer calls of the index's methods, such as ``entries.rank``.

    Ends when the pipe is closed, or when the database of the index fails.
    """
    while True:
        try:
            name, arguments = receive(calls)
        except EOFError:
            return
        try:
            answer = (True, attrgetter(name)(index)(*arguments))
        except sqlite3.DatabaseError:  # a full disk may have damaged the index: begin anew
            return
        except Exception as error:
            answer = (False, outline_of(error))
        send(answers, answer)


def main() -> None:
    """Answer the calls of the parent process."""
    # For numpy, which isn't imported yet: on a busy machine, several threads take much longer than
    # one for a product as small as this (``python -m benchmarks.memory_recall --time``).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    serve_parent(partial(serve, TextIndex()))
