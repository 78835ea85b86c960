"""Recall: select the entries of large memories that matter for a request.

The search is hybrid: by words (``words``) and, if a package for embeddings is installed, by meaning
(``index``). ``worker`` is the main module of the child process that searches, and ``recall`` calls
this process. ``find`` searches for a person.
"""

from .find import EntryMatch, entries_with_all_words, find_entries
from .recall import Recall

__all__ = ["EntryMatch", "Recall", "entries_with_all_words", "find_entries"]
