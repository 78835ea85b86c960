"""Run a command of ``jupyter aiserver …``.

Plugins add most commands. The exit status is 0 after a success, 1 after a failure, 2 after wrong
usage and 130 after Ctrl+C.

Invariant: printing never fails because the output's encoding lacks a character, as GBK on a Chinese
Windows lacks “✓”.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable

from .. import __version__
from ..durable import storage_error_class
from ..errors import AIServerError, StorageFull
from ..loaded_plugins import load_plugins
from .doctor import commands as doctor


def create_parser() -> argparse.ArgumentParser:
    """Create the command line's parser."""
    root = argparse.ArgumentParser(
        prog="jupyter aiserver", description="AI Server: every code cell remembers how it was made."
    )
    root.add_argument("--version", action="version", version=__version__)
    groups = root.add_subparsers(title="commands", dest="group", required=True, metavar="COMMAND")
    doctor.add_commands(groups)
    load_plugins().add_commands(groups)
    return root


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    arguments = create_parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        return run(arguments)
    except AIServerError as error:
        print(error.message, file=sys.stderr)
        return 1
    except OSError as error:
        is_full = storage_error_class(error) is StorageFull
        # Otherwise, the output's reader, such as `head`, has ended.
        if not (is_full or isinstance(error, BrokenPipeError)):
            raise
        if is_full:
            print(StorageFull().message, file=sys.stderr)
        # Discard the rest. Otherwise, Python fails again when it flushes the output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Completed work is kept.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
