"""A request of the suite, and the split into items for development and items held back.

Invariants:

- Whether an item is held back depends on its problem only, so it never changes. All wordings of a
  problem are on the same side.
- Nothing but ``--held-back`` runs the items held back.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Item:
    """A request for a cell below ``cells``, and the rule that judges its answer.

    An item with ``test`` or ``labels`` is judged by these, and any other by its ``solution``.
    """

    id: str
    """``set/problem``, or ``set/problem@language`` for another wording of the same problem."""
    request: str
    cells: tuple[str, ...] = ()
    """The code of the cells above, which have run."""
    files: tuple[Path, ...] = ()
    """The data files in the notebook's folder."""
    solution: str | None = None
    """The set's own code, which an answer must have the same value as (``judge.py``)."""
    labels: tuple[tuple[str, str], ...] | None = None
    """Names and values that the output or the variables must contain (``answers.py``)."""
    source: str = ""
    """The code of the cell itself; empty for a new cell."""
    test: str | None = field(default=None, repr=False)
    """A program that defines ``test_execution(code)`` of DS-1000 (``ds1000_test.py``)."""

    @property
    def problem(self) -> str:
        """The id without the language of the wording."""
        return self.id.partition("@")[0]

    @property
    def set(self) -> str:
        """The name of the set; each wording in another language is a set of its own."""
        name, _, rest = self.id.partition("/")
        language = rest.partition("@")[2]
        return f"{name}@{language}" if language else name

    @property
    def is_holdout(self) -> bool:
        """Whether the item is reserved for measurements that nobody tunes for: about a third."""
        return int(hashlib.sha256(self.problem.encode()).hexdigest(), 16) % 3 == 0
