"""Find the DataFrames of the kernel that an undefined name of a suggestion may mean.

Small models often translate a name: for a DataFrame called ``销售``, they write ``sales``. Only the
use of the name shows what it means.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..inspection.objects import class_attributes, loaded_value
from .values import Frame

# Arguments that take a DataFrame, as in ``sns.barplot(data=sales)``.
_FRAME_ARGUMENTS = ("data", "data_frame")


class NameUses:
    """The uses of an undefined name in a suggestion.

    ``columns`` and ``attributes`` are read from the name directly. ``texts`` are strings in chains
    that begin with the name, as in ``sales.groupby("city")["price"]``. ``is_changed`` tells whether
    a column or attribute is set or deleted.
    """

    def __init__(self, tree: ast.Module, name: str) -> None:
        self.columns: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: set[str] = set()
        self.is_used_as_frame = False
        self.is_changed = False
        for node in ast.walk(tree):
            if isinstance(node, (ast.Subscript, ast.Attribute)) and _is_name(node.value, name):
                self._add_access(node)
            if isinstance(node, ast.Subscript) and _root(node) == name:
                self.texts.update(_strings(node.slice))
            elif isinstance(node, ast.Call):
                self._add_call(node, name)

    def _add_access(self, node: ast.Subscript | ast.Attribute) -> None:
        self.is_used_as_frame = True
        if not isinstance(node.ctx, ast.Load):
            self.is_changed = True
        elif isinstance(node, ast.Attribute):
            self.attributes.add(node.attr)
        else:
            self.columns.update(_strings(node.slice, depth=1))

    def _add_call(self, node: ast.Call, name: str) -> None:
        given = [keyword for keyword in node.keywords if keyword.arg in _FRAME_ARGUMENTS]
        is_given = any(_is_name(keyword.value, name) for keyword in given)
        self.is_used_as_frame = self.is_used_as_frame or is_given
        if is_given or _root(node) == name:
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                self.texts.update(_strings(argument))


def meant_frames(tree: ast.Module, name: str, frames: dict[str, Frame]) -> tuple[list[str], str]:
    """Return the frames that ``name`` may mean, and the one that it certainly means, or "".

    A frame is returned if it has all columns and attributes that the suggestion reads from
    ``name``. It is certain if only this one has a column that the suggestion uses after ``name``,
    and if the suggestion doesn't change what ``name`` means and reads the frame's own name only
    after it has assigned to it, as in ``销售["tax"] = sales["price"] * 0.2``.
    """
    uses = NameUses(tree, name)
    possible: list[str] = []
    likely: list[str] = []
    for other, frame in frames.items() if uses.is_used_as_frame else ():
        methods = class_attributes(loaded_value(frame.library, "DataFrame"))
        has_all = uses.columns.issubset(frame.columns)
        if has_all and all(item in frame.columns or item in methods for item in uses.attributes):
            used = uses.columns | uses.texts | (uses.attributes - methods)
            (likely if used.intersection(frame.columns) else possible).append(other)
    is_certain = len(likely) == 1 and not uses.is_changed and not _is_read_first(tree, likely[0])
    return likely + possible, likely[0] if is_certain else ""


def _is_read_first(tree: ast.Module, name: str) -> bool:
    """Return whether a name is read before it, or an item of it, is assigned."""
    written: dict[int, tuple[int, int]] = {}  # the ends of assignments by the ids of their targets
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            end = (node.end_lineno or 0, node.end_col_offset or 0)
            written.update((id(part), end) for each in node.targets for part in ast.walk(each))
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    first = min(
        uses, key=lambda use: written.get(id(use), (use.lineno, use.col_offset)), default=None
    )
    return first is not None and id(first) not in written


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.AST, depth: int = 3) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif type(node).__name__ == "Index":  # Python 3.8
        yield from _strings(next(ast.iter_child_nodes(node)), depth)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Dict)) and depth:
        for child in ast.iter_child_nodes(node):
            yield from _strings(child, depth - 1)
