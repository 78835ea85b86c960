"""Find what a suggestion would overwrite: DataFrames in the kernel, and files.

A warning isn't a problem: the code does what it says. It is a dict with these keys:

- ``line``, ``column``, ``end_line`` and ``end_column``, as in a problem
- ``kind``: ``replaced`` (the name gets another value), ``reloaded`` (the same, read from a file),
  ``deleted``, ``changed`` (in place), ``columns`` (existing columns are overwritten) or ``file``
- ``name``: the name of the DataFrame, or the path of the file
- ``rows`` and ``width``: the size of the DataFrame; 0 for a file
- ``labels``: the overwritten columns
- ``other_name``: another name for the result of an assignment, or ""
- ``uses``: the line and column of each place where this name has to replace the old one

There is at most one warning for each DataFrame and file. Nothing is reported for:

- statements that may be skipped, and the bodies of functions
- new columns, and a new order of rows or columns
- statements that the cell has already, and files that it writes
- names that the cell's own code defines, if the suggestion defines them, too
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import re
import sys
from collections.abc import Collection
from typing import Any

from .frames.flow import Flow
from .frames.functions import file_exists, is_local
from .frames.polars_methods import output_names
from .frames.values import UNKNOWN, Arguments, Frame, Indexer, Symbol, Texts, Value
from .inspection.objects import has_own_index, loaded_value
from .problems import Problems, printable
from .scopes.bindings import bound_names, target_names
from .source import Source

_MAX_WARNINGS = 10
_MAX_LABELS = 5
# The gravest kind first. Only the gravest warning is returned for a DataFrame.
_GRAVITY = ("deleted", "replaced", "reloaded", "file", "changed", "columns")
# Methods that change a DataFrame without ``inplace``.
_CHANGING = {"update", "isetitem", "replace_column", "extend"}
_REMOVING = {"pop", "drop_in_place"}
# The first argument of these is the path of the file that they write.
_WRITERS = set(
    "to_csv to_excel to_parquet to_json to_pickle to_feather to_html to_xml to_latex to_stata "
    "to_markdown to_orc write_csv write_parquet write_json write_ndjson write_excel write_ipc "
    "write_avro write_html write_image savefig savetxt ExcelWriter imsave".split()
)
_PATH_METHODS = {"write_text", "write_bytes", "open"}
_PATH_PARAMETERS = ("first", "path_or_buf", "path", "excel_writer", "fname", "file")
# Attributes of a DataFrame that aren't the DataFrame.
_PARTS = {"T", "values", "columns", "index", "shape", "dtypes", "size", "empty", "style"}
# Methods whose result has all rows and columns, perhaps in another order.
_KEEPING = set(
    "copy sort_values sort_index reset_index convert_dtypes infer_objects rename_axis clone sort "
    "rechunk with_row_index".split()
)
# Methods that return a number of rows, by default 5 or 1.
_LIMITING = {"head", "tail", "limit", "sample", "nlargest", "nsmallest"}
# Methods whose result lacks rows, columns or values, or has another shape.
_LOSING = set(
    "dropna drop_duplicates query filter groupby group_by pivot pivot_table melt unpivot stack "
    "unstack merge join agg aggregate apply applymap map transform transpose describe value_counts "
    "corr count sum mean median min max std var quantile nunique select_dtypes select isin isna "
    "isnull notna notnull duplicated to_numpy to_dict to_list to_pandas fillna ffill bfill replace "
    "clip round astype where mask interpolate explode drop_nulls drop_nans unique cast fill_null "
    "fill_nan slice get_column resample rolling diff pct_change shift cumsum rank reindex pop "
    "set_index".split()
)


class StoredFrame:
    """A DataFrame in the kernel; ``columns`` are its labels that are texts."""

    def __init__(self, name: str, obj: Any, frame: Frame) -> None:
        self.name, self.obj, self.columns = name, obj, set(frame.columns)
        if frame.library == "pandas" and not all(map(has_own_index, (obj.index, obj.columns))):
            raise TypeError("Reading the size could run a person's code.")
        self.rows, self.width = obj.shape


class Origin:
    """The part of a DataFrame's data that a value has.

    ``frame`` is the DataFrame of which the value has all data, and perhaps more columns; None if it
    is new or lacks data. ``is_same`` tells whether the value is the DataFrame or has replaced it,
    ``is_read`` whether it was read from a file, ``is_changed`` whether the suggestion has changed
    it, or what it was copied from.
    """

    def __init__(
        self,
        frame: StoredFrame | None = None,
        is_same: bool = False,
        is_read: bool = False,
        is_changed: bool = False,
    ) -> None:
        self.frame, self.is_same, self.is_read = frame, is_same, is_read
        self.is_changed = is_changed

    def after(self, keeps_all: bool | None) -> Origin | None:
        """Return the origin of an operation's result, or None."""
        if keeps_all is None:
            return None
        return Origin(self.frame, is_changed=self.is_changed) if keeps_all else Origin()


