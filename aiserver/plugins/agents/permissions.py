"""The permissions of agents in notebooks, as people have chosen.

Invariants: the choices are kept in Jupyter's data folder of the person, never in the notebook, the
project or the store, so nothing that an agent can write raises its permission. “all” is kept in
memory only, and ends with the page that chose it. If the file is damaged, all are off. The
administrator's cap is applied at each look.
"""

from __future__ import annotations

import errno
import hashlib
import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from ...durable import ensure_folder, replace_file

Level = Literal["off", "read", "propose", "edit", "all"]
LEVELS: tuple[Level, ...] = get_args(Level)
DEFAULT: Level = "propose"
_MAX_NOTEBOOKS = 1_000  # whose choices are kept; the oldest are dropped


def _plain(name: str) -> str:
    """Return a name without differences that nobody sees."""
    name = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in name if unicodedata.category(char) != "Cf").strip()


class Permissions:
    """The permissions of agents. ``place`` tells apart the stores of several projects."""

    def __init__(self, file: Path, place: str, cap: Level) -> None:
        self._file, self.cap = file, cap
        self._place = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._for_pages: dict[tuple[str, str], str] = {}  # the pages that allow all

    def level(self, notebook_id: str, agent: str) -> Level:
        """Return what an agent may do in a notebook."""
        levels = self.levels(notebook_id)
        if levels is None:
            return "off"
        name = _plain(agent)
        chosen = [level for other, level in levels.items() if _plain(other) == name]
        return min(*(chosen[-1:] or [DEFAULT]), self.cap, key=LEVELS.index)

    def levels(self, notebook_id: str) -> dict[str, Level] | None:
        """Return the chosen levels in a notebook, by agent; None if they can't be read."""
        choices = self._read()
        if choices is None:
            return None
        levels = dict(choices.get(f"{self._place}/{notebook_id}", {}))
        levels |= {agent: "all" for id_, agent in self._for_pages if id_ == notebook_id}
        return levels

    def choose(self, notebook_id: str, agent: str, level: Level, page: str | None) -> None:
        """Keep a choice. “all” needs the page that it is for. Raises OSError, ValueError."""
        self._for_pages.pop((notebook_id, agent), None)
        if level == "all":
            if not page:
                raise ValueError("“all” is for a page")
            self._for_pages[notebook_id, agent] = page
            return
        choices = self._read()
        if choices is None:
            raise OSError(errno.EIO, "the choices can't be read")
        key = f"{self._place}/{notebook_id}"
        choices[key] = {**choices.pop(key, {}), agent: level}
        newest = dict(list(choices.items())[-_MAX_NOTEBOOKS:])
        ensure_folder(self._file.parent)
        data = json.dumps(newest, ensure_ascii=False, indent=1).encode()
        replace_file(self._file.parent, self._file.name, data)

    def page_closed(self, page: str) -> None:
        """End what was allowed until this page closes."""
        self._for_pages = {key: own for key, own in self._for_pages.items() if own != page}

    def _read(self) -> dict[str, dict[str, Level]] | None:
        """Return the choices by place and notebook; None if they are damaged."""
        try:
            stored = json.loads(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            return None
        if not isinstance(stored, dict):
            return None
        return {
            key: {agent: level for agent, level in own.items() if level in LEVELS[:-1]}
            for key, own in stored.items()
            if isinstance(own, Mapping)
        }
