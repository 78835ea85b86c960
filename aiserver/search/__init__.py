"""Search over all turns: by words in any language, and by meaning.

From the ground up: ``fold`` (texts made alike), ``query`` (what was typed), ``texts`` (what of a
session is searched, packed), ``rank`` (how well a turn fits), ``snippet`` (the line that is
shown), ``meaning`` (vectors of texts, where wordllama is installed), ``index`` (what is kept of one
owner's sessions); ``engine`` joins them. All but ``index`` and ``engine`` are pure.
"""

from .engine import Found, Hit, SearchEngine

__all__ = ["Found", "Hit", "SearchEngine"]
