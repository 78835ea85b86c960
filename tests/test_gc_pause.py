"""Large packages are imported without long garbage collections."""

from __future__ import annotations

import gc
import importlib
from contextlib import ExitStack

import pytest

from aiserver.gc_pause import pause_gc


@pytest.fixture(autouse=True)
def restored_gc():
    yield
    gc.unfreeze()
    assert gc.isenabled()


def test_the_collector_is_off_and_imported_objects_are_frozen(tmp_path, monkeypatch):
    (tmp_path / "large_package.py").write_text("things = [[] for _ in range(1000)]")
    monkeypatch.syspath_prepend(tmp_path)
    before = gc.get_freeze_count()
    with pause_gc():
        assert not gc.isenabled()
        importlib.import_module("large_package")
    assert gc.isenabled()
    assert gc.get_freeze_count() > before


def test_without_new_imports_nothing_is_frozen():
    """Otherwise objects of a running request would never be freed."""
    before = gc.get_freeze_count()
    with pause_gc():
        importlib.import_module("json")
    assert gc.get_freeze_count() == before


def test_the_collector_stays_off_until_the_last_block_ends():
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(pause_gc())
        second.enter_context(pause_gc())
        first.close()
        assert not gc.isenabled()
        second.close()
        assert gc.isenabled()


def test_a_failure_leaves_the_collector_on():
    with pytest.raises(ImportError), pause_gc():
        importlib.import_module("there_is_no_such_module")
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off():
    """Some servers run without it."""
    gc.disable()
    try:
        with pause_gc():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
