"""Simulate Windows, which doesn't rename or remove open files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aiserver import durable


class InUse:
    """Fails a few times, like Windows while a reader or a virus scanner has opened the file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, method: str, times: int) -> None:
        self.left = times
        real = getattr(os, method)

        def refusing(path: str | Path, *args: object, **kwargs: object) -> object:
            if self.left and not os.fspath(path).endswith(".lock"):
                self.left -= 1
                raise PermissionError(13, "in use", str(path))
            return real(path, *args, **kwargs)

        monkeypatch.setattr(os, method, refusing)


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "WAITS", (0.0, 0.0, 0.0))


def test_an_open_file_is_replaced_once_it_is_closed(tmp_path, monkeypatch):
    """P20"""
    durable.replace_file(tmp_path, "a.json", b"old")
    busy = InUse(monkeypatch, "replace", 2)
    durable.replace_file(tmp_path, "a.json", b"new")
    assert busy.left == 0
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"new"


def test_a_file_that_stays_open_is_unchanged_and_no_files_are_left(tmp_path, monkeypatch):
    """P20, P21"""
    durable.replace_file(tmp_path, "a.json", b"old")
    InUse(monkeypatch, "replace", 99)
    with pytest.raises(PermissionError):
        durable.replace_file(tmp_path, "a.json", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"old"


def test_an_open_file_is_removed_or_renamed_once_it_is_closed(tmp_path, monkeypatch):
    for name in ("a.json", "b.json"):
        durable.replace_file(tmp_path, name, b"bytes")
    InUse(monkeypatch, "unlink", 1)
    InUse(monkeypatch, "rename", 1)
    assert durable.remove(tmp_path, ["a.json"])
    aside = durable.move_to_quarantine(tmp_path, "b.json")
    assert [path.name for path in tmp_path.iterdir()] == [aside]
