"""Scopes, and the names that need no definition."""

from __future__ import annotations

import re
from typing import Any

_IMPLICIT = set(
    "__name__ __doc__ __builtins__ __spec__ __loader__ __package__ __debug__ __build_class__ "
    "__annotations__ __import__ In Out get_ipython exit quit display __IPYTHON__".split()
)
_HISTORY = re.compile(r"_+|_i{1,3}|_i?\d+|_[od]h|_ih|_exit_code")
CLASS_NAMES = {"__module__", "__qualname__", "__class__"}
# Common names of modules. Using one without an import is a mistake, even in an unused function.
MODULE_ALIASES = set(
    "np pd plt sns os re sys math json time random datetime itertools collections functools "
    "pl px go tf torch nn stats requests glob shutil pickle scipy sklearn statistics string "
    "csv copy warnings logging subprocess pathlib typing sm smf xgb lgb".split()
)


class Scope:
    """The names of a scope.

    ``bound`` has the names that are bound at the current statement. In the cell's own scope,
    ``ever`` is a second set, which also has the names that were bound earlier, for example before
    a ``del``. In other scopes, ``ever`` and ``bound`` are the same set. ``module_names`` has the
    names that are declared as global.
    """

    def __init__(self, kind: str, names: set[str] | None = None) -> None:
        self.kind = kind
        self.bound: set[str] = set(names or ())
        self.ever: set[str] = self.bound
        self.module_names: set[str] = set()


class Body:
    """A function's body, which is visited after the statements of the cell.

    In it, problems of the kinds in ``silent`` are not reported.
    """

    def __init__(self, node: Any, name: str, scopes: list[Scope], silent: set[str]) -> None:
        self.node, self.name, self.scopes, self.silent = node, name, scopes, silent


def is_implicit(name: str) -> bool:
    """Return whether a name, such as ``In`` or ``_12``, is defined in every notebook."""
    return name in _IMPLICIT or _HISTORY.fullmatch(name) is not None
