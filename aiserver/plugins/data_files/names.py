"""Find the names of data files in texts, with or without quotes. Pure.

Chinese has no spaces between words, so ``读取数据/销售.csv并画图`` can name ``读取数据/销售.csv``,
``数据/销售.csv`` or ``销售.csv``. So a mention is a list of possible names, the longest first, of
which ``reader.py`` uses the first that exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

KINDS = {
    "csv": "CSV",
    "tsv": "TSV",
    "parquet": "Parquet",
    "pq": "Parquet",
    "xlsx": "Excel",
    "xlsm": "Excel",
    "xls": "Excel",
    "json": "JSON",
    "jsonl": "JSON Lines",
    "ndjson": "JSON Lines",
    "sqlite": "SQLite",
    "sqlite3": "SQLite",
    "db": "SQLite",
    "duckdb": "DuckDB",
    "txt": "text",
    "data": "text",
    "dat": "text",
}
MAX_LENGTH = 200  # characters of a name
_MAX_MENTIONS = 40
# `a.csv.gz` and `a.csvx` don't match; a full stop may follow.
_EXTENSION = re.compile(
    rf"\.(?:{'|'.join(sorted(KINDS, key=len, reverse=True))})(?![A-Za-z0-9_]|\.[A-Za-z0-9])",
    re.IGNORECASE,
)
# Opening quotation marks by their closing ones.
_QUOTES = {"'": "'", '"': '"', "`": "`", "”": "“", "’": "‘", "」": "「", "』": "『", "》": "《"}
# Matches an unquoted name at the end of a text.
_BARE = re.compile(r"[^\s'\"`“”‘’「」『』《》()（）\[\]【】{}<>|*?,，;；。：:、！？!=]+$")


def mentioned_files(texts: Iterable[str]) -> list[list[str]]:
    """Return the possible names of each mentioned file, in order."""
    mentions: dict[str, list[str]] = {}
    for text in texts:
        for match in _EXTENSION.finditer(text):
            names = _names_ending_at(text, match.end())
            if names:
                mentions.setdefault(names[0], names)
            if len(mentions) == _MAX_MENTIONS:
                return list(mentions.values())
    return list(mentions.values())


def _names_ending_at(text: str, end: int) -> list[str]:
    start = max(text.rfind("\n", 0, end) + 1, end - MAX_LENGTH)
    before = text[start:end]
    names = []
    opening = _QUOTES.get(text[end : end + 1])
    if opening and opening in before:
        names.append(before[before.rfind(opening) + 1 :])
    bare = _BARE.search(before)
    # After a letter and a colon, it is a part of a URL or of a path with a drive letter.
    if bare and not re.search(r"[A-Za-z]:$", before[: bare.start()]):
        names += _ends_of(bare[0].removeprefix("@"))  # a mention such as `@a.csv`
    return [name for name in dict.fromkeys(names) if _EXTENSION.sub("", name).strip("./ ")]


def _ends_of(name: str) -> list[str]:
    """Return the name and its endings after non-ASCII characters, except before a slash:
    ``"读a/画/b.csv" -> ["读a/画/b.csv", "a/画/b.csv"]``.
    """
    starts = [0, *(at + 1 for at, char in enumerate(name) if not char.isascii())]
    return [name[start:] for start in starts if name[start : start + 1] not in ("", "/")]


def is_data_file(name: str) -> bool:
    """Return whether a name has the extension of a data file, which is never one of prose."""
    return KINDS.get(name.rpartition(".")[2].lower(), "text") != "text"


def kind_of(name: str) -> str:
    """Return the kind by the extension: ``"a.pq" -> "Parquet"``."""
    return KINDS[name.rpartition(".")[2].lower()]
