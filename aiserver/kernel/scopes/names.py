"""Find undefined names by walking through the scopes of a cell in the order of execution.

In the cell and in classes, a name must be defined before its use; for functions, which run later,
anywhere in the cell. An unused function may be meant for later cells, so only misspelt names and
missing imports are reported in it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..inspection.modules import exported_names
from ..inspection.objects import loaded_module
from ..problems import CLEAR_SIMILARITY, similarity
from .bindings import (
    CATCHABLE_KINDS,
    bound_names,
    caught_kinds,
    declared_global,
    is_always,
    is_never,
    parameters_of,
    suppresses,
    target_names,
)

_IMPLICIT = set(
    "__name__ __doc__ __builtins__ __spec__ __loader__ __package__ __debug__ __build_class__ "
    "__annotations__ __import__ In Out get_ipython exit quit display __IPYTHON__".split()
)
_HISTORY = re.compile(r"_+|_i{1,3}|_i?\d+|_[od]h|_ih|_exit_code")
# Names that are defined in each class's body.
_CLASS_NAMES = {"__module__", "__qualname__", "__class__"}
# Names of modules, whose missing import is reported even in an unused function.
_MODULE_ALIASES = set(
    "np pd plt sns os re sys math json time random datetime itertools collections functools "
    "pl px go tf torch nn stats requests glob shutil pickle scipy sklearn statistics string "
    "csv copy warnings logging subprocess pathlib typing sm smf xgb lgb".split()
)


class Scope:
    """A scope.

    ``kind`` is ``module`` (the cell), ``function``, ``class``, ``comprehension`` or ``types`` (type
    parameters). ``bound`` has the names that are bound at the current statement or, in a function,
    anywhere. ``ever_bound`` also has those that the cell has deleted.
    """

    def __init__(self, kind: str, names: set[str] | None = None) -> None:
        self.kind = kind
        self.bound: set[str] = set(names or ())
        self.ever_bound: set[str] = self.bound
        self.global_names: set[str] = set()


class Body:
    """A function's body, visited after the cell's statements.

    The function counts as used if the cell uses ``name``, for a method that of its class, or if
    ``name`` is "". ``scopes`` are those around it.
    """

    def __init__(self, node: Any, name: str, scopes: list[Scope], ignored_kinds: set[str]) -> None:
        self.node, self.name, self.scopes, self.ignored_kinds = node, name, scopes, ignored_kinds


class NameChecker(ast.NodeVisitor):
    """Calls ``report(node, name, visible)`` for undefined names.

    ``check_time`` may raise TimeoutError.
    """

    def __init__(
        self,
        defined: set[str],
        report: Callable[[ast.AST, str, set[str]], None],
        check_time: Callable[[], None],
    ) -> None:
        self._module = Scope("module", defined)
        self._module.ever_bound = set(defined)
        self._scopes = [self._module]
        self._report, self._check_time = report, check_time
        self._bodies: list[Body] = []
        self._used: set[str] = set()
        self._ignored_kinds: set[str] = set()
        self._conditional_depth = 0
        self._lazy_annotations = sys.version_info >= (3, 14)
        self._only_clear_mistakes = False
        self._undefined: list[tuple[ast.AST, str, set[str]]] = []
        self.may_define_more = False  # if true, nothing is reported: ``exec`` may define names

    def check(self, tree: ast.Module) -> None:
        for statement in tree.body:
            self.visit(statement)
        self._visit_bodies()
        if not self.may_define_more:
            for node, name, names in self._undefined:
                self._report(node, name, names)

    def visit(self, node: ast.AST) -> None:
        self._check_time()
        super().visit(node)

    # Scopes and names

    def _visit_bodies(self) -> None:
        pending = self._bodies
        while pending:
            self._bodies = []
            later = []
            for body in pending:
                if body.name and body.name not in self._used:
                    later.append(body)
                else:
                    self._visit_body(body)
            if len(later) == len(pending):
                self._only_clear_mistakes = True
                for body in later:
                    self._visit_body(body)
                    body.name = ""
                later = []
            pending = later + self._bodies

    def _visit_body(self, body: Body) -> None:
        node = body.node
        scope = Scope("function", bound_names(node))
        scope.global_names = declared_global(node)
        scope.bound -= scope.global_names
        self._scopes = [*body.scopes, scope]
        self._ignored_kinds = body.ignored_kinds
        for child in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(child)
        self._scopes = self._scopes[:1]
        self._ignored_kinds = set()

    def _visible(self) -> Iterator[set[str]]:
        kinds = [scope.kind for scope in self._scopes]
        for number, scope in enumerate(self._scopes):
            if scope.kind == "class" and "function" in kinds[number + 1 :]:
                continue  # the methods of a class don't see its names
            is_later = scope.kind == "module" and "function" in kinds
            yield scope.ever_bound if is_later else scope.bound

    def _is_bound(self, name: str) -> bool:
        if any(name in names for names in self._visible()):
            return True
        in_class = any(scope.kind == "class" for scope in self._scopes)
        is_implicit = name in _IMPLICIT or _HISTORY.fullmatch(name) is not None
        return is_implicit or (in_class and name in _CLASS_NAMES)

    def _use(self, node: ast.AST, name: str, has_attribute: bool = False) -> None:
        """Record a use of a name; ``has_attribute`` for one as in ``np.mean``."""
        if not self._only_clear_mistakes:
            self._used.add(name)
        if self._is_bound(name) or "undefined_name" in self._ignored_kinds:
            return
        names = set().union(*self._visible())
        if self._only_clear_mistakes and not (has_attribute and name in _MODULE_ALIASES):
            likely = self._scopes[-1].bound | (self._scopes[0].ever_bound - self._scopes[0].bound)
            alike = (other for other in likely if similarity(name, other) >= CLEAR_SIMILARITY)
            if len(name) < 4 or not any(alike):
                return
        self._undefined.append((node, name, names))

    def _bind(self, name: str) -> None:
        scope = next(scope for scope in reversed(self._scopes) if scope.kind != "comprehension")
        if name in scope.global_names:
            scope = self._module
        scope.bound.add(name)
        scope.ever_bound.add(name)

    def _unbind(self, name: str) -> None:
        if not self._conditional_depth and self._scopes[-1] is self._module:
            self._module.bound.discard(name)

    def _visit_all(self, nodes: Any) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            if node.id == "get_ipython" or node.id in ("exec", "execfile", "globals"):
                self.may_define_more = True
            self._use(node, node.id)
        elif isinstance(node.ctx, ast.Store):
            self._bind(node.id)
        elif not self._is_bound(node.id):
            self._use(node, node.id)
        else:
            self._unbind(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and isinstance(node.value.ctx, ast.Load):
            if node.value.id in ("builtins", "__builtins__", "get_ipython"):
                self.may_define_more = True
            self._use(node.value, node.value.id, has_attribute=True)
        else:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            if function.id in ("dir", "locals", "vars") and not node.args:
                self.may_define_more = True
        self.generic_visit(node)

    def visit_NamedExpr(self, node: Any) -> None:
        self.visit(node.value)
        self._bind(node.target.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        name = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        if isinstance(node.value, ast.Lambda):
            self._visit_function(node.value, name)
        else:
            self.visit(node.value)
        self._visit_all(node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._use(node.target, node.target.id)
        self.visit(node.value)
        self.visit(node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not any(scope.kind == "function" for scope in self._scopes):
            self._visit_annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        self.visit(node.target)

    def _visit_annotation(self, node: ast.AST | None) -> None:
        if node is not None and not self._lazy_annotations:
            self.visit(node)

    # Control flow

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        if is_always(node.test):
            self._visit_all(node.body)
            return
        previous_kinds = self._ignored_kinds
        if is_never(node.test):
            self._ignored_kinds = previous_kinds | CATCHABLE_KINDS
        self._visit_branch(node.body)
        self._ignored_kinds = previous_kinds
        self._visit_branch(node.orelse)

    def _visit_branch(self, nodes: Any) -> None:
        self._conditional_depth += 1
        self._visit_all(nodes)
        self._conditional_depth -= 1

    def _visit_loop(self, node: Any) -> None:
        if isinstance(node, ast.While):
            loop_names = bound_names(node)
            self._bind_loop_names(loop_names)
            self.visit(node.test)
        else:
            self.visit(node.iter)
            self._bind_loop_names(bound_names(node))
            self.visit(node.target)
        self._visit_branch(node.body)
        self._visit_branch(node.orelse)

    def _bind_loop_names(self, names: set[str]) -> None:
        if self._scopes[-1].kind in ("module", "class"):
            for name in names:
                self._bind(name)

    visit_For = visit_AsyncFor = visit_While = _visit_loop

    def visit_Try(self, node: Any) -> None:
        previous_kinds = self._ignored_kinds
        self._ignored_kinds = previous_kinds | caught_kinds(node.handlers)
        self._visit_branch(node.body)
        self._ignored_kinds = previous_kinds
        for handler in node.handlers:
            if handler.type is not None:
                self.visit(handler.type)
            was_bound = handler.name is None or self._is_bound(handler.name)
            if handler.name:
                self._bind(handler.name)
            self._visit_branch(handler.body)
            if not was_bound and self._scopes[-1] is self._module:
                self._module.bound.discard(handler.name)
        self._visit_branch(node.orelse)
        self._visit_all(node.finalbody)

    visit_TryStar = visit_Try

    def visit_With(self, node: Any) -> None:
        self._visit_all(node.items)
        previous_kinds = self._ignored_kinds
        if any(suppresses(item.context_expr) for item in node.items):
            self._ignored_kinds = previous_kinds | CATCHABLE_KINDS
        self._visit_all(node.body)
        self._ignored_kinds = previous_kinds

    visit_AsyncWith = visit_With

    def visit_Match(self, node: Any) -> None:
        self.visit(node.subject)
        for case in node.cases:
            self.visit(case.pattern)
            if case.guard is not None:
                self.visit(case.guard)
            self._visit_branch(case.body)

    def visit_MatchAs(self, node: Any) -> None:
        self.generic_visit(node)
        if node.name:
            self._bind(node.name)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: Any) -> None:
        self.generic_visit(node)
        if node.rest:
            self._bind(node.rest)

    # Definitions

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name.split(".", 1)[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if node.module == "__future__" and alias.name == "annotations":
                self._lazy_annotations = True
            if alias.name != "*":
                self._bind(alias.asname or alias.name)
                continue
            module = loaded_module(node.module or "") if not node.level else None
            names = exported_names(module) if module is not None else None
            if names is None:
                self.may_define_more = True
            for name in names or ():
                self._bind(name)

    def _enter_types(self, node: Any) -> list[Scope]:
        scopes = list(self._scopes)
        parameters = getattr(node, "type_params", ())
        if parameters:
            self._scopes = [*scopes, Scope("types", {item.name for item in parameters})]
        return scopes

    def _visit_function(self, node: Any, name: str) -> None:
        arguments = node.args
        self._visit_all(getattr(node, "decorator_list", ()))
        scopes = self._enter_types(node)
        self._visit_all(arguments.defaults)
        self._visit_all(arguments.kw_defaults)
        for item in parameters_of(arguments):
            self._visit_annotation(item.annotation)
        self._visit_annotation(getattr(node, "returns", None))
        self._bodies.append(Body(node, name, self._scopes, self._ignored_kinds))
        self._scopes = scopes
        if not isinstance(node, ast.Lambda):
            self._bind(node.name)
            for global_name in declared_global(node) & bound_names(node):
                self._module.bound.add(global_name)
                self._module.ever_bound.add(global_name)

    def visit_FunctionDef(self, node: Any) -> None:
        self._visit_function(node, node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node, "")

    def visit_ClassDef(self, node: Any) -> None:
        self._visit_all(node.decorator_list)
        scopes = self._enter_types(node)
        self._visit_all(node.bases)
        self._visit_all(node.keywords)
        self._scopes = [*self._scopes, Scope("class")]
        outer_count = len(self._bodies)
        self._visit_all(node.body)
        for body in self._bodies[outer_count:]:
            if body.name:  # a method is used if its class is
                body.name = node.name
        self._scopes = scopes
        self._bind(node.name)

    def visit_TypeAlias(self, node: Any) -> None:
        self._bind(node.name.id)

    def _visit_comprehension(self, node: Any) -> None:
        first = node.generators[0]
        self.visit(first.iter)
        scopes = self._scopes
        scope = Scope("comprehension")
        for generator in node.generators:
            scope.bound |= target_names(generator.target)
        self._scopes = [*scopes, scope]
        for generator in node.generators:
            if generator is not first:
                self.visit(generator.iter)
            self._visit_all(generator.ifs)
        if isinstance(node, ast.DictComp):
            self._visit_all([node.key, node.value])
        else:
            self.visit(node.elt)
        self._scopes = scopes

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension
