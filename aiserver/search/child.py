"""The process that searches: a ``Shelf`` behind a pipe.

Each request is ``(method, arguments)``, each answer ``(whether it went well, value)``, pickled; its
own parent is the only one it listens to. It ends with the pipe.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from typing import BinaryIO

from ..faultlog import outline_of
from .shelf import Shelf

METHODS = ("take", "forget", "embed", "begin", "go_on", "page", "hits")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    shelf = Shelf()
    while True:
        try:
            name, arguments = pickle.load(requests)  # noqa: S301 - our own parent
        except EOFError:
            return
        try:
            answer = (True, getattr(shelf, name)(*arguments) if name in METHODS else None)
        except Exception as error:
            answer = (False, outline_of(error))
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def main() -> None:
    """Serve the parent; others of this machine come first."""
    with contextlib.suppress(AttributeError, OSError):  # Windows knows no niceness
        os.nice(5)
    # What a library prints must not get between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(BrokenPipeError):
        serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
