"""AI Server as it is configured here, for the command line.

What must hold: it is read as by a server that is started in the same folder, and nothing is
started. A configuration that Jupyter refuses ends in SystemExit, after Jupyter has said why.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..extension import AIServer


def configured_server() -> Any:
    """A Jupyter server that has read its configuration, and does nothing else."""
    from jupyter_server.serverapp import ServerApp

    server = ServerApp()
    server.load_config_file()
    server.find_server_extensions()
    return server


def configured_extension(server: Any) -> AIServer:
    """Our extension with that server's configuration."""
    from ..extension import AIServer

    return AIServer(config=server.config)


def start_folder(server: Any) -> str:
    """The folder that the server would serve."""
    return str(Path(server.config.ServerApp.get("root_dir") or Path.cwd()).expanduser())
