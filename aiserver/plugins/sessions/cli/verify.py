"""``sessions verify`` and ``sessions repair``: find and repair damaged histories."""

from __future__ import annotations

import argparse
import sys

from ....cli.stores import StoreContext
from ....cli.terminal import ProgressBar, make_safe


async def run_verify(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Check all stored data, and repair it with ``repair``; return 1 if damage remains."""
    repair = arguments.repair
    checked_count = repaired_count = damaged_count = 0
    with ProgressBar("repairing" if repair else "checking") as bar:
        for owner in context.owners:
            async for result in context.store.verify(owner=owner, repair=repair):
                checked_count += 1
                bar.advance()
                if result.problem is None:
                    continue
                repaired_count += result.repaired
                damaged_count += not result.repaired
                state = "repaired" if result.repaired else "damaged"
                print(f"{state}  {make_safe(result.location)}: {make_safe(result.problem)}")
    print(f"{checked_count:,} records in {context.name}: ", end="")
    if not (repaired_count or damaged_count):
        print("no damage found.")
    elif repair:
        print(f"{repaired_count:,} repaired, {damaged_count:,} could not be repaired.")
    else:
        print(f"{damaged_count:,} are damaged.")
        sys.stdout.flush()
        print("To repair them, run “jupyter aiserver sessions repair”. The damaged files are kept.")
    return 1 if damaged_count else 0
