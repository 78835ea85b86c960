"""Find the earlier cells that define the variables which a request needs.

A cell that uses ``df`` needs the newest earlier cell that defines ``df``, and all cells in between
that change it in place. These may need further cells.

Invariants: no cell is run; a cell that isn't valid Python defines and uses nothing.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...unicode import parse_python

_MAGIC_LINE = re.compile(r"^[ \t]*[%!].*$|\?[ \t]*$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_BUILTINS = frozenset(dir(builtins))
_CHANGING_METHODS = frozenset(
    [
        *("add", "append", "clear", "discard", "extend", "fit", "insert", "partial_fit", "pop"),
        *("popitem", "remove", "reverse", "setdefault", "sort", "update"),
    ]
)


class CellNames(NamedTuple):
    """The names that a cell binds, whose objects it changes, and that it needs."""

    defined: frozenset[str]
    changed: frozenset[str]
    used: frozenset[str]


NO_NAMES = CellNames(frozenset(), frozenset(), frozenset())


@lru_cache(maxsize=4096)
def cell_names(code: str) -> CellNames:
    """Return the names in a Python cell, whose magics are ignored."""
    plain = _MAGIC_LINE.sub("", code)
    tree = parse_python(plain)
    if tree is None:
        return NO_NAMES
    try:
        table = symtable.symtable(plain, "cell", "exec")
        changed = set(_changed_names(tree))
        own = {symbol.get_name() for symbol in table.get_symbols() if _binds(symbol)}
        used = set(_global_uses(table)) - own | (_used_before_bound(tree) & own)
    except (SyntaxError, RecursionError, MemoryError):
        return NO_NAMES
    return CellNames(frozenset(own), frozenset(changed - own), frozenset(used - _BUILTINS))


def names_in_text(text: str, names: Collection[str]) -> set[str]:
    """Return the names among a text's words; Chinese has no spaces between them."""
    words = {word for part in _WORD.findall(text) for word in (part, *_ascii_words(part))}
    return words & set(names)


def needed_cells(cells: Sequence[CellNames], names: Collection[str]) -> list[int]:
    """Return the indexes of the cells that compute ``names``, directly or not."""
    writers: dict[str, list[int]] = {}  # by variable, the cells that define or change it
    for index, cell in enumerate(cells):
        for name in cell.defined | cell.changed:
            writers.setdefault(name, []).append(index)
    needed: dict[int, None] = {}  # used as an ordered set
    queue = [(len(cells), name) for name in sorted(names)]
    visited: set[tuple[int, str]] = set()
    for before, name in queue:  # the loop appends to it
        indexes = writers.get(name, [])
        for position in range(bisect_left(indexes, before) - 1, -1, -1):
            index = indexes[position]
            # If this pair was visited, so were the earlier cells. Cells above a definition are
            # about another object.
            if (index, name) in visited:
                break
            visited.add((index, name))
            cell = cells[index]
            if index not in needed:
                needed[index] = None
                queue += [(index, used) for used in sorted(cell.used | cell.changed)]
            if name not in cell.changed:
                break
    return list(needed)


def _ascii_words(word: str) -> list[str]:
    return [] if word.isascii() else re.findall(r"[A-Za-z_][A-Za-z0-9_]*", word)


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _global_uses(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the global names, also builtins, that a cell and its functions read."""
    is_cell = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_cell or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global_uses(child)


def _used_before_bound(tree: ast.Module) -> set[str]:
    """Return the names that are read before they are bound, as in ``df = df.dropna()``."""
    used: set[str] = set()
    bound: set[str] = set()
    for statement in tree.body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
            if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                read.add(statement.target.id)
            used |= read - bound
        bound |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        if isinstance(statement, ast.Import | ast.ImportFrom):
            bound |= {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    return used


def _changed_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names of changed objects, as in ``df["a"] = 1`` and ``rows.append(row)``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.Delete):
            targets = node.targets
        elif isinstance(node, ast.Expr) and _changes_object(node.value):
            targets = [node.value.func]  # type: ignore[attr-defined]
        else:
            continue
        for target in targets:
            for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                root = part
                while isinstance(root, ast.Subscript | ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and root is not part:
                    yield root.id


def _changes_object(node: ast.expr) -> bool:
    """Return whether a call changes its object, by its method's name and ``inplace``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            node.func.attr in _CHANGING_METHODS
            or any(keyword.arg == "inplace" for keyword in node.keywords)
        )
    )
