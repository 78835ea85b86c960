"""The command line's fixtures, for imports as they are typed."""

from ..cli.conftest import run, work

__all__ = ["run", "work"]