class Origins(Flow):
    """Records the origins of values; reports no problems."""

    finds_signals = False

    def report(self, *_: Any, **__: Any) -> None: ...

    report_code = report

    def origin(self, node: ast.AST) -> Origin | None:
        """Return the origin of an expression's value; None if it isn't certain."""
        origin: Origin | None = self.value(node).origin
        return origin

    def value(self, node: ast.AST) -> Value:
        is_new = not isinstance(node, ast.Name) and id(node) not in self._memo
        value = super().value(node)
        method = getattr(self, "_origin_of_" + type(node).__name__, None) if is_new else None
        origin: Origin | None = method(node) if method is not None else None
        if origin is not None:
            if value is UNKNOWN or value.origin is not None:
                value = self._memo[id(node)] = Value()
            value.origin = origin
        return value

    def _name(self, name: str) -> Value:
        value = super()._name(name)
        if isinstance(value, Frame) and name not in self._names and value.origin is None:
            with contextlib.suppress(Exception):  # an attribute is missing in this version
                value.origin = Origin(StoredFrame(name, self.variables[name], value), is_same=True)
        return value

    def _origin_of_Constant(self, node: ast.AST) -> Origin:
        return Origin()

    _origin_of_JoinedStr = _origin_of_BinOp = _origin_of_UnaryOp = _origin_of_Constant
    _origin_of_Compare = _origin_of_Constant

    def _origin_of_Attribute(self, node: ast.Attribute) -> Origin | None:
        owner = self.origin(node.value)
        if owner is None or owner.frame is None:
            return owner
        return Origin() if node.attr in _PARTS or node.attr in owner.frame.columns else None

    def _origin_of_Subscript(self, node: ast.Subscript) -> Origin | None:
        selected, rows, columns = self.value(node.value), self.key(node), None
        if isinstance(selected, Indexer):
            selected = selected.frame
            if isinstance(rows, ast.Tuple) and len(rows.elts) == 2:
                rows, columns = rows.elts
        owner: Origin | None = selected.origin
        if owner is None or owner.frame is None:
            return owner
        has_all = self._selects_all(owner.frame, rows)
        if has_all and columns is not None:
            is_slice = isinstance(columns, ast.Slice)
            has_all = None if is_slice else self._selects_all(owner.frame, columns)
        return owner.after(has_all)

    def _selects_all(self, frame: StoredFrame, key: Any) -> bool | None:
        if isinstance(key, ast.Slice):
            lower, upper = (getattr(part, "value", part) for part in (key.lower, key.upper))
            if key.step is not None or not {type(lower), type(upper)} <= {int, type(None)}:
                return None
            return not lower and (upper is None or upper >= frame.rows)
        wanted = self.labels(key)
        if self.is_mask(key) or wanted.is_single:
            return False
        has_all = set(wanted.names) >= frame.columns and len(frame.columns) == frame.width
        return has_all if wanted.is_exact else None

    def _origin_of_Call(self, node: ast.Call) -> Origin | None:
        method: Any = node.func
        owner = self.origin(method.value) if isinstance(method, ast.Attribute) else None
        if owner is None:
            return self._origin_of_function(node)
        if owner.frame is None or is_in_place(node):  # the result of the latter is None
            return Origin(is_read=owner.is_read)
        return owner.after(self.keeps_all(owner.frame, method.attr, node))

    def _origin_of_function(self, node: ast.Call) -> Origin | None:
        called = self.value(node.func)
        library, _, name = getattr(called, "path", "").rpartition(".")
        first = self.origin(node.args[0]) if node.args else None
        is_copy = name in ("DataFrame", "from_pandas") and first is not None and first.frame
        if library not in ("pandas", "polars", "numpy", "seaborn") or is_copy:
            return None
        return Origin(is_read=name.startswith(("read_", "scan_", "load_dataset")))

    def keeps_all(self, frame: StoredFrame, name: str, node: ast.Call) -> bool | None:
        """Return whether a method's result has all data; None if it isn't certain."""
        arguments = Arguments(node, "first")
        if not arguments.is_exact:
            return None
        if name in ("assign", "with_columns"):
            outputs = [output_names(self, given) for given in node.args]
            names = {name for part in outputs for name in part or ()}.union(arguments.keywords)
            return frame.columns.isdisjoint(names) if None not in outputs else None
        if name in _LIMITING:
            default = None if arguments.given() else 5
            count = arguments.constant("first", arguments.constant("n", default))
            return False if type(count) is int and count < frame.rows else None
        if name in ("drop", "rename"):
            wanted = self.labels(arguments.get("columns", "labels", "first"))
            if not frame.columns.isdisjoint(wanted.names):
                return False
            is_certain = name == "drop" and "errors" not in arguments.given()
            return False if is_certain and not (wanted.items and wanted.is_exact) else None
        if name in _LOSING and "drop" not in arguments.given():
            return False
        return True if name in _KEEPING else None


