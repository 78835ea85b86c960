"""Inspect real objects without running a person's code.

Attributes are read only from modules, plain functions, and objects of exactly a library's own
class. A class's dict, name and bases are read through the descriptors of ``type``, which no class
can redefine.
"""

from __future__ import annotations

import abc
import ast
import base64
import datetime
import json
import sys
import types
from typing import Any

MISSING = object()
_DATETIME_CLASSES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta)
_mro = type.__dict__["__mro__"].__get__
_bases_of_class = type.__dict__["__bases__"].__get__
_class_dict = type.__dict__["__dict__"].__get__
_name_of_class = type.__dict__["__name__"].__get__
_module_of_class = type.__dict__["__module__"].__get__
_flags = type.__dict__["__flags__"].__get__
_LIBRARIES = ("numpy", "pandas", "polars")
# Libraries whose ``__getattr__`` only provides names that occur in its code (see ``may_provide``).
_READABLE_LIBRARIES = ("numpy", "scipy", "matplotlib", "sklearn", "pandas", "seaborn", "polars")
_HEAP_TYPE = 1 << 9  # ``Py_TPFLAGS_HEAPTYPE``, the flag of classes that are defined in Python
_MAX_COLUMNS = 100_000
_TIME_ZONES = (
    "zoneinfo.ZoneInfo",
    "datetime.timezone",
    "dateutil.tz.tz.tzutc",
    "dateutil.tz.tz.tzfile",
    "dateutil.tz.tz.tzlocal",
)


def encode(result: dict[str, Any]) -> str:
    """Return a result as JSON in base64, for the page."""
    return base64.b64encode(json.dumps(result).encode()).decode()


def class_name(kind: Any) -> str:
    """Return a class's name; "" if it isn't a plain text."""
    name = _name_of_class(kind)
    return name if type(name) is str else ""


def module_of(kind: Any) -> str:
    """Return the name of a class's module; "" if it isn't a plain text."""
    name = _module_of_class(kind)
    return name if type(name) is str else ""


def loaded_module(name: str) -> types.ModuleType | None:
    """Return a loaded module; None unless it is a plain one."""
    module = sys.modules.get(name)
    return module if type(module) is types.ModuleType else None


def module_value(module: types.ModuleType, name: str) -> Any:
    """Return an attribute, or ``MISSING`` rather than call ``__getattr__``."""
    return module.__dict__.get(name, MISSING)


def loaded_value(module: str, name: str) -> Any:
    loaded = loaded_module(module)
    return MISSING if loaded is None else module_value(loaded, name)


def may_provide(module: types.ModuleType, name: str) -> bool:
    """Return whether a module's ``__getattr__`` may provide a name.

    In general, that is any name. In ``_READABLE_LIBRARIES``, it must be a string in its code, or in
    plain collections that the code uses.
    """
    function = module.__dict__.get("__getattr__", MISSING)
    if function is MISSING:
        return False
    if type(function) is not types.FunctionType or type(function.__module__) is not str:
        return True
    if function.__module__.partition(".")[0] not in _READABLE_LIBRARIES:
        return True
    sources: list[Any] = [function.__code__]
    for _ in range(3):
        inner = [constant for code in sources for constant in code.co_consts]
        if any(_contains(constant, name) for constant in inner):
            return True
        for code in sources:
            used = [function.__globals__.get(item) for item in code.co_names]
            if any(_contains(value, name) for value in used):
                return True
        sources = [item for item in inner if type(item) is types.CodeType]
    return False


def _contains(value: Any, name: str) -> bool:
    if type(value) is str:
        return name in value
    kind = type(value)
    if kind is tuple or kind is list or kind is set or kind is frozenset or kind is dict:
        return any(type(item) is str and item == name for item in list(value))
    return False


def is_array_function(function: Any) -> bool:
    """Return whether it is one of numpy's functions that dispatch, whose class is in C."""
    kind = type(function)
    if type(kind) is not type or _flags(kind) & _HEAP_TYPE:
        return False
    return class_name(kind) == "_ArrayFunctionDispatcher"


def is_plain_class(value: Any) -> bool:
    """Return whether it is a class whose metaclass adds no behaviour."""
    return type(value) is type or type(value) is abc.ABCMeta


