"""Write the JSON Schemas anew, after the models were changed."""

from __future__ import annotations

from . import write

if __name__ == "__main__":
    for path in write():
        print(path.name)
