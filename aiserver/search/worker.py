"""The search process: serves a ``TextIndex`` over a pipe.

Each request is ``(method, arguments)``, each answer ``(is_ok, value)``, pickled; only the parent
can send requests. The process ends with the pipe.
"""

from __future__ import annotations

import pickle
from typing import BinaryIO

from ..child_process import serve_parent
from ..safe_traceback import outline_of
from .text_index import TextIndex


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    index = TextIndex()
    while True:
        try:
            name, arguments = pickle.load(requests)  # noqa: S301 - our own parent
        except EOFError:
            return
        try:
            answer = (True, getattr(index, name)(*arguments))
        except Exception as error:
            answer = (False, outline_of(error))
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def main() -> None:
    """Serve the parent."""
    serve_parent(serve)


if __name__ == "__main__":
    main()
