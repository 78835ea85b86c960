"""Embeddings of texts, to find turns with the same meaning in other words.

Optional: needs the package ``wordllama`` (``pip install "aiserver[semantic]"``), whose wheel
contains the weights. It is loaded by the first search by meaning, and nothing is ever downloaded
(P4). In a test with ten requests of data work and a paraphrase of each, the right one was first for
7 of 10 in English and 4 of 10 in Chinese, and among the first three for 10 and 7. So the interface
recommends the search by words for Chinese.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

INSTALL = 'pip install "aiserver[semantic]"'
_CHARS = 400  # embedded characters of a text, whose subject is at its beginning


def is_installed() -> bool:
    """Whether the package is installed."""
    return importlib.util.find_spec("wordllama") is not None


def vectors(texts: Sequence[str]) -> Any:
    """One row of half floats for each text, of length 1 (or 0 for a text without words)."""
    import numpy as np

    beginnings = [text[:_CHARS] for text in texts]
    rows = _model().embed(beginnings) if beginnings else np.zeros((0, 1))
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(length > 0, length, 1)).astype(np.float16)


def similarity(query: Any, stored: bytes) -> list[float]:
    """The cosine similarity of each stored row to the first of ``query``."""
    import numpy as np

    target = query[0].astype("float32")
    rows = np.frombuffer(stored, np.float16).reshape(-1, len(target))
    similarities: list[float] = (rows.astype("float32") @ target).tolist()
    return similarities


@cache
def _model() -> Any:
    """Load the model, which takes a second."""
    import wordllama

    return wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
