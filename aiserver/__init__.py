"""AI Server: a JupyterLab extension in which every code cell remembers how it was made."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MAGICS = "aiserver.plugins.magics.ai"
__all__ = ["__version__"]

try:
    from ._version import __version__
except ImportError:  # a checkout that was never built
    __version__ = "0+unknown"


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "aiserver"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from .extension import AIServer

    return [{"module": "aiserver", "app": AIServer}]


def load_ipython_extension(ipython: Any) -> None:
    """Register the magics ``%%ai`` and ``%ai``: IPython calls this for ``%load_ext aiserver``."""
    import_module(_MAGICS).register(ipython)
