"""Find the running Jupyter servers of this user.

A Jupyter server writes its address and token into a runtime file, ``jpserver-PID.json``. Under
JupyterHub, its address and token are in the environment, which its kernels inherit.

Invariant: a runtime file counts only if it belongs to this user, isn't a link, and its process
runs. So a token is never sent to an address that somebody else wrote down.
"""

from __future__ import annotations

import ipaddress
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .client import Server


def configured_server(environ: Mapping[str, str] = os.environ) -> Server | None:
    """Return the server that the variables ``AISERVER_URL`` and ``AISERVER_TOKEN`` name, if any."""
    url = environ.get("AISERVER_URL", "").strip()
    return Server(url, environ.get("AISERVER_TOKEN", "").strip()) if url else None


def hub_server(environ: Mapping[str, str] = os.environ) -> Server | None:
    """Return the server that JupyterHub started for this user; None outside JupyterHub."""
    url = environ.get("JUPYTERHUB_SERVICE_URL", "")
    token = environ.get("JUPYTERHUB_API_TOKEN") or environ.get("JPY_API_TOKEN") or ""
    if not (url.startswith(("http://", "https://")) and token):
        return None
    parts = urlsplit(url)
    # This is the address that the server binds to, which can be that of all network interfaces.
    host = _connectable(parts.hostname or "")
    port = f":{parts.port}" if parts.port else ""
    return Server(f"{parts.scheme}://{host}{port}{parts.path}", token)


def running_servers(*folders: str | Path) -> list[Server]:
    """Return the servers of the runtime files in ``folders`` and in Jupyter's runtime folder."""
    servers: dict[int, Server] = {}
    for folder in [*map(Path, folders), *_runtime_folders()]:
        with suppress(OSError):
            for file in sorted(folder.glob("jpserver-*.json")):
                server = _read(file)
                if server is not None and server.pid is not None:
                    servers.setdefault(server.pid, server)
    return list(servers.values())


def nearest_servers(servers: Iterable[Server], folder: Path) -> list[Server]:
    """Return the servers whose root is the nearest folder that is ``folder`` or above it.

    There are several if they serve the same root. ``folder`` must be an absolute path.
    """
    depths = [(len(root.parts), server) for server in servers if (root := _root(server, folder))]
    greatest = max((depth for depth, _ in depths), default=0)
    return [server for depth, server in depths if depth == greatest]


def _root(server: Server, folder: Path) -> Path | None:
    if not server.root_dir:
        return None
    root = Path(server.root_dir).resolve()
    return root if folder.resolve().is_relative_to(root) else None


def _runtime_folders() -> Iterator[Path]:
    if folder := os.environ.get("JUPYTER_RUNTIME_DIR"):
        yield Path(folder)
        return
    # A plain IPython may have been installed without jupyter_core.
    with suppress(ImportError):
        from jupyter_core.paths import jupyter_runtime_dir

        yield Path(jupyter_runtime_dir())


def _read(file: Path) -> Server | None:
    """Return the server of a runtime file; None if the file isn't trusted or is left over."""
    try:
        status = file.lstat()
        info: Any = json.loads(file.read_bytes())
        pid, port = int(info["pid"]), int(info["port"])
        host, base_url, token = (str(info[key]) for key in ("hostname", "base_url", "token"))
        scheme = "https" if info.get("secure") else "http"
        root_dir, sock = str(info.get("root_dir") or ""), info.get("sock")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_own = sys.platform == "win32" or status.st_uid == os.getuid()
    if sock or not (stat.S_ISREG(status.st_mode) and is_own and _is_running(pid)):
        return None
    return Server(f"{scheme}://{_connectable(host)}:{port}{base_url}", token, root_dir, pid)


def _connectable(host: str) -> str:
    if host in ("", "*") or _is_unspecified(host):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _is_unspecified(host: str) -> bool:
    """Return whether a host is the address by which servers bind to all addresses."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _is_running(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # there, signal 0 would interrupt the process; a request shows whether it runs
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return False  # it belongs to another user
    return True
