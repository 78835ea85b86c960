"""``sessions verify`` and ``sessions repair``: find and repair damaged histories."""

from __future__ import annotations

import argparse
import sys

from ..progress import ProgressBar
from ..safe_text import safe
from .stores import StoreContext


async def run_verify(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Check each stored file, without changing it. The exit status is 1 if one is damaged."""
    return await _check_records(context, repair=False)


async def run_repair(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Repair damaged files as far as possible. The exit status is 1 if damage remains."""
    return await _check_records(context, repair=True)


async def _check_records(context: StoreContext, *, repair: bool) -> int:
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
                print(f"{state}  {safe(result.location)}: {safe(result.problem)}")
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
