"""Search all turns by words, in any language, by meaning, or by similar requests.

``text_index`` stores and searches the texts, which ``documents`` extracts from sessions, with
SQLite's full-text index; ``query`` splits a query into terms, and ``normalize`` and ``simplified``
make other spellings equal. ``hits`` and ``snippet`` build the results. ``embeddings`` computes
vectors of texts, if a package for this is installed. ``entry_index`` ranks the entries of memories
by ``words`` and by meaning. All of this runs in a child process
(``worker``), which ``process`` starts and calls. ``sync`` updates the index from the store, and
``engine`` runs a search from the query to the hits. The index is derived: nothing of it is written.
"""

from .engine import SearchEngine
from .hits import Hit, SearchResult

__all__ = ["Hit", "SearchEngine", "SearchResult"]
