"""Search all turns by words, in any language, by meaning, or by similar requests.

The modules of this list only compute. They read and write no files, except that ``embeddings``
loads a model. Each of them imports only modules that are above it in the list:

- ``simplified`` converts Traditional Chinese to Simplified Chinese.
- ``normalize`` makes a search ignore case, accents and the Chinese script.
- ``query`` splits a query into search terms, and compares the words of two texts.
- ``documents`` extracts the searched text of a session.
- ``snippet`` selects the line that a hit displays.
- ``hits`` defines the results.
- ``rank`` scores and sorts the turns that match.
- ``embeddings`` computes vectors of texts, if a package for this is installed.

``text_index`` stores and searches the texts in a child process. ``worker`` is the main module of
this child process, and ``process`` starts and calls it. ``sync`` updates the text index from the
store, and ``engine`` runs a search from the query to the hits.
"""

from .engine import SearchEngine
from .hits import Hit, SearchResult

__all__ = ["Hit", "SearchEngine", "SearchResult"]
