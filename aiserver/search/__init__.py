"""Search over all turns: by words in any language, and by meaning.

From the ground up: ``fold`` (texts made alike), ``query`` (what was typed), ``texts`` (what of a
session is searched), ``rank`` (how well a turn fits), ``snippet`` (the line that is shown),
``meaning`` (vectors of texts, where wordllama is installed). All these are pure. ``shelf`` keeps
texts and searches them, in a process of its own (``child``), which ``process`` starts and asks;
``index`` keeps it as the store is, and ``engine`` joins them.
"""

from .engine import SearchEngine
from .hits import Found, Hit

__all__ = ["Found", "Hit", "SearchEngine"]
