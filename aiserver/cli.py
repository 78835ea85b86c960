"""``jupyter aiserver …`` on the command line."""

from __future__ import annotations


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    raise SystemExit("not yet")
