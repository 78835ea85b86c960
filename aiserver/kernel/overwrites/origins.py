"""Determine how much a value has of the data in one of the kernel's DataFrames."""

from __future__ import annotations

import ast
from typing import Any

from .constants import Constants
from .methods import COMPLETE, LOST, OTHER, READ, UNSURE, effect_of_method, integer, is_in_place
from .stored_frames import StoredFrame, stored_frame


class Origin:
    """The effect of a value on the DataFrame ``name``; with ``is_same``, it is the DataFrame."""

    def __init__(self, effect: str, name: str = "", is_same: bool = False) -> None:
        self.effect, self.name, self.is_same = effect, name, is_same

    def copy(self) -> Origin:
        return Origin(self.effect, self.name)


class Origins(Constants):
    """Evaluates expressions of a suggestion, without running them."""

    def __init__(self, variables: dict[str, Any]) -> None:
        super().__init__(variables)
        self.names: dict[str, Origin] = {}  # of the names that the suggestion has assigned
        self._frames: dict[str, StoredFrame | None] = {}

    def bind(self, name: str, origin: Origin, node: ast.AST | None = None) -> None:
        """Record that the suggestion has bound a name to the value of ``node``."""
        self.assign(name, node)
        self.names[name] = origin

    def use_import(self, name: str, path: str) -> None:
        super().use_import(name, path)
        self.names.pop(name, None)

    def frame(self, name: str) -> StoredFrame | None:
        """Return the DataFrame of this name in the kernel; None if there is none."""
        if name not in self._frames:
            try:
                self._frames[name] = stored_frame(self.variables.get(name))
            except Exception:  # the object lacks an attribute in this version of its library
                self._frames[name] = None
        return self._frames[name]

    def of(self, node: ast.AST | None) -> Origin:
        """Return the origin of an expression's value."""
        method = getattr(self, "_of_" + type(node).__name__, None)
        if method is not None:
            origin: Origin = method(node)
            return origin
        return Origin(LOST if isinstance(node, _NEW_VALUES) else UNSURE)

    def frame_name(self, node: ast.AST) -> str:
        """Return the name of the kernel's DataFrame that an expression stands for; "" if none."""
        origin = self.of(node)
        return origin.name if origin.is_same and self.frame(origin.name) is not None else ""

    def _of_Name(self, node: ast.Name) -> Origin:
        if node.id in self.names:
            return self.names[node.id]
        if self.frame(node.id) is not None:
            return Origin(COMPLETE, node.id, is_same=True)
        return Origin(OTHER if node.id in self.variables else UNSURE, node.id)

    def _of_NamedExpr(self, node: Any) -> Origin:
        return self.of(node.value)

    def _of_IfExp(self, node: ast.IfExp) -> Origin:
        first, second = self.of(node.body), self.of(node.orelse)
        return first.copy() if first.effect == second.effect == LOST else Origin(UNSURE)

    def _of_Attribute(self, node: ast.Attribute) -> Origin:
        owner = self.of(node.value)
        if owner.effect == COMPLETE:
            frame = self.frame(owner.name)
            is_part = node.attr in _PARTS or (frame is not None and node.attr in frame.columns)
            return Origin(LOST if is_part else UNSURE, owner.name)
        return owner.copy() if owner.effect in (LOST, READ) else Origin(UNSURE)

    # Subscripts

    def _of_Subscript(self, node: ast.Subscript) -> Origin:
        owner, key, selected = self.of(node.value), key_of(node), node.value
        if owner.effect == COMPLETE:
            return self._select(owner, key)
        if isinstance(selected, ast.Attribute) and selected.attr in ("loc", "iloc"):
            frame_origin = self.of(selected.value)
            if frame_origin.effect == COMPLETE:
                return self._select_by_indexer(frame_origin, key)
        return owner.copy() if owner.effect in (LOST, READ) else Origin(UNSURE)

    def _select(self, owner: Origin, key: Any) -> Origin:
        """Return the origin of ``frame[key]``."""
        frame = self.frame(owner.name)
        if frame is None:
            return Origin(UNSURE)
        if isinstance(key, ast.Slice):
            return Origin(COMPLETE if _has_all(key, frame.rows) else LOST, owner.name)
        if self.is_mask(key) or self.text(key) is not None:
            return Origin(LOST, owner.name)
        names = self.texts(key)
        if names is None:
            return Origin(UNSURE)
        has_all = set(names) >= frame.columns and len(frame.columns) == frame.width
        return Origin(COMPLETE if has_all else LOST, owner.name)

    def _select_by_indexer(self, owner: Origin, key: Any) -> Origin:
        rows, columns = key, None
        if isinstance(key, ast.Tuple) and len(key.elts) == 2:
            rows, columns = key.elts
        selected = self._select(owner, rows)
        if selected.effect != COMPLETE or columns is None:
            return selected
        if isinstance(columns, ast.Slice):
            is_full = columns.lower is columns.upper is columns.step is None
            return Origin(COMPLETE if is_full else UNSURE, owner.name)
        return self._select(owner, columns)

    # Calls

    def _of_Call(self, node: ast.Call) -> Origin:
        path = self.path(node.func)
        if path:
            return self._call_function(path, node)
        if not isinstance(node.func, ast.Attribute):
            return Origin(UNSURE)
        owner = self.of(node.func.value)
        if owner.effect == COMPLETE and is_in_place(node):
            return Origin(LOST)  # the result is None
        if owner.effect == COMPLETE:
            frame = self.frame(owner.name)
            effect = effect_of_method(self, frame, node.func.attr, node) if frame else UNSURE
            return Origin(effect, owner.name)
        return owner.copy() if owner.effect in (LOST, READ) else Origin(UNSURE)

    def _call_function(self, path: str, node: ast.Call) -> Origin:
        library, _, name = path.partition(".")
        name = name.rpartition(".")[2]
        first = self.of(node.args[0]) if node.args else Origin(UNSURE)
        if path in ("copy.copy", "copy.deepcopy"):
            return first.copy()
        if name.startswith(("read_", "scan_")) or name == "load_dataset":
            return Origin(READ if library in _DATA_LIBRARIES else UNSURE)
        if name in ("DataFrame", "from_pandas") and first.effect == COMPLETE:
            is_plain = len(node.args) == 1 and not node.keywords
            return first.copy() if is_plain else Origin(UNSURE)
        is_new = library in _DATA_LIBRARIES or path in _FUNCTIONS_OF_NEW_VALUES
        return Origin(LOST if is_new else UNSURE)

    def columns_in(self, node: Any) -> list[str] | None:
        """Return the columns over which ``for column in …`` iterates; None if they aren't known."""
        if isinstance(node, ast.Attribute) and node.attr == "columns":
            origin = self.of(node.value)
            frame = self.frame(origin.name)
            return (
                sorted(frame.columns) if frame is not None and origin.effect == COMPLETE else None
            )
        return self.texts(node)


