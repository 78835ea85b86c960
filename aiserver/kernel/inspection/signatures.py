"""Find out which keyword arguments a function accepts.

They are read from the function's code object, its signature or its docstring.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from .objects import (
    MISSING,
    class_attribute,
    is_array_function,
    is_compiled_function,
    is_function,
    is_library_class,
    is_plain_class,
    is_random_function,
    loaded_value,
    module_of,
)

_VAR_KEYWORDS = 0x08
# Methods of pandas whose ``**kwargs`` accept only numpy's keywords, such as ``out``. They accept
# these because numpy's functions call them: ``np.sum(frame)`` calls ``frame.sum(out=None)``.
_REDUCTIONS = set(
    "sum mean median min max std var sem prod skew kurt kurtosis any all cumsum cumprod cummax "
    "cummin".split()
)
_NUMPY_KEYWORDS = frozenset(
    "out dtype keepdims initial where ddof overwrite_input skipna axis stable order".split()
)
_UFUNC_KEYWORDS = frozenset(
    "out where casting order dtype subok signature sig axes axis keepdims extobj".split()
)


def keywords(function: Any, depth: int = 0) -> frozenset[str] | None:
    """Return the keyword arguments that a function or class accepts; None if unknown."""
    if depth > 5:
        return None
    kind = type(function)
    if kind is types.FunctionType:
        return _keywords_of_function(function, depth)
    if is_random_function(function):
        return _keywords_in_docstring(function.__doc__)
    if kind is types.MethodType:
        return keywords(function.__func__, depth + 1)
    if kind is staticmethod or kind is classmethod:
        return keywords(function.__func__, depth + 1)
    if kind is types.BuiltinFunctionType:
        return _keywords_in_signature(function.__text_signature__)
    if kind is loaded_value("numpy", "ufunc"):
        return _UFUNC_KEYWORDS
    if is_array_function(function):
        inner = function.__dict__.get("__wrapped__")
        return keywords(inner, depth + 1) if type(inner) is types.FunctionType else None
    if is_plain_class(function):
        return _keywords_of_class(function, depth)
    return None


def own_keywords(function: types.FunctionType) -> frozenset[str]:
    """Return a function's parameters that can be keyword arguments, without its ``**kwargs``."""
    code = function.__code__
    first = getattr(code, "co_posonlyargcount", 0)
    return frozenset(code.co_varnames[first : code.co_argcount + code.co_kwonlyargcount])


def _keywords_of_function(function: types.FunctionType, depth: int) -> frozenset[str] | None:
    code = function.__code__
    names = own_keywords(function)
    if not code.co_flags & _VAR_KEYWORDS:
        return names
    inner = function.__dict__.get("__wrapped__")
    accepted = keywords(inner, depth + 1) if type(inner) is types.FunctionType else None
    if accepted is None:
        return None
    # A decorator's wrapper may accept further keywords, such as a parameter's former name. These
    # keywords are among the texts in the wrapper's code and closure.
    own = {value for value in code.co_consts if type(value) is str}
    return names | accepted | own | _closure_texts(function)


def _keywords_in_docstring(docstring: Any) -> frozenset[str] | None:
    """Return the keywords of a compiled function from its docstring.

    The first line of such a docstring is the function's signature. Return None if it has none.
    """
    if type(docstring) is not str:
        return None
    text = docstring.strip().split("\n", 1)[0]
    _, bracket, rest = text.partition("(")
    return _keywords_in_signature(bracket + rest) if text.endswith(")") else None


def _closure_texts(function: types.FunctionType) -> set[str]:
    texts: set[str] = set()
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        kind = type(value)
        is_plain = kind is list or kind is tuple or kind is dict or kind is set
        texts.update(item for item in (list(value) if is_plain else [value]) if type(item) is str)
    return texts


def _keywords_of_class(kind: type, depth: int) -> frozenset[str] | None:
    init, new = class_attribute(kind, "__init__"), class_attribute(kind, "__new__")
    if new is not object.__dict__["__new__"]:
        plain = new.__func__ if type(new) is staticmethod else new
        is_only_new = init is object.__dict__["__init__"] and type(plain) is types.FunctionType
        return keywords(plain, depth + 1) if is_only_new else None
    return keywords(init, depth + 1) if type(init) is types.FunctionType else None


def _keywords_in_signature(signature: str | None) -> frozenset[str] | None:
    """Return the keywords of a signature such as ``($module, iterable, /, *, key=None)``."""
    if not signature:
        return None
    cleaned = signature.replace("$", "").replace("<unrepresentable>", "None")
    try:
        tree = ast.parse("def function" + cleaned + ": pass")
    except (SyntaxError, ValueError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or definition.args.kwarg:
        return None
    arguments = definition.args
    return frozenset(item.arg for item in arguments.args + arguments.kwonlyargs)


def method_keywords(kind: type, name: str) -> frozenset[str] | None:
    """Return the keywords that a method of a class accepts; None if unknown."""
    method = class_attribute(kind, name)
    if method is MISSING:
        return None
    if name == "rolling" and is_library_class(kind):
        frame = loaded_value("pandas", "DataFrame")
        method = class_attribute(frame, name) if frame is not MISSING else method
        return own_keywords(method) if type(method) is types.FunctionType else None
    if module_of(kind).startswith("numpy.random.") and is_library_class(kind):
        return _keywords_in_docstring(method.__doc__) if is_compiled_function(method) else None
    if kind is loaded_value("numpy", "ndarray") and type(method) is types.MethodDescriptorType:
        accepted = _keywords_in_docstring(method.__doc__)
        return accepted and accepted | _NUMPY_KEYWORDS
    if name in _REDUCTIONS and is_library_class(kind) and type(method) is types.FunctionType:
        inner = method.__dict__.get("__wrapped__")
        plain = inner if type(inner) is types.FunctionType else method
        return own_keywords(plain) | own_keywords(method) | _NUMPY_KEYWORDS
    return keywords(method) if is_function(method) else None
