"""Read AI Server's configuration for the command line.

Invariants: the configuration is that of a server started in the same folder, and nothing is
started. If Jupyter rejects it, Jupyter prints the reason and raises SystemExit.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..extension import AIServer


def configured_server() -> Any:
    """Return a Jupyter server that has only read its configuration."""
    from jupyter_server.serverapp import ServerApp

    server = ServerApp()
    server.load_config_file()
    server.find_server_extensions()
    return server


def configured_extension(server: Any) -> AIServer:
    """Return the extension with that server's configuration."""
    from ..extension import AIServer

    return AIServer(config=server.config)


def start_folder(server: Any) -> str:
    """Return the folder that the server would serve."""
    return str(Path(server.config.ServerApp.get("root_dir") or Path.cwd()).expanduser())
