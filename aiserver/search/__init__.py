"""Search over all turns: by words in any language, and by meaning.

The modules, lowest layer first: ``normalize`` (case and accents), ``query`` (search terms),
``documents`` (the searched text of a session), ``snippet`` (the displayed line), ``hits`` (the
results), ``rank`` (scores) and ``embeddings`` (vectors of texts, if wordllama is installed). All
these are pure. ``text_index`` stores and searches the texts in a child process (``worker``), which
``process`` starts and calls; ``sync`` updates it from the store, and ``engine`` combines them.
"""

from .engine import SearchEngine
from .hits import Hit, SearchResult

__all__ = ["Hit", "SearchEngine", "SearchResult"]
