"""The file store: one readable JSON file per cell."""

from .manager import FileSessionManager

__all__ = ["FileSessionManager"]
