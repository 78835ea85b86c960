"""Search all turns by words, in any language, or by meaning.

The modules, lowest layer first: ``normalize`` (ignores case and accents), ``query`` (search terms),
``documents`` (the searched text of a session), ``snippet`` (the line that a hit displays), ``hits``
(the results), ``rank`` (scores) and ``embeddings`` (vectors of texts, if the package wordllama is
installed).
These modules only compute: they read and write no files, except that ``embeddings`` loads a model.

``text_index`` stores and searches the texts in a child process. ``worker`` is the main module of
this child process, and ``process`` starts and calls it. ``sync`` updates the text index from the
store, and ``engine`` runs a search from the query to the hits.
"""

from .engine import SearchEngine
from .hits import Hit, SearchResult

__all__ = ["Hit", "SearchEngine", "SearchResult"]
