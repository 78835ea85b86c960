"""The classes for scopes and function bodies, and the names that need no definition."""

from __future__ import annotations

import re
from typing import Any

_IMPLICIT = set(
    "__name__ __doc__ __builtins__ __spec__ __loader__ __package__ __debug__ __build_class__ "
    "__annotations__ __import__ In Out get_ipython exit quit display __IPYTHON__".split()
)
_HISTORY = re.compile(r"_+|_i{1,3}|_i?\d+|_[od]h|_ih|_exit_code")
# Names that are defined in the body of each class.
CLASS_NAMES = {"__module__", "__qualname__", "__class__"}
# Common names of modules. If a function uses such a name without an import, this is reported even
# if the cell doesn't use the function.
MODULE_ALIASES = set(
    "np pd plt sns os re sys math json time random datetime itertools collections functools "
    "pl px go tf torch nn stats requests glob shutil pickle scipy sklearn statistics string "
    "csv copy warnings logging subprocess pathlib typing sm smf xgb lgb".split()
)


class Scope:
    """A scope in which names are bound.

    ``kind`` is ``module``, ``function``, ``class``, ``comprehension`` or ``types``. The cell's own
    scope is ``module``; ``types`` is a scope of type parameters. ``bound`` has the names that are
    bound at the current statement or, in a function, anywhere in its body.
    ``ever_bound`` also has the names that the cell's own scope has deleted, for example with
    ``del``. In all other scopes, it is the same set as ``bound``. ``global_names`` has the names
    that are declared as global.
    """

    def __init__(self, kind: str, names: set[str] | None = None) -> None:
        self.kind = kind
        self.bound: set[str] = set(names or ())
        self.ever_bound: set[str] = self.bound
        self.global_names: set[str] = set()


class Body:
    """A function's body, which is visited after the statements of the cell.

    The function counts as used if the cell uses ``name``, which is the function's name or, for a
    method, the name of its class. If ``name`` is "", the function always counts as used. ``scopes``
    are the scopes around the function. ``ignored_kinds`` has the kinds of problems that are not
    reported in the body.
    """

    def __init__(self, node: Any, name: str, scopes: list[Scope], ignored_kinds: set[str]) -> None:
        self.node, self.name, self.scopes, self.ignored_kinds = node, name, scopes, ignored_kinds


def is_implicit(name: str) -> bool:
    """Return whether a name, such as ``In`` or ``_12``, is defined in every notebook."""
    return name in _IMPLICIT or _HISTORY.fullmatch(name) is not None