def is_function(value: Any) -> bool:
    """Return whether a value in a class's dict is a function, classmethod or staticmethod."""
    kind = type(value)
    return kind is types.FunctionType or kind is classmethod or kind is staticmethod


def is_user_function(value: Any) -> bool:
    if type(value) is not types.FunctionType:
        return False
    module = value.__globals__.get("__name__")
    return type(module) is str and module == "__main__"


def is_library_class(kind: Any, libraries: tuple[str, ...] = _LIBRARIES) -> bool:
    module = module_of(kind)
    if module.partition(".")[0] not in libraries:
        return False
    return getattr(sys.modules.get(module), "__dict__", {}).get(class_name(kind)) is kind


def is_instance(value: Any, kind: Any) -> bool:
    """Return whether an object is an instance, by the bases as they are stored."""
    return any(base is kind for base in _mro(type(value)))


def class_of(value: Any) -> type | None:
    """Return an object's class if a loaded module, not the notebook, defines it."""
    kind = type(value)
    if not is_plain_class(kind):
        return None
    module = module_of(kind)
    if module in ("", "__main__", "builtins"):
        return None
    loaded = loaded_module(module)
    return kind if loaded and loaded.__dict__.get(class_name(kind)) is kind else None


def class_attribute(kind: Any, name: str) -> Any:
    """Return an attribute as a class or its base stores it, or ``MISSING``."""
    for base in _mro(kind):
        stored = _class_dict(base)
        if name in stored:
            return stored[name]
    return MISSING


def class_attributes(kind: Any) -> set[str]:
    return {name for base in _mro(kind) for name in _class_dict(base) if type(name) is str}


def instance_dict(value: Any, kind: Any) -> dict[Any, Any]:
    """Return an instance's ``__dict__``, whatever a person's subclass redefines."""
    for base in _mro(kind):
        if "__dict__" in _class_dict(base):
            state = _class_dict(base)["__dict__"].__get__(value)
            if type(state) is dict:
                return dict(state)
    return {}


def own_manager(value: Any, kind: Any) -> Any:
    """Return the block manager of pandas' DataFrame or Series, or of a subclass.

    Raises ``TypeError`` if the manager, a block or an index isn't pandas' own.
    """
    manager = instance_dict(value, kind)["_mgr"]
    own = is_library_class(type(manager)) and all(map(has_own_index, manager.axes))
    if not own or not all(is_library_class(type(block)) for block in manager.blocks):
        raise TypeError("The values can't be read without a person's code.")
    return manager


def is_random_function(value: Any) -> bool:
    """Return whether it is a function of ``numpy.random``: a method of ``RandomState``."""
    if type(value) is not types.MethodType:
        return False
    if type(value.__self__) is not loaded_value("numpy.random.mtrand", "RandomState"):
        return False
    return is_compiled_function(value.__func__)


def is_compiled_function(value: Any) -> bool:
    """Return whether Cython compiled a function, as in the loaded ``numpy.random``."""
    owner = loaded_value("numpy.random.mtrand", "RandomState")
    if owner is MISSING or not is_plain_class(owner):
        return False
    return type(value) is type(class_attribute(owner, "randint"))


def plain_variables(variables: dict[str, Any]) -> dict[str, Any]:
    """Return the variables whose names are plain strings.

    Looking up a name of a subclass of ``str`` could run a person's ``__eq__``.
    """
    return {name: value for name, value in list(dict.items(variables)) if type(name) is str}


def plain_texts(value: Any) -> list[str] | None:
    """Return the 1 to 5000 plain strings of a plain list or tuple, else None."""
    kind = type(value)
    if not (kind is list or kind is tuple) or not 0 < len(value) <= 5000:
        return None
    return list(value) if all(type(item) is str for item in value) else None


def index_names(value: Any) -> tuple[str | None, ...] | None:
    """Return the names of an index's levels; None if one is neither None nor a plain string."""
    index = value.index
    if not is_library_class(type(index)):
        return None
    names = tuple(index.names)[:50]
    if all(name is None or type(name) is str for name in names):
        return names
    return None


