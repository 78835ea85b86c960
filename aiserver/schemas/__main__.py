"""Regenerate the JSON Schemas after ``models.py`` was changed; print the names of changed files."""

from __future__ import annotations

from . import write

if __name__ == "__main__":
    for path in write():
        print(path.name)
