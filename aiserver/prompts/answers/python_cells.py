"""Parse the code of a Python cell, which may contain magics, shell commands and help requests."""

from __future__ import annotations

import ast
import re
import symtable

from ...unicode import parse_python

_CONTROL_CODES = re.compile(r"\x1b\[[0-9;]*m|[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
# IPython's additions become Python of the same shape.
_MAGIC_LINE = re.compile(r"^([ \t]*)(?:[%!]{1,2}[\w ./-]|\?{1,2}\w)[^\n]*$", re.MULTILINE)
_MAGIC_VALUE = re.compile(r"^([\w., \t]+=)[ \t]*[%!]\w[^\n]*$", re.MULTILINE)
_HELP_LINE = re.compile(r"^([ \t]*)[%\w.]+\?{1,2}[ \t]*$", re.MULTILINE)
# "Sorry", "Yes, no", "Note: this" and "- (one)" are valid Python, too.
_PROSE_LIKE = (ast.Name, ast.Tuple, ast.List, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp)

_INLINE_CODE = re.compile(r"`[^`\n]*`")
# The beginning and the end of a sentence, and signs of code that no sentence contains.
_SENTENCE_START = re.compile(r"(?:[-*>•]\s+|\d+[.)]\s+)*[\"“‘「『(*]*(?:[A-Z]|[^\W\d_a-zA-Z])")
_SENTENCE_END = re.compile(r"[.!?:…。！？：][\"”’」』)*]*$")
_IN_NO_SENTENCE = re.compile(r"^[%!?@#]|[=;{}\[\]]|\w\(|\\$")
# Each character of Chinese and Japanese counts as a word.
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]{2,}")
_MIN_WORDS = 4


def _as_python(text: str) -> str:
    """Remove control characters; a magic or shell command becomes ``pass``."""
    text = _CONTROL_CODES.sub("", text)
    if text.startswith("%%"):
        return "pass"
    text = _MAGIC_VALUE.sub(r"\1 None", text)
    return _HELP_LINE.sub(r"\1pass", _MAGIC_LINE.sub(r"\1pass", text))


def _parse(text: str) -> list[ast.stmt] | None:
    tree = parse_python(_as_python(text))
    return tree.body if tree else None


def is_python(text: str) -> bool:
    """Return whether the text is a Python cell."""
    return _parse(text) is not None


def looks_like_code(text: str) -> bool:
    """Return whether the text is Python, not just words that happen to be."""
    return any(
        not (
            (isinstance(node, ast.Expr) and isinstance(node.value, _PROSE_LIKE))
            or (isinstance(node, ast.AnnAssign) and node.value is None)
        )
        for node in _parse(text) or []
    )


def is_prose(code: str) -> bool:
    """Return whether an answer's code is sentences.

    Code with a syntax error has signs of code, or doesn't end like a sentence.
    """
    lines = [_INLINE_CODE.sub("x", line).strip() for line in code.splitlines() if line.strip()]
    return (
        len(_WORDS.findall(code)) >= _MIN_WORDS
        and _SENTENCE_START.match(lines[0]) is not None
        and _SENTENCE_END.search(lines[-1]) is not None
        and not any(_IN_NO_SENTENCE.search(line) for line in lines)
        and not is_python(code)
    )


def only_prepares(text: str) -> bool:
    """Return whether the code only imports or installs."""
    nodes = _parse(text) or [ast.Break()]
    return all(isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)) for node in nodes)


def continues(first: str, second: str) -> bool:
    """Return whether ``second`` uses a name of ``first``, and defines none of them again."""
    earlier, later = _names(first), _names(second)
    shared = [(earlier[name], later[name]) for name in earlier.keys() & later.keys()]
    is_used = any((a.is_assigned() or a.is_imported()) and b.is_referenced() for a, b in shared)
    return is_used and not any(a.is_assigned() and b.is_assigned() for a, b in shared)


def _names(code: str) -> dict[str, symtable.Symbol]:
    try:
        symbols = symtable.symtable(_as_python(code), "", "exec").get_symbols()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {symbol.get_name(): symbol for symbol in symbols}
