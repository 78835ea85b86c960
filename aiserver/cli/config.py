"""Read the Jupyter server's configuration, so that commands use the server's store and models."""

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

# A user can choose a store by a URL, a path or a name. This pattern distinguishes a path from a
# name: a path contains a slash or backslash, or begins with `.` or `~`. URLs are handled before,
# and the name of an existing folder is a path, too.
_PATH_PATTERN = re.compile(r"[/\\]|^[.~]")


class Configuration:
    """The configuration that a Jupyter server would use if it were started in the current folder.

    The constructor doesn't start a server. If Jupyter rejects the configuration, Jupyter prints the
    reason, and the constructor raises SettingError.
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
        self.root_dir = Path(root).expanduser()
        """The folder that the server would serve: it contains the notebooks."""

    @property
    def is_enabled(self) -> bool:
        """Whether AI Server's server extension is enabled."""
        return bool(self._server.jpserver_extensions.get("aiserver"))

    @cached_property
    def extension(self) -> AIServer:
        """AI Server's server extension, created with this configuration."""
        from ..extension import AIServer

        return AIServer(config=self._server.config)

    def create_store(self, choice: str = "") -> SessionManager:
        """Create a store. ``choice`` is its URL, its name or its folder.

        If ``choice`` is empty, create the configured store.
        """
        folder = _folder_from(choice)
        if folder is not None:
            # Pass the folder as `root`: a configured `root` would override the folder in a URL.
            return FileSessionManager(parent=self.extension, root=str(folder))
        store: SessionManager = self.extension.make_sessions(str(self.root_dir), choice)
        return store

    def owner_in(self, store: SessionManager) -> str:
        """Return the owner whose sessions the server would show if it used ``store``.

        Returns an empty text if the store isn't shared.
        """
        return str(self.extension.session_owner) if store.shared else ""


def _folder_from(choice: str) -> Path | None:
    """Return the root if ``choice`` is a ``file:`` URL or a path; otherwise return None.

    ``choice`` may name the root or the folder ``.aiserver_sessions`` in the root.
    """
    if choice.lower().startswith("file:"):
        folder = path_from_url(choice)
    elif "://" not in choice and (
        _PATH_PATTERN.search(choice) or (choice and Path(choice).is_dir())
    ):
        folder = Path(choice).expanduser().resolve()
    else:
        return None
    return folder.parent if folder.name == FOLDER else folder
