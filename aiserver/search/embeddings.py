"""Compute embeddings of texts: vectors that are similar if the texts have a similar meaning.

A search by meaning compares the embedding of the query with the embeddings of the turns. So it
finds turns that say the same thing in other words. The search by meaning is optional: it needs the
package ``wordllama``, which is installed with ``pip install "aiserver[semantic]"``. The package
contains the model's weights. The first search by meaning loads the model, and nothing is ever
downloaded.

The quality was measured with ten requests about data analysis in English and ten in Chinese. For
each request, there was one query: a paraphrase of the request. So many of the ten queries found
their request:

- English: 7 as the first hit, 10 among the first three hits
- Chinese: 4 as the first hit, 7 among the first three hits

Therefore, the interface says that this search works best in English.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

INSTALL_COMMAND = 'pip install "aiserver[semantic]"'
_MAX_CHARS = 400  # a longer text is cut, because its beginning usually says what it is about


def is_installed() -> bool:
    """Return whether the package ``wordllama`` is installed."""
    return importlib.util.find_spec("wordllama") is not None


def vectors(texts: Sequence[str]) -> Any:
    """Return a matrix of 16-bit floats. Each row is the embedding of one text.

    An embedding is a vector of length 1; it is a vector of zeros if the text has no words.
    """
    import numpy as np

    beginnings = [text[:_MAX_CHARS] for text in texts]
    matrix = _model().embed(beginnings) if beginnings else np.zeros((0, 1))
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
def _model() -> Any:
    """Load the model, which takes a second."""
    import wordllama

    return wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
