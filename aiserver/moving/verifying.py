"""``sessions verify`` and ``sessions repair``: is each record whole, and what can be mended?"""

from __future__ import annotations

import argparse
import sys

from .places import Place
from .progress import Bar
from .showing import safe


async def run_verify(arguments: argparse.Namespace, place: Place) -> int:
    """Look at each record; exit status 1 if one has a flaw."""
    return await _look(place, repair=False)


async def run_repair(arguments: argparse.Namespace, place: Place) -> int:
    """Mend what can be mended; exit status 1 if a flaw remains."""
    return await _look(place, repair=True)


async def _look(place: Place, *, repair: bool) -> int:
    seen = mended = left = 0
    with Bar("repairing" if repair else "looking") as bar:
        for owner in place.owners:
            async for record in place.store.verify(owner=owner, repair=repair):
                seen += 1
                bar.step()
                if record.flaw is None:
                    continue
                mended += record.mended
                left += not record.mended
                sign = "mended" if record.mended else "flaw"
                print(f"{sign}  {safe(record.where)}: {safe(record.flaw)}")
    print(f"{seen:,} records in {place.name}: ", end="")
    if not (mended or left):
        print("all are whole.")
    elif repair:
        print(f"{mended:,} were mended, {left:,} could not be.")
    else:
        print(f"{left:,} have a flaw.")
        sys.stdout.flush()
        print("“jupyter aiserver sessions repair” mends what can be, and keeps each byte.")
    return 1 if left else 0
