"""Regenerate the JSON Schemas after a change of the models."""

from __future__ import annotations

from . import write

if __name__ == "__main__":
    for path in write():
        print(path.name)
