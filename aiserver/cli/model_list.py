"""``jupyter aiserver model list``: show the catalogue, and measure speeds."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from pathlib import Path

from ..errors import StorageError
from ..llm.local import machine, weights
from ..llm.local.catalogue import CatalogueModel
from ..llm.local.models import LocalEntry, local_entries

_COLUMNS = ("NAME", "SIZE", "MEMORY", "LICENCE", "CORRECT", "SPEED", "")


def run_list(arguments: argparse.Namespace) -> int:
    """Print the models of the catalogue as a table.

    With the option ``--speed``, first measure the speed of each installed model.
    """
    if arguments.speed:
        for model in weights.installed_models():
            path = weights.installed(model)
            if path is not None:
                measure_and_print(model, path)
        print()
    rows = [_COLUMNS, *map(_row, local_entries())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    memory = machine.memory()
    amount = "an unknown amount" if memory is None else size_text(memory)
    print(
        f"\nThis computer has {amount} of memory and {machine.cores()} cores for AI Server.\n"
        "MEMORY is the estimated need of a running model. CORRECT is how many questions about\n"
        "data (DABench) it answered correctly; models without a number weren’t measured."
    )
    return 0


def _row(entry: LocalEntry) -> tuple[str, ...]:
    model, quality = entry.model, entry.model.quality
    notes = []
    if entry.is_installed:
        notes.append("installed" if entry.is_removable else "installed for all users")
    elif entry.partial_bytes:
        notes.append(f"{size_text(entry.partial_bytes)} downloaded")
    if entry.is_suggested:
        notes.append("suggested for this computer")
    if not entry.fits:
        notes.append("needs more memory than this computer has")
    return (
        model.name,
        size_text(model.size),
        size_text(model.memory),
        model.licence,
        f"{quality.right} of {quality.of}" if quality else "",
        f"{entry.speed:.0f} tokens/s" if entry.speed is not None else "",
        ", ".join(notes),
    )


def measure_and_print(model: CatalogueModel, path: Path) -> None:
    """Measure how fast an installed model writes, print the result and store it for the page."""
    from ..llm.local import speed

    result = asyncio.run(speed.measure(model, path))
    if result is None:
        print(f"{model.label} wrote too little in {speed.PROBE_SECONDS:.0f} s to be measured.")
        return
    print(f"{model.label} writes {result:.0f} tokens per second on this computer.")
    # If the speed can't be stored, the page doesn't show it, but the command succeeds.
    with contextlib.suppress(OSError, StorageError):
        speed.store(model, result)


def size_text(size: int) -> str:
    """Return a number of bytes as text: ``2.1 GB``, or ``400 MB`` for less than one GB."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
