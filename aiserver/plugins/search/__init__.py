"""Search all turns by words, in any language, by meaning, or by similar requests.

``engine`` runs a search in a child process (``worker``), which ``process`` starts and calls. There,
``text_index`` stores and searches the texts of turns, and ``entry_index`` ranks the entries of
memories. The index is derived: nothing of it is written.
"""

from .engine import SearchEngine
from .hits import Hit, SearchResult

__all__ = ["Hit", "SearchEngine", "SearchResult"]
