"""Look up the files that a suggestion reads: whether they exist, and the header of a CSV file."""

from __future__ import annotations

import csv
import itertools
import os

_HEADER_BYTES = 65_536
_MAX_FILES = 2000
_MAX_ROWS = 50


def is_local(path: str) -> bool:
    """Return whether a text is a path of one local file, not a URL or a pattern like ``*.csv``."""
    if not path or len(path) > 1000 or "\0" in path or "\n" in path:
        return False
    return "://" not in path and not any(char in path for char in "*?[]{}<>|")


def file_exists(path: str, folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, os.path.expanduser(path)))


def neighbours(path: str, folder: str) -> list[str]:
    """Return the visible files and folders in the same folder as ``path``, at most ``_MAX_FILES``.

    ``"data/x.csv" -> ["data/a.csv", "data/b.csv"]``
    """
    parent = os.path.dirname(path)
    names: list[str] = []
    try:
        with os.scandir(os.path.join(folder, os.path.expanduser(parent))) as entries:
            for entry in entries:
                if not entry.name.startswith("."):
                    names.append(os.path.join(parent, entry.name))
                if len(names) == _MAX_FILES:
                    break
    except OSError:
        return []
    return sorted(names)


def csv_rows(path: str, folder: str, separator: str, encoding: str) -> list[list[str]]:
    """Return the header and the first rows that ``read_csv`` reads from a file.

    Return [] if the names in the header aren't certain.
    """
    full = os.path.join(folder, os.path.expanduser(path))
    if path.lower().endswith((".gz", ".bz2", ".zip", ".xz", ".zst", ".tar")):
        return []
    if not os.path.isfile(full):
        return []
    rows: list[list[str]] = []
    try:
        with open(full, "rb") as file:
            data = file.read(_HEADER_BYTES)
        if data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        end = data.rfind(b"\n") if len(data) == _HEADER_BYTES else len(data)
        text = data[: max(end, 0)].decode(encoding)
        reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
        filled = (row for row in reader if any(cell.strip() for cell in row))
        for row in itertools.islice(filled, _MAX_ROWS):
            rows.append(row)
    except csv.Error:  # the rows before the error are correct
        pass
    except (OSError, ValueError, LookupError, TypeError):
        return []
    if not rows:
        return []
    header = [name or "Unnamed: %d" % number for number, name in enumerate(rows[0])]
    return [header, *rows[1:]] if len(set(header)) == len(header) else []
