"""The memory and the cores of the machine or the container."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aiserver.plugins.local_models import machine

GIB = 1 << 30


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the process in the control group ``/pods/one``, and return the folder of the groups."""
    groups, proc = tmp_path / "cgroup", tmp_path / "proc"
    (groups / "pods" / "one").mkdir(parents=True)
    (proc / "self").mkdir(parents=True)
    (proc / "self" / "cgroup").write_text("4:memory:/old\n0::/pods/one\n")
    (proc / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:   16777216 kB\n")
    monkeypatch.setattr(machine, "CGROUPS", groups)
    monkeypatch.setattr(machine, "PROC", proc)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.setattr(machine, "_physical_memory", lambda: 32 * GIB)
    return groups


def test_without_limits_the_machine_counts(container: Path) -> None:
    (container / "pods" / "one" / "memory.max").write_text("max\n")
    (container / "pods" / "one" / "cpu.max").write_text("max 100000\n")
    assert machine.memory() == 32 * GIB
    assert machine.available_memory() == 16 * GIB
    assert (machine.cores(), machine.spare_cores()) == (8, 7)


def test_the_smallest_limit_of_a_container_and_its_parents_counts(container: Path) -> None:
    (container / "pods" / "memory.max").write_text(f"{6 * GIB}\n")
    (container / "pods" / "one" / "memory.max").write_text(f"{12 * GIB}\n")
    (container / "pods" / "one" / "cpu.max").write_text("250000 100000\n")
    assert machine.memory() == 6 * GIB
    assert machine.cores() == 2


def test_the_cache_of_a_container_counts_as_available(container: Path) -> None:
    group = container / "pods" / "one"
    (group / "memory.max").write_text(f"{8 * GIB}\n")
    (group / "memory.current").write_text(f"{7 * GIB}\n")
    (group / "memory.stat").write_text(
        f"anon {4 * GIB}\ninactive_file {1 * GIB}\nactive_file {2 * GIB}\n"
    )
    assert machine.available_memory() == 4 * GIB


def test_a_fraction_of_a_core_is_one_core(container: Path) -> None:
    (container / "pods" / "one" / "cpu.max").write_text("50000 100000\n")
    assert (machine.cores(), machine.spare_cores()) == (1, 1)


def test_unreadable_files_mean_no_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PROC", tmp_path / "nothing")
    monkeypatch.setattr(machine, "_physical_memory", lambda: None)
    assert machine.memory() is None
    assert machine.available_memory() is None
    assert machine.cores() >= 1
