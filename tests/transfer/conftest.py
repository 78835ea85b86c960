"""Fixtures of the command line, for tests that import files with it."""

from ..cli.conftest import run, work

__all__ = ["run", "work"]
