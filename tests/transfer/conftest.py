"""Fixtures of the command line, for tests that import files with it."""

from ..cli.conftest import command_line, run, work

__all__ = ["command_line", "run", "work"]
