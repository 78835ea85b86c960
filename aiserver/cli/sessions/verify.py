"""``sessions verify`` and ``sessions repair``: is each record whole, and what can be mended?"""

from __future__ import annotations

import argparse
import sys

from ..progress import ProgressBar
from ..safe_text import safe
from .stores import Place


async def run_verify(arguments: argparse.Namespace, place: Place) -> int:
    """Look at each record; exit status 1 if one has a flaw."""
    return await _look(place, repair=False)


async def run_repair(arguments: argparse.Namespace, place: Place) -> int:
    """Mend what can be mended; exit status 1 if a flaw remains."""
    return await _look(place, repair=True)


async def _look(place: Place, *, repair: bool) -> int:
    seen = mended = left = 0
    with ProgressBar("repairing" if repair else "checking") as bar:
        for owner in place.owners:
            async for record in place.store.verify(owner=owner, repair=repair):
                seen += 1
                bar.step()
                if record.problem is None:
                    continue
                mended += record.repaired
                left += not record.repaired
                sign = "repaired" if record.repaired else "damaged"
                print(f"{sign}  {safe(record.location)}: {safe(record.problem)}")
    print(f"{seen:,} records in {place.name}: ", end="")
    if not (mended or left):
        print("no damage found.")
    elif repair:
        print(f"{mended:,} repaired, {left:,} could not be repaired.")
    else:
        print(f"{left:,} are damaged.")
        sys.stdout.flush()
        print("To repair them, run “jupyter aiserver sessions repair”. The damaged files are kept.")
    return 1 if left else 0
