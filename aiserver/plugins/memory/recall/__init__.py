"""Recall: select the entries of large memories that matter for a request.

``recall`` ranks entries by words and, if a package for embeddings is installed, by meaning.
``find`` searches for a person, and ``shared_words`` decides whether a small model gets an entry.
"""

from .find import EntryMatch, entries_with_all_words, find_entries
from .recall import Recall

__all__ = ["EntryMatch", "Recall", "entries_with_all_words", "find_entries"]
