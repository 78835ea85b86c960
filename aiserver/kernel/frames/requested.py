"""Report columns and values that a request names, but its code doesn't use.

Small models often choose another column than the one that was asked for, or drop a condition. The
signal ``not_used`` has the names as its ``labels``.

If code failed, they also answer with code about something else, which runs: ``unrelated``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from ..inspection.dtypes import stored_values
from .context import Context
from .values import Frame

_DATA_CLASSES = (int, float, bool, str, list, tuple, dict, set)
_READ_VALUES = 50  # of a column
_MAX_COLUMNS_NAMED = 500
_MAX_LENGTH = 60  # characters of a name
# Words of requests that are often names of columns, too.
_COMMON = set(
    "name names index value values count number type data order rank total sum mean min max code "
    "text row rows column columns list table date time day month year level group class status "
    "yes no none true false and the all one two first last new old".split()
)
# With these, a name may be one to leave out.
_NEGATION = re.compile(
    r"\b(?:without|except|ignor\w*|exclud\w*|not|no|skip|other than|instead)\b|n['’]t\b"
    r"|不|除|排除|忽略|没有|沒有|以外|无|無",
    re.IGNORECASE,
)
_NAME_IN_CODE = re.compile(r"[^\W\d]\w*")


def check_names_of_request(context: Context, tree: ast.Module, intent: str, before: str) -> None:
    """Add the signal ``not_used``. ``before`` is the code that the request is about."""
    if not intent or not tree.body or _NEGATION.search(intent):
        return
    code = context.problems.text
    words = set(_NAME_IN_CODE.findall(code))
    frames = [frame for variable, frame in context.frames().items() if variable in words]
    names = dict.fromkeys(name for frame in frames for name in _names_in(frame))
    text, codes = intent.casefold(), (code + before).casefold()
    unused = []
    for name in sorted(names, key=len, reverse=True):
        pattern = _pattern(name)
        if pattern is not None and pattern.search(text):
            text = pattern.sub(" ", text)  # a shorter name may be a part of it
            if name.casefold() not in codes and name not in context.variables:
                unused.append(name)
    if unused:
        context.add_signal(tree.body[0], "not_used", "", unused)


def check_relation(context: Context, tree: ast.Module, failed: str) -> None:
    """Add the signal ``unrelated`` if the code uses none of the data that failed code has used."""
    frames = context.frames()
    names = {name for name, value in context.variables.items() if type(value) in _DATA_CLASSES}
    names = {name for name in names if not name.startswith("_")}.union(frames)
    for frame in frames.values():
        names.update(list(frame.columns)[:_MAX_COLUMNS_NAMED])
    used = {name for name in names if name and _has_word(failed, name)}
    if used and tree.body and not any(_has_word(context.problems.text, name) for name in used):
        context.add_signal(tree.body[0], "unrelated", "", [])


def _has_word(code: str, name: str) -> bool:
    return name in code and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code))


def _names_in(frame: Frame) -> Iterable[str]:
    columns = list(frame.columns)[:_MAX_COLUMNS_NAMED]
    yield from columns
    for column in columns:
        dtype = frame.dtypes.get(column)
        if dtype is not None and dtype.is_all_text:
            for value in stored_values(dtype, _READ_VALUES):
                if type(value) is str:
                    yield value


def _pattern(name: str) -> re.Pattern[str] | None:
    """Return what finds a name in a request; None if it is too common or too long."""
    folded = name.casefold().strip()
    shortest = 3 if folded.isascii() else 2
    if not shortest <= len(folded) <= _MAX_LENGTH or folded in _COMMON or folded.isdigit():
        return None
    escaped = re.sub(r"(?:\\ |[_ ])+", "[ _]", re.escape(folded))
    return re.compile(rf"(?<![^\W_]){escaped}(?![^\W_])" if folded.isascii() else escaped)
