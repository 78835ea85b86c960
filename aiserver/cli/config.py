"""Read the server's configuration for the command line."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SettingError
from ..sessions.base import SessionManager
from ..sessions.file.manager import FileSessionManager
from ..sessions.file.root import FOLDER, path_from_url

if TYPE_CHECKING:
    from ..extension import AIServer

_PATH = re.compile(r"[/\\]|^[.~]")  # in a path, but not in the name of a store or class


class Configuration:
    """The configuration of a server started in the same folder. Nothing is started.

    Raises SettingError if Jupyter rejects the configuration; Jupyter has then printed the reason.
    """

    def __init__(self) -> None:
        from jupyter_server.serverapp import ServerApp

        self._server = ServerApp()
        try:
            self._server.load_config_file()
            self._server.find_server_extensions()
        except SystemExit as error:
            raise SettingError(
                "Jupyter can't start with this configuration. See the error above."
            ) from error
        root = self._server.config.ServerApp.get("root_dir") or Path.cwd()
        self.start = Path(root).expanduser()
        """The folder that the server would serve."""

    @property
    def is_enabled(self) -> bool:
        """Whether the server extension is enabled."""
        return bool(self._server.jpserver_extensions.get("aiserver"))

    @cached_property
    def extension(self) -> AIServer:
        """The extension with this configuration."""
        from ..extension import AIServer

        return AIServer(config=self._server.config)

    def create_store(self, choice: str = "") -> SessionManager:
        """Create the chosen store, or the configured one."""
        folder = _folder_of(choice)
        if folder is not None:
            # Not by its URL, because a configured folder would override it.
            return FileSessionManager(parent=self.extension, root=str(folder))
        store: SessionManager = self.extension.make_sessions(str(self.start), choice)
        return store

    def owner_in(self, store: SessionManager) -> str:
        """Return the owner whose sessions a server would show."""
        return str(self.extension.session_owner) if store.shared else ""


def _folder_of(choice: str) -> Path | None:
    """Return the folder of a choice that is a file URL or path; else None."""
    if choice.lower().startswith("file:"):
        folder = path_from_url(choice)
    elif "://" not in choice and (_PATH.search(choice) or (choice and Path(choice).is_dir())):
        folder = Path(choice).expanduser().resolve()
    else:
        return None
    return folder.parent if folder.name == FOLDER else folder
