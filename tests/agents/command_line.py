"""Run the commands of ``aiserver/plugins/agents/cli`` as the command line runs them."""

from __future__ import annotations

import argparse
import sys

from aiserver.errors import AIServerError
from aiserver.plugins.agents.cli.parser import add_commands


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    root = argparse.ArgumentParser(prog="jupyter aiserver")
    add_commands(root.add_subparsers(required=True))
    arguments = root.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except AIServerError as error:
        print(error.message, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
