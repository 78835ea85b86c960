"""The administrator's settings of memories, which are a part of ``c.AIServer``.

This module imports no slow modules, because the server imports it when it starts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from traitlets import Float, HasTraits, Type, Unicode, Union

if TYPE_CHECKING:
    from ..sessions.base import SessionManager
    from .manager import MemoryManager


class MemorySettings(HasTraits):
    """A base class of the extension."""

    memory_store = Union(
        [Unicode(), Type()],
        help="""The store of the person's memory: "file", for files in Jupyter's data folder, or
        a MemoryStore class or its dotted name. Default: in the database of the sessions if they are
        in one, else in files. The memory of a project is always a file in the project.""",
    ).tag(config=True)

    proposal_lifetime = Float(
        24.0, min=0.1, help="Hours until a proposal expires, unless it is confirmed."
    ).tag(config=True)

    note_lifetime = Float(
        14.0, min=0.1, help="Days without use until the note of a notebook expires."
    ).tag(config=True)

    def make_memory(
        self, sessions: SessionManager, folder: str | None, owner: str
    ) -> MemoryManager:
        """Create the manager of an owner's memories, for the folder that Jupyter serves.

        Raises SettingError if the setting of the store is invalid.
        """
        from .factory import create_memory

        lifetime = self.proposal_lifetime * 3600
        served_folder = None if folder is None else Path(folder)
        note_lifetime = self.note_lifetime * 24 * 3600
        return create_memory(
            sessions, served_folder, owner, lifetime, self.memory_store, note_lifetime
        )
