"""P19, P20: a confirming process is killed, or its disk fails, at any step."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..sessions.file.test_faults import CHANGING, READING, Saver, calls_in, each_call
from .backends import bytes_of
from .confirmer import open_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs strace, fork and kill -9")

PROGRAM = "tests.memory.confirmer"
TEXT = "Use polars"


@pytest.fixture(scope="module")
def confirmer() -> Iterator[Saver]:
    process = Saver("-m", PROGRAM)
    yield process
    process.close()


def prepare(root: Path) -> str:
    """Create a project with an entry and two proposals; return the id of one of them."""

    async def work() -> str:
        (root / "project").mkdir(parents=True)
        window = open_files(root)
        await window.add("project", "The key is order_id")
        await window.propose("Titles in Chinese", "person", "request")
        return (await window.propose(TEXT, "project", "request")).id

    return asyncio.run(work())


def outcome(root: Path, id_: str) -> str:
    """Check that everything is consistent, and return the outcome as a restarted server sees it."""

    async def look() -> str:
        await open_files(root).sweep()
        listed = await open_files(root).list_entries()
        entries = [item.text for item in listed]
        waiting = [proposal.text for proposal in await open_files(root).pending()]
        assert {item.review for item in listed} == {"used"}
        if TEXT in entries:
            assert (entries, waiting) == (["The key is order_id", TEXT], ["Titles in Chinese"])
            assert listed[1].id == id_
        else:
            assert (entries, waiting) == (["The key is order_id"], ["Titles in Chinese", TEXT])
        assert b".tmp" not in bytes_of(root).replace(b"*.tmp", b"")
        return "entry" if TEXT in entries else "proposal"

    return asyncio.run(look())


@each_call
@pytest.mark.timeout(240)
def test_a_confirmation_at_any_system_call(confirmer: Saver, tmp_path: Path, reading: bool) -> None:
    """The text is an entry or still waits, and an acknowledged confirmation is an entry."""
    id_ = prepare(tmp_path / "template")
    traced = shutil.copytree(tmp_path / "template", tmp_path / "traced")
    assert confirmer.run(traced, work=id_, trace=tmp_path / "log") == ["ack", "end"]
    assert outcome(traced, id_) == "entry"
    calls = calls_in(tmp_path / "log")
    assert calls["rename"] >= 6 and calls["fsync"] >= 6, calls
    outcomes: Counter[str] = Counter()
    errors = itertools.cycle(["error=ENOSPC", "error=EIO", "error=EACCES"])
    for name in sorted(calls.keys() & READING if reading else calls.keys() - READING):
        ends = ["signal=KILL", *([next(errors)] if name in CHANGING else [])]
        # Of the many calls that mostly read, some are enough.
        step = 1 if name in CHANGING - {"openat"} else 12
        for number, how in itertools.product(range(1, calls[name] + 1, step), ends):
            root = shutil.copytree(tmp_path / "template", tmp_path / "try")
            output = confirmer.run(root, work=id_, inject=f"{name}:{how}:when={number}")
            result = outcome(root, id_)
            if "ack" in output:
                assert result == "entry", (name, number, how)
            outcomes["killed" if "end" not in output else output[0].split()[0]] += 1
            outcomes[result] += 1
            asyncio.run(open_files(root).confirm(id_))
            assert outcome(root, id_) == "entry", (name, number, how)
            shutil.rmtree(root)
    kinds = ["killed", "entry", "proposal", *([] if reading else ["error"])]
    assert min(outcomes[each] for each in kinds) >= 3, outcomes