def is_in_place(node: ast.Call) -> bool:
    arguments = Arguments(node, "")
    return arguments.constant("inplace", arguments.constant("in_place")) is True


def find_overwrites(
    source: Source, variables: dict[str, Any], original: str, deadline: float, folder: str
) -> list[dict[str, Any]]:
    """Return sorted warnings. ``original`` is the cell's own code."""
    own = _Finder(Source(original), variables, deadline, folder)
    finder = _Finder(source, variables, deadline, folder, own)
    warnings = list(finder.warnings.values())[:_MAX_WARNINGS]
    return sorted(warnings, key=lambda item: (item["line"], item["column"]))


class _Finder(Origins):
    """Follows a suggestion's statements, and collects warnings.

    ``own`` is the finder for the cell's own code. ``files`` are those that the code writes.
    """

    def __init__(
        self,
        source: Source,
        variables: dict[str, Any],
        deadline: float,
        folder: str,
        own: _Finder | None = None,
    ) -> None:
        sink = Problems(source.text, source.indent, sys.maxsize, deadline)
        super().__init__(sink, variables, folder, source)
        self.tree = source.tree or ast.Module([], [])
        self.warnings: dict[tuple[bool, str], dict[str, Any]] = {}
        self.files: set[str] = set()
        self.statements: set[str] = set()
        for node in () if own else ast.walk(self.tree):
            sink.check_time()
            if isinstance(node, ast.stmt):
                self.statements.add(ast.dump(node))
        self._source, self._own = source, own or self
        self._current: ast.stmt = ast.Pass()
        self._block(self.tree.body)

    # Statements

    def _statement(self, node: ast.stmt) -> None:
        self._current = node
        super()._statement(node)

    def _on_For(self, node: Any) -> None:
        iterated = self.value(node.iter)
        item = Value()
        item.origin = Origin()
        self._assign(node.target, iterated if isinstance(iterated, Texts) else item)
        self._block(node.body)
        self._forget(bound_names(node))
        self._branch(node.orelse, set())

    _on_AsyncFor = _on_For

    def _on_Try(self, node: Any) -> None:
        self._block(node.body)
        for handler in node.handlers:
            self._branch(handler.body, set())
        self._branch(node.orelse, set())
        self._block(node.finalbody)

    _on_TryStar = _on_Try

    # Names

    def _assign(self, target: Any, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._rebind(target, value)
        super()._assign(target, value)

    def _rebind(self, target: ast.Name, value: Value) -> None:
        name, origin, previous = target.id, value.origin, self._own_origin(target.id)
        if origin is None:
            return
        if origin.frame is not None and origin.frame.obj is self.variables.get(name):
            if previous is not None and self._is_certain:
                previous.is_same = False
            origin.is_same = True  # a copy has replaced the DataFrame
            if self._is_certain and not origin.is_changed:
                self.warnings.pop((False, name), None)
        elif previous is not None and not self._is_redefined(name):
            self._warn("reloaded" if origin.is_read else "replaced", previous, target, name=name)

    def _own_origin(self, name: str) -> Origin | None:
        """Return the origin if the name's value is the DataFrame, or has replaced it."""
        origin: Origin | None = self._name(name).origin
        frame = origin.frame if origin is not None and origin.is_same else None
        return origin if frame is not None and frame.obj is self.variables.get(name) else None

    def _is_redefined(self, name: str) -> bool:
        for statement in [] if _reads_name(self._current, name) else self._own.tree.body:
            if name in bound_names(ast.Module([statement], [])) or _reads_name(statement, name):
                return not _reads_name(statement, name)
        return False

    # Changes in place

    def _on_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._warn("deleted", self._own_origin(target.id), target, name=target.id)
            elif isinstance(target, ast.Subscript):
                names = self.labels(self.key(target)).names
                self._warn("changed", self.origin(target.value), target, names)
        super()._on_Delete(node)

    def _assign_attribute(self, target: ast.Attribute, value: Value) -> None:
        columns = None if target.attr == "columns" else [target.attr]
        self._warn("columns" if columns else "changed", self.origin(target.value), target, columns)
        super()._assign_attribute(target, value)

    def _assign_item(self, target: ast.Subscript, value: Value) -> None:
        owner, rows = self.value(target.value), self.key(target)
        columns, indexer = rows, owner.name if isinstance(owner, Indexer) else ""
        origin = owner.frame.origin if isinstance(owner, Indexer) else owner.origin
        if indexer and isinstance(rows, ast.Tuple) and len(rows.elts) == 2:
            rows, columns = rows.elts
        if indexer in ("iloc", "iat") or (rows is columns and self.is_mask(rows)):
            self._warn("changed", origin, target)
        elif not indexer or rows is not columns:
            self._warn("columns", origin, target, self.labels(columns).names)
        super()._assign_item(target, value)

    # Calls

    def _of_Call(self, node: ast.Call) -> Value:
        path = self._written_file(node)
        if path:
            self.files.add(path)
            is_other = self.folder and path not in self._own.files and is_local(path)
            if is_other and file_exists(path, self.folder):
                self._warn("file", None, node, name=path)
        method: Any = node.func
        origin = self.origin(method.value) if isinstance(method, ast.Attribute) else None
        if origin is not None and origin.frame is not None:
            is_lost = is_in_place(node) and self.keeps_all(origin.frame, method.attr, node) is False
            if method.attr in _REMOVING and node.args:
                self._warn("changed", origin, node, self.labels(node.args[0]).names)
            elif method.attr in _CHANGING or is_lost:
                self._warn("changed", origin, node)
        return super()._of_Call(node)

    def _call(self, called: Value, node: ast.Call) -> Value:
        is_path = isinstance(called, Symbol) and called.value is loaded_value("pathlib", "Path")
        if is_path and len(node.args) == 1:
            return self.value(node.args[0])
        return super()._call(called, node)

    def _written_file(self, node: ast.Call) -> str:
        function, arguments = node.func, Arguments(node, "first")
        path, mode = arguments.get(*_PATH_PARAMETERS), arguments.constant("mode", "w")
        if isinstance(function, ast.Attribute) and function.attr in _PATH_METHODS:
            path = None if isinstance(function.value, ast.Constant) else function.value
            if function.attr == "open":
                mode = arguments.constant("first", arguments.constant("mode", "r"))
        elif isinstance(function, ast.Name):
            called = self.value(function)
            is_open = isinstance(called, Symbol) and called.path == "builtins.open"
            mode = Arguments(node, "first mode").constant("mode", "r") if is_open else ""
        elif not isinstance(function, ast.Attribute) or function.attr not in _WRITERS:
            return ""
        wanted = self.labels(path)
        return wanted.names[0] if wanted.is_single and type(mode) is str and "w" in mode else ""

    # Warnings

    @property
    def _is_certain(self) -> bool:
        return not self.is_conditional and not self.ignored_kinds

    def _warn(
        self,
        kind: str,
        origin: Origin | None,
        at: ast.AST,
        columns: list[str] | None = None,
        name: str = "",
    ) -> None:
        frame = origin.frame if origin is not None else None
        existing = [column for column in columns or () if frame and column in frame.columns]
        if columns is not None and not existing:
            return
        if origin is not None and kind in ("changed", "columns"):
            origin.is_changed = True
        is_own = ast.dump(self._current) in self._own.statements
        is_other = kind != "file" and (origin is None or frame is None or not origin.is_same)
        if is_own or is_other or not self._is_certain:
            return
        name = name or (frame.name if frame is not None else "")
        shown = [printable(column) for column in existing]
        previous = self.warnings.get((kind == "file", name))
        if previous is not None and _GRAVITY.index(previous["kind"]) <= _GRAVITY.index(kind):
            if kind == previous["kind"] == "columns":
                merged = dict.fromkeys([*previous["labels"], *shown])
                previous["labels"] = list(merged)[:_MAX_LABELS]
            return
        uses = self._uses(name) if kind in ("replaced", "reloaded") else []
        self.warnings[(kind == "file", name)] = {
            **self.problems.position(at),
            "kind": kind,
            "name": printable(name),
            "rows": frame.rows if frame is not None else 0,
            "width": frame.width if frame is not None else 0,
            "labels": shown[:_MAX_LABELS],
            "other_name": self._free_name(name) if uses else "",
            "uses": uses,
        }

    def _uses(self, name: str) -> list[list[int]]:
        """Return the positions to rename; [] if not all can be."""
        uses = uses_after(self.tree, self._current, name)
        if uses is None or self._source.has_magic_with(name, self._current.lineno):
            return []
        positions = [self.problems.position(use) for use in uses]
        return sorted([position["line"], position["column"]] for position in positions)

    def _free_name(self, name: str) -> str:
        code = ast.get_source_segment(self._source.text, self._current) or ""
        names = target_names(self.tree) | target_names(self._own.tree)
        return free_name(name, code, names.union(self.variables, dir(builtins)))


def _reads_name(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load)
        for child in ast.walk(node)
    )


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.NamedExpr)
_GROUPED_BY = re.compile(r"""\.group_?by\(\[?["'](\w+)["'](?:[])]|, *\w+ *=)""")  # by one column


