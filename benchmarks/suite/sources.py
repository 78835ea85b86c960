"""The public files of the sets: their addresses and checksums, and the folders they are in."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

DATA = Path(__file__).parent.parent / "data"
FETCHED = DATA / "fetched"
_SOURCES = Path(__file__).parent / "sources.json"


@dataclass(frozen=True)
class Source:
    """A public repository with the files of one or more sets."""

    name: str
    repository: str
    """``owner/name`` on GitHub."""
    revision: str
    """The commit or branch that the files are from."""
    licence: str
    files: dict[str, str | None]
    """The SHA-256 of each file, by its path; None if nobody has recorded it yet."""

    def address(self, path: str) -> str:
        """The public address of a file."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.revision}/{quote(path)}"

    def path(self, path: str) -> Path:
        """The local path of a fetched file."""
        return FETCHED / self.name / path


def sources() -> dict[str, Source]:
    """Return the sources by name."""
    listed = json.loads(_SOURCES.read_text("utf-8"))
    return {name: Source(name=name, **fields) for name, fields in listed.items()}


def sha256(data: bytes) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
