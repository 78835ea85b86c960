"""The memory and the processor cores that this process may use.

Invariant: a container's lower limits count. They are read from version 2 of Linux's control groups.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
PROC = Path("/proc")


def cores() -> int:
    """Return the number of cores that this process may use, at least 1."""
    affinity = getattr(os, "sched_getaffinity", None)
    counts = [len(affinity(0)) if affinity else os.cpu_count() or 1]
    for folder in _control_groups():
        quota, _, period = _read(folder / "cpu.max").partition(" ")
        if quota.isdigit() and period.isdigit() and int(period):
            counts.append(int(quota) // int(period))
    return max(1, min(counts))


def spare_cores() -> int:
    """Return one core less than ``cores``, but at least 1."""
    return max(1, cores() - 1)


def memory() -> int | None:
    """Return the bytes of memory that this process may use; None if unknown."""
    limits = [limit for folder in _control_groups() if (limit := _number(folder / "memory.max"))]
    total = _physical_memory()
    return min([*limits, *([total] if total else [])], default=None)


def available_memory() -> int | None:
    """Return the bytes of memory that programs could still get, with the file cache."""
    amounts = []
    if available := _fields(PROC / "meminfo").get("MemAvailable:"):
        amounts.append(available * 1024)
    for folder in _control_groups():
        limit, used = _number(folder / "memory.max"), _number(folder / "memory.current")
        if limit is not None and used is not None:
            fields = _fields(folder / "memory.stat")
            cached = fields.get("inactive_file", 0) + fields.get("active_file", 0)
            amounts.append(max(0, limit - used + cached))
    return min(amounts, default=None)


def _control_groups() -> Iterator[Path]:
    # Version 2 has the form ``0::/path``, in a container usually ``/``.
    for line in _read(PROC / "self" / "cgroup").splitlines():
        if line.startswith("0::/"):
            group = Path(line[len("0::/") :])
            for path in (group, *group.parents):
                yield CGROUPS / path


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _read(path)
    return int(text) if text.isdigit() else None


def _fields(path: Path) -> dict[str, int]:
    """Return the numbers by name in lines such as ``MemTotal: 16384 kB``."""
    pairs = (line.split() for line in _read(path).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) > 1 and pair[1].isdigit()}
