"""Find what a person has replaced in a suggestion: modules, functions and keyword arguments. Pure.

A false alarm is worse than a miss, so only calls in the same place are compared, in statements that
are about the same variables and literals. If most of the code is different, it is another task.

Invariants:

- A substitution consists of the names that ``names`` returns, of ``KEYWORDS``, and of ``True``,
  ``False`` and ``None``. It never has a literal or the name of a variable or a column, nor that of
  a module, function, method or keyword argument that the person made up.
- Equal code, and code that differs only in its format, has no substitutions.
- The work is bounded, also for code that is nested deeply or has many arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from .calls import MAX_CODE, Call, Code
from .functions import CHARTS, DATA_KEYWORDS, QUESTIONS
from .names import last_part, root_of
from .public_names import KEYWORDS
from .shapes import Shapes

_MIN_OVERLAP = 0.5  # of the operands of two expressions that are compared
_MAX_SUBSTITUTIONS = 12  # more of them mean that the code was written again
_MAX_CHAIN = 50  # calls
_CACHED_TURNS = 200


@dataclass(frozen=True, order=True)
class Substitution:
    """Something that a person replaced.

    ``call``: the function ``old`` by ``new``. ``module``: the module ``old``, or a method, by the
    module ``new``. ``argument``: the keyword argument ``new``
    was added to calls of ``function``, with its value if that is True, False or None. ``keyword``:
    the keyword ``old`` of ``function`` was replaced by ``new``.
    """

    kind: Literal["call", "module", "argument", "keyword"]
    new: str
    old: str = ""
    function: str = ""

    @property
    def group(self) -> str:
        """A text that is the same for all substitutions that say nearly the same."""
        if self.kind in ("call", "module"):
            return f"{root_of(self.old)} {root_of(self.new)}"
        return f"{self.function} {self.old} {self.new}"


def substitutions(suggestion: str, code: str) -> tuple[Substitution, ...]:
    """Return what the person has replaced in a suggestion, sorted and each only once."""
    if suggestion == code or max(len(suggestion), len(code)) > MAX_CODE:
        return ()
    return _substitutions(suggestion, code)


@lru_cache(_CACHED_TURNS)  # each edit in a cell compares all of its turns, most of them unchanged
def _substitutions(suggestion: str, code: str) -> tuple[Substitution, ...]:
    results: set[Substitution] = set()
    try:
        old, new = Code.parse(suggestion), Code.parse(code)
        if old is not None and new is not None:
            for substitution in _Comparison(old, new).run():
                results.add(substitution)
                if len(results) > _MAX_SUBSTITUTIONS:
                    return ()
    except (RecursionError, MemoryError, ValueError):  # code that is nested too deeply
        return ()
    return tuple(sorted(results))


class _Subject:
    """The operands of an expression, and the functions that it calls."""

    def __init__(self, code: Code, part: ast.expr) -> None:
        self._operands = code.operands(part)
        self._names = [call.name for call in code.chain(part)[0]]

    def overlap(self, other: _Subject) -> float:
        """Return the share of the operands that are the same, from 0 to 1."""
        if self._operands or other._operands:
            common = self._operands & other._operands
            return len(common) / len(self._operands | other._operands)
        return float(bool(self._names) and self._names == other._names)


class _Comparison:
    def __init__(self, old: Code, new: Code) -> None:
        self._old, self._new = old, new
        self._shapes = Shapes()
        self._shapes.add(old.nodes)
        self._shapes.add(new.nodes)

    def run(self) -> Iterator[Substitution]:
        old_shapes = [self._shapes.number(part) for part in self._old.parts]
        new_shapes = [self._shapes.number(part) for part in self._new.parts]
        pairs: list[tuple[ast.expr, ast.expr]] = []
        same_count = 0
        matcher = SequenceMatcher(None, old_shapes, new_shapes, autojunk=False)
        for tag, start, end, new_start, new_end in matcher.get_opcodes():
            if tag == "equal":
                same_count += end - start
            elif tag == "replace":
                pairs += self._pairs(self._old.parts[start:end], self._new.parts[new_start:new_end])
        count = same_count + len(pairs)
        if 2 * count >= len(new_shapes) and 3 * count >= len(old_shapes):
            for old, new in pairs:
                yield from self._compare(old, new)

    def _pairs(
        self, old_parts: Sequence[ast.expr], new_parts: Sequence[ast.expr]
    ) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Yield the expressions that are about the same things, in their order."""
        new_subjects = [_Subject(self._new, part) for part in new_parts]
        start = 0
        for old in old_parts:
            subject = _Subject(self._old, old)
            overlaps = [(subject.overlap(new), -at) for at, new in enumerate(new_subjects)]
            best, at = max(overlaps[start:], default=(0.0, 0))
            if best >= _MIN_OVERLAP:
                yield old, new_parts[-at]
                start = 1 - at

    def _is_same(self, old: ast.AST | None, new: ast.AST | None) -> bool:
        if old is None or new is None:
            return old is new
        return self._shapes.number(old) == self._shapes.number(new)

    def _compare(self, old: ast.AST, new: ast.AST) -> Iterator[Substitution]:
        if self._is_same(old, new):
            return
        old_calls, old_base = self._old.chain(old)
        new_calls, new_base = self._new.chain(new)
        if old_calls and new_calls:
            yield from self._compare_calls(old_calls, new_calls)
            if old_base is not None and new_base is not None:
                yield from self._compare(old_base, new_base)
        elif type(old) is type(new):
            old_children = list(ast.iter_child_nodes(old))
            new_children = list(ast.iter_child_nodes(new))
            if len(old_children) == len(new_children):
                for left, right in zip(old_children, new_children, strict=True):
                    yield from self._compare(left, right)

    def _compare_calls(self, old: list[Call], new: list[Call]) -> Iterator[Substitution]:
        if max(len(old), len(new)) > _MAX_CHAIN:
            return
        if self._has_moved(old[-1], new[-1]):
            yield from self._replaced(old[-1], new[-1])
            return
        old_names, new_names = ([call.name for call in calls] for calls in (old, new))
        matcher = SequenceMatcher(None, old_names, new_names, autojunk=False)
        for tag, start, end, new_start, new_end in matcher.get_opcodes():
            if tag == "equal":
                for left, right in zip(old[start:end], new[new_start:new_end], strict=True):
                    yield from self._compare_arguments(left, right)
            elif tag == "replace" and end - start == new_end - new_start == 1:
                yield from self._replaced(old[start], new[new_start])

    def _has_moved(self, old: Call, new: Call) -> bool:
        """Return whether a method's receiver became an argument of a function, or vice versa."""
        if (old.receiver is None) == (new.receiver is None):
            return False
        method, function = (old, new) if new.receiver is None else (new, old)
        return any(self._is_same(method.receiver, value) for value in function.arguments)

    def _replaced(self, old: Call, new: Call) -> Iterator[Substitution]:
        if old.name is None or new.name is None:
            return
        old_root, new_root = root_of(old.name), root_of(new.name)
        are_methods = old.receiver is not None and new.receiver is not None
        are_builtins = "." not in old.name + new.name
        last_parts = {last_part(old.name), last_part(new.name)}
        is_same_library = are_methods or are_builtins or old_root == new_root
        if (len(last_parts) == 2 and last_parts <= QUESTIONS) or (
            is_same_library and last_parts <= CHARTS
        ):
            return
        # Two methods of the same object have the object in common, which says nothing.
        old_parts = old.arguments if are_methods else [old.node]
        new_parts = new.arguments if are_methods else [new.node]
        if not self._old.operands(*old_parts) & self._new.operands(*new_parts):
            return
        yield Substitution("call", new.name, old.name)
        are_modules = new_root != new.name and (old_root != old.name or last_parts <= CHARTS)
        is_complete = old_root not in self._new.modules and new_root not in self._old.modules
        if are_modules and old_root != new_root and is_complete:
            yield Substitution("module", new_root, old_root)

    def _compare_arguments(self, old: Call, new: Call) -> Iterator[Substitution]:
        if len(old.node.args) == len(new.node.args):
            for left, right in zip(old.node.args, new.node.args, strict=True):
                yield from self._compare(left, right)
        before = {keyword.arg: keyword.value for keyword in old.node.keywords if keyword.arg}
        after = {keyword.arg: keyword.value for keyword in new.node.keywords if keyword.arg}
        has_names = old.name is not None and last_part(old.name) not in DATA_KEYWORDS
        for name, value in after.items():
            if name in before and not (_constant(value) and _constant(before[name])):
                yield from self._compare(before[name], value)
            elif has_names and name in KEYWORDS and not self._is_same(value, before.get(name)):
                yield from self._changed_keyword(old, before, after, name)

    def _changed_keyword(
        self, old: Call, before: dict[str, ast.expr], after: dict[str, ast.expr], name: str
    ) -> Iterator[Substitution]:
        """Yield the substitution of a keyword argument that was added, renamed or changed."""
        function, value = old.name or "", after[name]
        if name not in before:
            if any(self._is_same(value, other) for other in old.node.args):
                return  # was a positional argument
            renamed = [
                other
                for other, old_value in before.items()
                if other not in after and self._is_same(old_value, value)
            ]
            if renamed:
                if renamed[0] in KEYWORDS:
                    yield Substitution("keyword", name, renamed[0], function)
                return
        constant = _constant(value)
        yield Substitution("argument", f"{name}={constant}" if constant else name, "", function)


def _constant(node: ast.expr) -> str:
    """Return ``True``, ``False`` or ``None``, or an empty text for any other expression."""
    is_constant = isinstance(node, ast.Constant) and (
        node.value is None or isinstance(node.value, bool)
    )
    return ast.unparse(node) if is_constant else ""
