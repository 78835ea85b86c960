"""The search process: serves a ``TextIndex`` over a pipe.

Each request is ``(method, arguments)``, each answer ``(is_ok, value)``, pickled; only the parent
can send requests. The process ends with the pipe.
"""

from __future__ import annotations

from typing import BinaryIO

from ..child_process import receive, send, serve_parent
from ..safe_traceback import outline_of
from .text_index import TextIndex


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    index = TextIndex()
    while True:
        try:
            name, arguments = receive(requests)
        except EOFError:
            return
        try:
            answer = (True, getattr(index, name)(*arguments))
        except Exception as error:
            answer = (False, outline_of(error))
        send(answers, answer)


def main() -> None:
    """Serve the parent."""
    serve_parent(serve)