def key_of(node: ast.Subscript) -> Any:
    """Return the key of a subscript, in the form that the AST has since CPython 3.9."""
    key: Any = node.slice
    if type(key).__name__ == "Index":
        return key.value
    if type(key).__name__ == "ExtSlice":
        return ast.Tuple([getattr(part, "value", part) for part in key.dims], ast.Load())
    return key


def _has_all(key: ast.Slice, count: int) -> bool:
    """Return whether a slice selects all of ``count`` rows."""
    if key.step is not None or key.lower is not None:
        return False
    upper = integer(key.upper)
    return key.upper is None or (upper is not None and upper >= count)


# Expressions whose value is a new object, so that it has nothing of a DataFrame.
_NEW_VALUES = (
    *(ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda),
    *(ast.BinOp, ast.UnaryOp, ast.Compare),
)
_DATA_LIBRARIES = ("pandas", "polars", "numpy", "seaborn")
_FUNCTIONS_OF_NEW_VALUES = {
    "builtins." + name
    for name in "len list dict set tuple sum max min sorted range zip enumerate str int float bool "
    "open print input abs round repr type".split()
} | {"sklearn.model_selection.train_test_split"}
# Attributes of a DataFrame that aren't the DataFrame.
_PARTS = set(
    "T values columns index shape dtypes size loc iloc at iat axes ndim empty style schema width "
    "height".split()
)
