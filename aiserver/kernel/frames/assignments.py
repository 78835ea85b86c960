"""Follow assignments and ``del``, which change names, frames and Series."""

from __future__ import annotations

import ast
from typing import Any

from ..scopes.bindings import target_names
from .alignment import check_alignment
from .calls import Calls
from .labels import labels
from .values import (
    UNKNOWN,
    Frame,
    Indexer,
    Instance,
    Method,
    Series,
    Symbol,
    Texts,
    Value,
)


class Assignments(Calls):
    """Extends ``Calls`` with the statements that assign or delete."""

    def _on_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, (ast.List, ast.Tuple, ast.Dict)):
            self._expose(node.value)
        value = self.value(node.value)
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                frame = self.value(target.value)
                if isinstance(frame, Frame) and labels(self, self.key(target)).is_single:
                    check_alignment(self, frame, value, node.value)
            self._assign(target, value)

    def _on_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self.value(node.value))

    def _on_AugAssign(self, node: ast.AugAssign) -> None:
        self.value(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            value = self._names.get(target.id)
            self._names[target.id] = value.derive() if isinstance(value, Frame) else UNKNOWN
        elif isinstance(target, ast.Subscript):
            self._of_Subscript(target)
            self._assign(target, UNKNOWN)
        elif isinstance(target, ast.Attribute):
            self._assign(target, UNKNOWN)

    def _on_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._names[target.id] = UNKNOWN
            elif isinstance(target, ast.Subscript):
                frame = self.value(target.value)
                self._of_Subscript(target)
                wanted = labels(self, self.key(target))
                if isinstance(frame, Frame) and not self.is_conditional:
                    frame.columns = {n: None for n in frame.columns if n not in wanted.names}
                if not isinstance(frame, Frame) or self.is_conditional or not wanted.is_exact:
                    self._change_item(frame)

    def _assign(self, target: Any, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = value
            self._rebound.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List, ast.Starred)):
            for name in target_names(target):
                if name not in self._names or not isinstance(target, ast.Starred):
                    self._names[name] = UNKNOWN
            for child in ast.walk(target):
                if isinstance(child, (ast.Subscript, ast.Attribute)):
                    self._assign(child, UNKNOWN)
        elif isinstance(target, ast.Subscript):
            self._assign_item(target, value)
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)

    def _assign_item(self, target: ast.Subscript, value: Value) -> None:
        owner, key = self.value(target.value), self.key(target)
        if isinstance(owner, Frame):
            added = labels(self, key)
            owner.add(added.names)
            is_certain = added.is_single and not self.is_conditional
            if is_certain and isinstance(value, Series) and value.frame is owner:
                if value.dtype is not None:
                    owner.dtypes[added.names[0]] = value.dtype
            is_mask = self.is_mask(key) or isinstance(key, ast.Slice)
            if is_mask or not added.is_exact:
                owner.forget_values()
            if not added.is_exact and not is_mask:
                owner.has_unknown_columns = True
        elif isinstance(owner, Indexer):
            self.value(key)
            owner.frame.forget_values()
            if owner.name in ("loc", "at") and isinstance(key, ast.Tuple) and len(key.elts) == 2:
                added = labels(self, key.elts[1])
                owner.frame.add(added.names)
                is_slice = isinstance(key.elts[1], ast.Slice)
                owner.frame.has_unknown_columns = owner.frame.has_unknown_columns or not (
                    added.is_exact or is_slice
                )
            elif owner.name in ("loc", "at") and isinstance(key, ast.Name):
                owner.frame.has_unknown_columns = True
        else:
            self._change_item(owner)
            self.value(key)
            self.possible_columns.update(labels(self, key).names)

    def _change_item(self, owner: Value) -> None:
        """Record that an item of a value changes. An unknown value may be any frame or Series."""
        if isinstance(owner, Method):
            owner = owner.owner  # such as ``series`` in ``series.loc[0] = 1``
        if isinstance(owner, Series):
            owner.change()
        elif isinstance(owner, Frame):
            owner.forget_values()
        elif isinstance(owner, Texts):
            owner.values = None
        elif not isinstance(owner, (Symbol, Instance)):
            self.forget_values()

    def _assign_attribute(self, target: ast.Attribute, value: Value) -> None:
        owner = self.value(target.value)
        if isinstance(owner, Frame):
            if target.attr == "columns":
                named = labels(self, None)
                if isinstance(value, Value) and not isinstance(value, Method):
                    named = self.texts(value)
                if named.is_exact and named.items and not self.is_conditional:
                    owner.columns, owner.has_unknown_columns = dict.fromkeys(named.names), False
                    owner.forget_values()
                else:
                    owner.has_unknown_columns = True
            elif target.attr == "index":
                owner.index = owner.levels = None
            else:
                owner.attributes.add(target.attr)
                owner.dtypes.pop(target.attr, None)
        elif isinstance(target.value, ast.Attribute) and target.attr in ("name", "names"):
            frame = self.value(target.value.value)
            if isinstance(frame, Frame):
                frame.index = frame.levels = None
        else:
            self._change_item(owner)
