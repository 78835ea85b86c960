"""``sessions verify`` and ``sessions repair``: find and repair damaged records."""

from __future__ import annotations

import argparse
import sys

from ..progress import ProgressBar
from ..safe_text import safe
from .stores import StoreContext


async def run_verify(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Check each record; exit status 1 if one is damaged."""
    return await _check_records(context, repair=False)


async def run_repair(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Repair what can be repaired; exit status 1 if damage remains."""
    return await _check_records(context, repair=True)


async def _check_records(context: StoreContext, *, repair: bool) -> int:
    checked = repaired = left = 0
    with ProgressBar("repairing" if repair else "checking") as bar:
        for owner in context.owners:
            async for record in context.store.verify(owner=owner, repair=repair):
                checked += 1
                bar.step()
                if record.problem is None:
                    continue
                repaired += record.repaired
                left += not record.repaired
                sign = "repaired" if record.repaired else "damaged"
                print(f"{sign}  {safe(record.location)}: {safe(record.problem)}")
    print(f"{checked:,} records in {context.name}: ", end="")
    if not (repaired or left):
        print("no damage found.")
    elif repair:
        print(f"{repaired:,} repaired, {left:,} could not be repaired.")
    else:
        print(f"{left:,} are damaged.")
        sys.stdout.flush()
        print("To repair them, run “jupyter aiserver sessions repair”. The damaged files are kept.")
    return 1 if left else 0
