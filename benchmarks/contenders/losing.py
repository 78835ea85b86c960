"""Count the turns that a store loses: with concurrent writers, and when a writer is killed.

A turn is lost if the store acknowledged that it was saved, but a later process can't read it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from .field import Entry, Field, Process
from .turns import turn


class Lost(NamedTuple):
    """The number of acknowledged turns, and the number of those that were lost."""

    acknowledged: int
    lost: int
    unreadable: int = 0
    """The number of sessions that could not be read afterwards."""
    refused: int = 0
    """The number of saves that raised an error. Their turns don't count as lost."""

    def __str__(self) -> str:
        text = f"{self.lost:,} of {self.acknowledged:,}"
        if self.unreadable:
            text += f", unreadable × {self.unreadable}"
        return text + (f" ({self.refused:,} refused)" if self.refused else "")


def lost_by_writers(
    field: Field,
    part: str,
    writer_count: int,
    turns_per_writer: int,
    report: Callable[[str], None],
) -> dict[str, Lost]:
    """Let several processes write turns into the same session at once.

    ``part`` is the name of this part of the run.
    """
    results = {}
    for entry in field.entries(part):
        if not entry.shared:
            continue
        report(f"{writer_count} writers × {turns_per_writer}: {entry.name}")
        with field.at_work([entry] * writer_count) as processes:
            processes[0].request("fill", cell="crowded", turns=1, small=True)
            for number, process in enumerate(processes, 1):
                process.send(do="write", cell="crowded", name=number, count=turns_per_writer)
            acknowledged: list[int] = []
            refused = 0
            for process in processes:
                while "done" not in (answer := process.read()):
                    refused += "failed" in answer
                    acknowledged += [answer["saved"]] if "saved" in answer else []
        lost = _count_lost(field, entry, "crowded", acknowledged)
        results[entry.name] = lost._replace(refused=refused)
    return results


def lost_by_kills(field: Field, kills: int, report: Callable[[str], None]) -> dict[str, Lost]:
    """Start a writer and kill it (kill -9) at a random time; repeat this ``kills`` times."""
    results = {}
    for entry in field.entries("killed"):
        if not entry.shared:
            continue
        report(f"{kills} kills: {entry.name}")
        rng = random.Random(entry.name)
        total = Lost(0, 0)
        for number in range(kills):
            cell = f"killed-{number}"
            process = field.start(entry)
            process.request("fill", cell=cell, turns=100, small=False)
            process.send(do="write", cell=cell, name=1, count=10_000)
            acknowledged = [process.read()["saved"] for _ in range(rng.randint(1, 20))]
            time.sleep(rng.random() * 0.02)
            process.kill()
            acknowledged += list(_unread_acknowledgements(process))
            lost = _count_lost(field, entry, cell, acknowledged)
            total = Lost(*(a + b for a, b in zip(total, lost, strict=True)))
        results[entry.name] = total
    return results


def _unread_acknowledgements(process: Process) -> list[int]:
    """Return the numbers of turns that the process acknowledged before it was killed.

    Acknowledgements that were read already are not included.
    """
    acknowledged = []
    try:
        while True:
            acknowledged.append(process.read()["saved"])
    except (EOFError, KeyError):
        return acknowledged


def _count_lost(field: Field, entry: Entry, cell: str, acknowledged: list[int]) -> Lost:
    """Count the acknowledged turns that a new process doesn't find in the session."""
    with field.at_work([entry]) as [process]:
        answer = process.request("read intents", cell=cell)
    if "unreadable" in answer:
        return Lost(len(acknowledged), len(acknowledged), 1)
    survived = set(answer["intents"])
    return Lost(
        len(acknowledged), sum(turn(number).intent not in survived for number in acknowledged)
    )