def text_labels(index: Any) -> list[str] | None:
    """Return the labels that are texts.

    Return None for a ``MultiIndex``, an index that is too large or not a library's own, and for a
    label of an unknown class, which may compare equal to a text.
    """
    if not has_own_index(index) or class_name(type(index)) == "MultiIndex":
        return None
    if len(index) > _MAX_COLUMNS:
        return None
    names = []
    for label in list(index):
        kind = type(label)
        if kind is str:
            names.append(label)
        elif not _is_plain_label(kind):
            return None
    return names


def is_plain_dtype(dtype: Any) -> bool:
    """Return whether a dtype is a library's own, without an object of a person's class.

    That can be a time zone, also in intervals, the frequency of periods, the array of categories,
    or a type of pyarrow.
    """
    if is_numpy_dtype(dtype):
        return True
    kind = type(dtype)
    if not is_library_class(kind):
        return kind is type and is_library_class(dtype)  # a dtype of polars, without parameters
    name = class_name(kind)
    if name == "DatetimeTZDtype":
        return is_plain_time_zone(dtype.tz)
    if name == "ArrowDtype":
        return is_plain_arrow_type(dtype.pyarrow_dtype)
    if name == "IntervalDtype":
        return dtype.subtype is None or is_plain_dtype(dtype.subtype)
    if name == "CategoricalDtype":
        return dtype.categories is None or has_own_index(dtype.categories)
    return name != "PeriodDtype" or is_library_class(type(dtype.freq))


def is_plain_time_zone(zone: Any) -> bool:
    kind = type(zone)
    for name in _TIME_ZONES:
        module, _, attribute = name.rpartition(".")
        if loaded_value(module, attribute) is kind:
            return True
    if zone is loaded_value("pytz", "UTC"):
        return True
    # pytz's zones have only data; those of a person have methods, too.
    bases = [loaded_value("pytz.tzinfo", name) for name in ("DstTzInfo", "StaticTzInfo")]
    own = any(_bases_of_class(kind) == (base,) for base in bases) and type(kind) is type
    return own and not any(hasattr(type(item), "__get__") for item in _class_dict(kind).values())


def is_own_arrow_type(dtype: Any) -> bool:
    """Return whether a type is pyarrow's own. It may contain others."""
    kind = type(dtype)
    name = class_name(kind)
    return loaded_value("pyarrow.lib", name) is kind and not name.endswith("ExtensionType")


def is_plain_arrow_type(dtype: Any) -> bool:
    """Return whether a type is pyarrow's own, and contains no other."""
    if not is_own_arrow_type(dtype):
        return False
    if class_name(type(dtype)) == "DictionaryType":
        return is_plain_arrow_type(dtype.value_type)
    return bool(dtype.num_fields == 0)


def has_own_index(axis: Any) -> bool:
    if not is_library_class(type(axis)):
        return False
    if class_name(type(axis)) == "MultiIndex":
        return all(has_own_index(level) for level in axis.levels)
    if class_name(type(axis)) == "RangeIndex":
        return True
    data = axis._data
    return type(data) is loaded_value("numpy", "ndarray") or (
        is_library_class(type(data)) and is_plain_dtype(data.dtype)
    )


def is_numpy_dtype(dtype: Any) -> bool:
    numpy_dtype = loaded_value("numpy", "dtype")
    return any(base is numpy_dtype for base in _mro(type(dtype)))


def _is_plain_label(kind: type) -> bool:
    plain: tuple[type, ...] = (int, float, bool, type(None))
    if any(kind is other for other in plain):
        return True
    if any(kind is other for other in _DATETIME_CLASSES):
        return True
    bases = [class_name(base) for base in _mro(kind)]
    return is_library_class(kind) and "str" not in bases and "str_" not in bases


_VAR_KEYWORDS = 0x08
# Methods whose ``**kwargs`` accept only numpy's keywords: ``np.sum(frame)`` calls
# ``frame.sum(out=None)``.
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
    code = function.__code__
    first = code.co_posonlyargcount
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
    # A wrapper may accept former names of parameters, which are in its code and closure.
    own = {value for value in code.co_consts if type(value) is str}
    return names | accepted | own | _closure_texts(function)


def _keywords_in_docstring(docstring: Any) -> frozenset[str] | None:
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
