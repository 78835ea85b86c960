"""Everyday requests, worded as people write in a prompt row: short, careless, in two languages.

A file of ``everyday_requests`` has the code of the cell above, and a section for each request: a
number, the request, and its solution. Each value that a solution shows is a fair reading of the
request. "Two steps." marks requests of two steps for readers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ..items import Item

NAME = "everyday"
_FOLDER = Path(__file__).parent / "everyday_requests"
_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def items(failing: Collection[str]) -> Iterator[Item]:
    """Yield the requests, which don't depend on each other."""
    for path in sorted(_FOLDER.glob("*.md")):
        above, *sections = path.read_text("utf-8").split("\n## ")
        for section in sections:
            number, _, request = section.partition("\n")[0].partition(" ")
            yield Item(
                id=f"{NAME}/{path.stem}-{number}",
                request=request,
                cells=(_code(above),),
                solution=_code(section),
            )


def _code(text: str) -> str:
    [code] = _CODE.findall(text)
    return str(code).strip()
