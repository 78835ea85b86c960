"""Find the DataFrames of the kernel that an undefined name of a suggestion may mean.

Small models often translate a name: for a DataFrame called ``销售``, they write ``sales``. The two
names have nothing in common, but the way in which the suggestion uses the name shows what it means.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..inspection.objects import class_attributes, loaded_value
from .values import Frame

# Names of keyword arguments that take a DataFrame, as in ``sns.barplot(data=sales)``.
_FRAME_ARGUMENTS = ("data", "data_frame")


def meant_frames(tree: ast.Module, name: str, frames: dict[str, Frame]) -> tuple[list[str], str]:
    """Return the frames that ``name`` may mean, and the one that it certainly means, or "".

    ``frames`` contains the frames by the names of their variables. A frame is returned if it has
    everything that the suggestion reads from ``name`` directly: columns and attributes. It is
    certain if it is the only one of them with a column that occurs in the same statements.
    """
    columns, attributes, texts, is_used = _uses(tree, name)
    possible: list[str] = []
    certain: list[str] = []
    for other, frame in frames.items():
        kind = loaded_value(frame.library, "DataFrame")
        is_possible = is_used and all(column in frame.columns for column in columns)
        for attribute in attributes:
            is_column = attribute in frame.columns
            is_possible = is_possible and (is_column or attribute in class_attributes(kind))
        if is_possible:
            has_column = any(text in frame.columns for text in texts | attributes)
            (certain if has_column else possible).append(other)
    return certain + possible, certain[0] if len(certain) == 1 else ""


def _uses(tree: ast.Module, name: str) -> tuple[set[str], set[str], set[str], bool]:
    """Return how the suggestion uses a name.

    The result contains the columns and attributes that it reads from the name directly, all texts
    in the statements with the name, and whether any use is like that of a DataFrame.
    """
    columns: set[str] = set()
    attributes: set[str] = set()
    texts: set[str] = set()
    is_used = False
    for statement in tree.body:
        nodes = list(ast.walk(statement))
        if not any(_is_name(node, name) for node in nodes):
            continue
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.Subscript) and _is_name(node.value, name):
                is_used = True
                if isinstance(node.ctx, ast.Load):
                    columns.update(_index_texts(node.slice))
            elif isinstance(node, ast.Attribute) and _is_name(node.value, name):
                is_used = True
                attributes.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg in _FRAME_ARGUMENTS:
                is_used = is_used or _is_name(node.value, name)
    return columns, attributes, texts, is_used


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _index_texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts of an index: of ``"a"`` or of ``["a", "b"]``."""
    node = getattr(node, "value", node) if type(node).__name__ == "Index" else node  # Python 3.8
    for item in node.elts if isinstance(node, ast.List) else [node]:
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            yield item.value