def free_name(name: str, code: str, taken: Collection[str]) -> str:
    """Return a new name: ``sales_by_region`` for groups, or else ``sales_2``."""
    key = _GROUPED_BY.search(code)
    by_key = f"{name}_by_{key.group(1)}" if key is not None else ""
    if by_key.isidentifier() and by_key not in taken:
        return by_key
    base, number = re.sub(r"_\d+$", "", name), 2
    while f"{base}_{number}" in taken:
        number += 1
    return f"{base}_{number}"


def uses_after(tree: ast.Module, statement: ast.stmt, name: str) -> list[ast.Name] | None:
    """Return an assignment's target and the later uses of its name.

    Return None if it isn't certain that all can be renamed, as in a nested statement, or if a
    function binds the name.
    """
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement not in tree.body:
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    index = tree.body.index(statement)
    for node in ast.walk(ast.Module(tree.body[:index], [])):
        if isinstance(node, _SCOPES) and name in target_names(node):
            return None  # a function above may run later
        value = node.value if isinstance(node, _ASSIGNMENTS) else None
        if isinstance(value, ast.Name) and value.id == name:
            return None  # the DataFrame may be changed through another name
    nodes = [node for part in [*targets, *tree.body[index + 1 :]] for node in ast.walk(part)]
    is_simple = all(isinstance(target, ast.Name) for target in targets)
    if not is_simple or any(_is_other_use(node, name) for node in nodes):
        return None
    return [node for node in nodes if isinstance(node, ast.Name) and node.id == name]


def _is_other_use(node: ast.AST, name: str) -> bool:
    if isinstance(node, _SCOPES):
        return name in bound_names(node) or getattr(node, "name", "") == name
    if isinstance(node, ast.comprehension):
        return name in target_names(node.target)
    if isinstance(node, ast.Constant):  # as in ``query("price > @limit")``
        return type(node.value) is str and bool(re.search(rf"@{re.escape(name)}\b", node.value))
    if isinstance(node, ast.JoinedStr):  # before CPython 3.12, positions in f-strings are wrong
        return sys.version_info < (3, 12) and name in target_names(node)
    if isinstance(node, (ast.Name, ast.Attribute, ast.keyword)):
        return False
    fields = [value for _, value in ast.iter_fields(node)]
    return any(value == name or (isinstance(value, list) and name in value) for value in fields)
