"""Find and describe the data files that a request names. Read the texts of other files.

Invariants: at most ``MAX_BYTES`` of a text file are used; a notebook's text is its sources, and a
damaged one has none. Other files are read in a child process. If a file can't be described, there
are no columns, and no error is raised. No description contains lone surrogates.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable
from typing import BinaryIO

from ...notebooks.restored_ids import cell_source
from ...prompts.prompt_input import Database, FileProfile, Table
from ...redact import redact
from .folder import open_below, parts_below_root
from .json_records import read_json
from .library import missing_package, read_with_library
from .names import kind_of, mentioned_files
from .text import decode, read_delimited, read_text_table

MAX_FILES = 5
MAX_BYTES = 65_536  # that are used of a text file
_MAX_NOTEBOOK = 20_000_000  # bytes with the outputs; parsing blocks the server meanwhile
_CUT_BYTES = 8_192  # around a cut, which are searched for a divided secret
_CUT_ATTEMPTS = 12
_SQLITE = b"SQLite format 3\0"


class DataFiles:
    """Describes data files below ``root``, the folder that Jupyter serves, if it is one."""

    def __init__(self, root: str | None) -> None:
        self.root = root

    def mentions(self, notebook_path: str | None, texts: Iterable[str]) -> list[list[str]]:
        """Return possible names for each mentioned file, without reading the disk."""
        return mentioned_files(texts) if self.root and notebook_path else []

    def describe(
        self, notebook_path: str, mentions: Iterable[list[str]], examples: int = 0
    ) -> list[FileProfile]:
        """Describe at most ``MAX_FILES`` mentioned files.

        A mention's first name for which a file exists counts. ``examples`` values are shown for
        each column of texts.
        """
        profiles: dict[str, FileProfile] = {}
        for names in mentions:
            for name in names:
                parts = parts_below_root(notebook_path, name)
                if parts and self.root:
                    with open_below(self.root, parts) as file:
                        profile = file and _profile(file, name, parts[-1], examples)
                        if profile:
                            profiles.setdefault("/".join(parts), profile)
                            break
            if len(profiles) == MAX_FILES:
                break
        return list(profiles.values())

    def read_texts(self, notebook_path: str, paths: Iterable[str]) -> dict[str, str]:
        """Return at most ``MAX_BYTES`` of each text file among ``paths``, relative to the
        notebook's folder.
        """
        texts: dict[str, str] = {}
        for path in dict.fromkeys(paths):
            parts = parts_below_root(notebook_path, path)
            if parts and self.root:
                with open_below(self.root, parts) as file:
                    text = None if file is None else _text_of(file, path)
                if text is not None:
                    texts[path] = text
        return texts


def _text_of(file: BinaryIO, path: str) -> str | None:
    """Return a file's text, that of a notebook without its outputs; None for no text."""
    if not path.lower().endswith(".ipynb"):
        return _beginning(file.read(MAX_BYTES + _CUT_BYTES))
    try:
        cells = json.loads(file.read(_MAX_NOTEBOOK))["cells"]
        parts = [f"# %% [{cell['cell_type']}]\n{cell_source(cell)}" for cell in cells]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return _beginning("\n\n".join(parts).encode("utf-8", "replace"))


def _beginning(data: bytes) -> str | None:
    """Return at most ``MAX_BYTES`` of a text, None for no text.

    The cut divides no secret, because without its end, such as a closing quote, a secret isn't
    recognised.
    """
    decoded, context = decode(data[:MAX_BYTES]), decode(data)
    if decoded is None or len(data) <= MAX_BYTES:
        return decoded and decoded[0]
    text, encoding = decoded
    origin = max(0, len(text) - _CUT_BYTES)
    end_of_text = text[origin:]
    if context and context[1] == encoding:
        end_of_text = context[0][origin:]
    redacted = [redact(end_of_text, is_prose=is_prose) for is_prose in (False, True)]
    separator = "\n" if "\n" in text[origin:] else r"[\s,]"
    ends = [match.end() for match in re.finditer(separator, text[origin:])]
    for end in ends[: -_CUT_ATTEMPTS - 1 : -1]:
        code, prose = (redact(end_of_text[:end], is_prose=is_prose) for is_prose in (False, True))
        if redacted[0].startswith(code) and redacted[1].startswith(prose):
            return text[: origin + end]
    return text[:origin]


def _profile(file: BinaryIO, name: str, file_name: str, examples: int) -> FileProfile | None:
    kind, size = kind_of(file_name), 0
    content: Table | Database | None = None
    with contextlib.suppress(Exception):  # a damaged file mustn't fail the request
        size = os.fstat(file.fileno()).st_size
        if file_name.lower().endswith(".db"):  # this extension has several meanings
            if file.read(len(_SQLITE)) != _SQLITE:
                return None
            file.seek(0)
        if kind in ("CSV", "TSV", "JSON", "JSON Lines", "text"):
            content = _text_table(file, kind, size, examples)
        else:
            content = read_with_library(file, kind, examples)
    if isinstance(content, Database):
        return FileProfile(name, kind, size, database=content)
    if kind == "text" and content is None:
        return None
    return FileProfile(name, kind, size, content or Table(), missing_package=missing_package(kind))


def _text_table(file: BinaryIO, kind: str, size: int, examples: int) -> Table | None:
    data = file.read(MAX_BYTES)
    if kind == "text":
        return read_text_table(data, size=size, examples=examples)
    if kind in ("CSV", "TSV"):
        delimiter = "\t" if kind == "TSV" else ","
        return read_delimited(data, delimiter, size=size, examples=examples)
    return read_json(data, lines=kind == "JSON Lines", size=size, examples=examples)
