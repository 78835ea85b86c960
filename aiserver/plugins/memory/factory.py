"""Choose the stores of memories, and create the manager of one person's memories.

Invariants: the memory of a project is always a file in the project. That of the person is in the
database of the sessions if they are in one, so that it is the same on all machines.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from traitlets.utils.importstring import import_item

from ...errors import SettingError
from ...sessions.base import SessionManager
from ...sessions.file.root import find_folder, find_root
from ...sessions.key_value import KeyValueSessionManager
from .manager import LIFETIME, MemoryManager
from .notes import manager as notes
from .stores.base import KeyValueMemoryStore, MemoryStore
from .stores.file import PROJECT_FOLDER, FileMemoryStore

if TYPE_CHECKING:
    from ...extension import AIServer


def create_memory(
    settings: AIServer | None, sessions: SessionManager, folder: str | None, owner: str
) -> MemoryManager:
    """Return the manager of an owner's memories.

    ``folder`` is the one that Jupyter serves, or None if notebooks aren't files. Raises
    SettingError if the setting of the store is invalid.
    """
    root = None if folder is None else project_root(Path(folder))
    return MemoryManager(
        create_person_store(sessions, settings.memory_store if settings else ""),
        FileMemoryStore(root / PROJECT_FOLDER, is_shared_by_git=True) if root else None,
        owner=owner,
        project_name=str(root.resolve()) if root else "",
        lifetime=settings.proposal_lifetime * 3600 if settings else LIFETIME,
        note_lifetime=settings.note_lifetime * 24 * 3600 if settings else notes.LIFETIME,
    )


def project_root(served_folder: Path) -> Path:
    """Return the folder that contains the project's memory, or will contain it.

    It is the nearest folder of the project, upwards, that has a memory, or else has sessions, or
    else the served folder.
    """
    return find_folder(served_folder, PROJECT_FOLDER) or find_root(served_folder)


def create_person_store(
    sessions: SessionManager, choice: str | type[MemoryStore] = ""
) -> MemoryStore:
    """Create the store of the person's memory.

    If ``choice`` is empty, the memory is where the sessions are: in a database, in Redis, only in
    memory, or else in files. With ``file``, it is always in files. ``choice`` can also be a class
    or its import path. Raises SettingError if there is no such store.
    """
    if choice and choice != "file":
        try:
            store = import_item(choice) if isinstance(choice, str) else choice
        except ImportError as exc:
            raise SettingError(f"Unknown memory store “{choice}”. Use “file” or a class.") from exc
        if not (isinstance(store, type) and issubclass(store, MemoryStore)):
            raise SettingError(f"“{choice}” is not a MemoryStore.")
        return store(parent=sessions.parent)
    # A store of another package may not be made for memories.
    is_ours = type(sessions).__module__.startswith("aiserver.sessions.")
    if not choice and is_ours and isinstance(sessions, KeyValueSessionManager):
        return KeyValueMemoryStore(sessions)
    return FileMemoryStore(person_folder())


def person_folder() -> Path:
    """Return the folder of the person's files."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "aiserver" / "memory"
