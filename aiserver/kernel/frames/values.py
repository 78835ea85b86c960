"""The values in a suggestion, as far as the check can determine them without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ..inspection.dtypes import Dtype
from ..problems import MAX_NAME_LENGTH, Problems, has_one_line


class Value:
    """A value. An instance of this base class is a value about which nothing is known.

    ``origin`` tells how much it has of a DataFrame's data; see ``overwrites/origins.py``.
    """

    origin: Any = None


UNKNOWN = Value()


class Text(Value):
    """A string."""

    def __init__(self, value: str) -> None:
        self.value = value


class Texts(Value):
    """A list of strings; ``values`` is None once the list may have changed."""

    def __init__(self, values: list[str] | None) -> None:
        self.values = values


class Symbol(Value):
    """A module, function or class.

    ``path`` is its dotted name. ``value`` is the object itself, or ``MISSING`` if its module isn't
    loaded. For ``polars.col``, it is ``MISSING``, too.
    """

    def __init__(self, path: str, value: Any, is_module: bool = False) -> None:
        self.path, self.value, self.is_module = path, value, is_module


class Instance(Value):
    """An instance of the library class ``kind``, but not of a subclass."""

    def __init__(self, kind: type) -> None:
        self.kind = kind


class Frame(Value):
    """A DataFrame.

    ``columns`` contains the columns that the frame may have. If ``has_unknown_columns`` is true,
    the frame may have any other column, too. ``index`` contains the possible names of the frame's
    index, or is None if they aren't known. ``levels`` is the number of levels of the index, or None
    if it isn't known. ``attributes`` contains the names of attributes that aren't columns.
    ``dtypes`` has the dtypes of columns, as far as they are known. If ``index`` is empty,
    ``has_number_index`` tells whether the frame is known to have rows and an index that numbers
    them.
    """

    def __init__(
        self,
        library: str,
        columns: Iterable[str],
        index: set[str] | None = None,
        levels: int | None = None,
    ) -> None:
        self.library = library
        self.columns: dict[str, None] = dict.fromkeys(columns)
        self.has_unknown_columns = False
        self.index = index
        self.levels = levels
        self.attributes: set[str] = set()
        self.dtypes: dict[str, Dtype] = {}
        self.has_number_index = False

    def derive(self, columns: Iterable[str] | None = None) -> Frame:
        """Return a new frame with the same index, and with ``columns`` (None: the same columns)."""
        names = self.columns if columns is None else columns
        frame = Frame(self.library, names, self.index, self.levels)
        frame.has_unknown_columns = self.has_unknown_columns
        return frame

    def select(self, columns: Iterable[str] | None = None, some_rows: bool = False) -> Frame:
        """Return what ``derive`` returns, with the dtypes of the columns.

        ``some_rows`` tells whether the result may lack rows of this frame.
        """
        frame = self.derive(columns)
        frame.has_number_index = self.has_number_index and not some_rows
        for name, dtype in self.dtypes.items():
            if name in frame.columns:
                frame.dtypes[name] = dtype.of_some_rows() if some_rows else dtype
        return frame

    def column(self, name: str) -> Series:
        """Return a column. It has no dtype if the frame may have changed in unknown ways."""
        dtype = None if self.has_unknown_columns else self.dtypes.get(name)
        return Series(self.library, name, self.index, self.levels, dtype=dtype, frame=self)

    def become(self, other: Value) -> None:
        """Change this frame in place, so that it has the columns and the index of ``other``.

        If ``other`` isn't a frame, this frame may have any further columns afterwards.
        """
        if isinstance(other, Frame):
            self.columns, self.has_unknown_columns = dict(other.columns), other.has_unknown_columns
            self.index, self.levels = other.index, other.levels
            self.dtypes, self.has_number_index = other.dtypes, other.has_number_index
        else:
            self.has_unknown_columns = True
            self.forget_values()

    def forget_values(self) -> None:
        """Record that any value may have changed, and the index, too."""
        self.dtypes.clear()
        self.has_number_index = False

    def add(self, names: Iterable[str]) -> None:
        """Add or replace columns; afterwards, their dtypes are unknown.

        ``columns`` becomes a new dict, because ``Problems.near`` caches an index for each dict.
        """
        names = list(names)
        for name in names:
            self.dtypes.pop(name, None)
        new = [name for name in names if name not in self.columns]
        if new:
            self.columns = {**self.columns, **dict.fromkeys(new)}


class Series(Value):
    """A Series. ``index`` and ``levels`` mean the same as in ``Frame``.

    If ``has_text_index`` is true, the labels of its index may be used as attributes:
    ``series.total``. ``dtype`` is None if it isn't known. ``frame`` is the frame whose rows the
    Series has, or None if it isn't known. A change of the Series may change this frame.
    ``has_text_labels`` tells whether the labels of the index are known to be texts.
    """

    def __init__(
        self,
        library: str,
        name: str | None = None,
        index: set[str] | None = None,
        levels: int | None = None,
        has_text_index: bool = True,
        dtype: Dtype | None = None,
        frame: Frame | None = None,
    ) -> None:
        self.library, self.name, self.index, self.levels = library, name, index, levels
        self.has_text_index, self.dtype, self.frame = has_text_index, dtype, frame
        self.has_text_labels = False

    def with_dtype(self, dtype: Dtype | None) -> Series:
        """Return a new Series with the same name, index and rows, and with another dtype."""
        frame = self.frame
        return Series(self.library, self.name, self.index, self.levels, dtype=dtype, frame=frame)

    def of_some_rows(self) -> Series:
        """Return a new Series that may lack rows of this one."""
        dtype = None if self.dtype is None else self.dtype.of_some_rows()
        return Series(self.library, self.name, self.index, self.levels, dtype=dtype)

    def change(self) -> None:
        """Record that values of the Series may have changed."""
        self.dtype = None
        if self.frame is not None:
            self.frame.forget_values()


class Row(Value):
    """A row of a frame as a Series, or as a named tuple if ``is_tuple`` is true.

    ``frame.loc[key]`` is also represented by a ``Row``. But if several rows have the label ``key``,
    pandas returns a DataFrame.
    """

    def __init__(self, frame: Frame, is_tuple: bool = False) -> None:
        self.frame, self.is_tuple = frame, is_tuple


class Groups(Value):
    """The result of ``groupby`` or ``resample``.

    ``keys`` is None if the keys aren't known, and ``selection`` is None if all columns are
    selected. If ``is_single`` is true, one column is selected as a Series. ``is_exact`` tells
    whether ``selection`` has exactly the selected columns.
    """

    def __init__(self, frame: Frame, keys: list[str] | None, as_index: bool) -> None:
        self.frame, self.keys, self.as_index = frame, keys, as_index
        self.selection: list[str] | None = None
        self.is_single = False
        self.is_exact = True
        self.is_resampled = False


class Indexer(Value):
    """``frame.loc``, ``frame.iloc``, ``frame.at`` or ``frame.iat``."""

    def __init__(self, frame: Frame, name: str) -> None:
        self.frame, self.name = frame, name


class Method(Value):
    """A method or an accessor, such as ``str``, of the value ``owner``."""

    def __init__(self, owner: Value, name: str) -> None:
        self.owner, self.name = owner, name


class Expression(Value):
    """A polars expression. ``reads`` has the columns that it reads, each with its AST node.

    ``output`` is the name of the column that it creates, or None if the name isn't known.
    """

    def __init__(self, reads: list[tuple[str, ast.AST]], output: str | None) -> None:
        self.reads, self.output = reads, output


class Context:
    """The interface through which the modules of this package use the analysis in ``Flow``.

    Problems whose kind is in ``ignored_kinds`` aren't reported. ``possible_columns`` are columns
    that any frame may have. ``is_conditional`` tells whether the current statement might be
    skipped. If ``may_change_frames`` is true, the suggestion has called a function that may have
    changed the values of frames.
    """

    problems: Problems
    folder: str
    variables: dict[str, Any]
    ignored_kinds: set[str]
    possible_columns: set[str]
    is_conditional: bool
    may_create_files: bool
    may_install_modules: bool
    may_change_frames: bool

    def value(self, node: ast.AST) -> Value:
        """Return the value of an expression. The problems in it are reported once."""
        raise NotImplementedError

    def call_lambda(self, node: ast.AST, parameters: list[Value]) -> Value:
        """Return the value of a lambda that is called with the arguments ``parameters``."""
        raise NotImplementedError

    def name_of_module(self, path: str) -> str:
        """Return the name of a variable that is the module ``path``; "" if there is none."""
        raise NotImplementedError

    def report_code(
        self, node: Any, kind: str, message: str, candidates: Iterable[str] = ()
    ) -> None:
        """Add a problem with the code of ``node``, unless ``ignored_kinds`` contains its kind.

        ``candidates`` are replacements for the code. If the code has several lines, or if one of
        the texts is too long for a problem, there are no candidates.
        """
        text = self.problems.text_of(node)
        candidates = list(candidates)
        is_short = all(len(item) <= MAX_NAME_LENGTH for item in [text, *candidates])
        if kind not in self.ignored_kinds:
            shown = candidates if is_short and has_one_line(node) else []
            self.problems.add(node, kind, text, message, shown)

    def report(
        self, node: Any, kind: str, name: str, message: str, names: Iterable[str] | None = None
    ) -> None:
        """Add a problem, unless ``ignored_kinds`` contains its kind."""
        if kind not in self.ignored_kinds:
            near = self.problems.near(name, names) if names is not None else []
            self.problems.add(node, kind, name, message, near)
