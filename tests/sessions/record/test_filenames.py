"""Ids become file names and back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import SessionKey
from aiserver.sessions.record.filenames import (
    blob_name,
    is_session_name,
    log_name,
    log_notebook_id,
    session_name,
    session_prefix,
)

ALPHABET = "aAbBzZ09_-"
ids = st.text(alphabet=ALPHABET, min_size=1, max_size=64) | st.text(
    alphabet="A_", min_size=50, max_size=64
)
owners = st.just("") | st.text(max_size=80)
keys = st.builds(SessionKey, ids, ids, owners)
MARGIN = max(len(".corrupt-1000000"), len(".0123456789abcdef.tmp"))


def folded(name: str) -> str:
    """Normalize a name like the least precise file system."""
    return unicodedata.normalize("NFD", name).casefold()


def test_ordinary_names_are_readable():
    key = SessionKey("6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11", "b7a1c2d3")
    assert session_name(key) == "6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11_b7a1c2d3.json"
    assert session_name(SessionKey("a_B", "c")) == "a~5f~42_c.json"
    assert log_name("a_B") == "a~5f~42.jsonl"


def test_the_separator_is_unambiguous():
    """P24"""
    names = {session_name(SessionKey(*ids)) for ids in (("a_b", "c"), ("a", "b_c"), ("a_b_c", "c"))}
    assert len(names) == 3


@given(first_key=keys, other=keys)
def test_names_are_one_to_one(first_key: SessionKey, other: SessionKey):
    """P24"""
    names = session_name(first_key), session_name(other)
    assert (first_key == other) == (folded(names[0]) == folded(names[1]))


@given(key=keys)
def test_changing_one_letter_changes_the_name(key: SessionKey):
    """P24: random keys would rarely differ by one letter."""
    near = {
        SessionKey(key.notebook_id.swapcase(), key.cell_id, key.owner),
        SessionKey(key.notebook_id, key.cell_id.swapcase(), key.owner),
        SessionKey(key.cell_id, key.notebook_id, key.owner),
        SessionKey(key.notebook_id, key.cell_id, key.owner + "_"),
        SessionKey(key.notebook_id, key.cell_id, unicodedata.normalize("NFD", key.owner)),
        SessionKey(key.notebook_id, key.cell_id, unicodedata.normalize("NFC", key.owner)),
        key,
    }
    assert len({folded(session_name(each)) for each in near}) == len(near)


@given(key=keys)
def test_names_are_short_and_stay_in_the_folder(key: SessionKey):
    """P5, P24"""
    names = [
        session_name(key),
        log_name(key.notebook_id, key.owner),
        blob_name("0" * 64, key.owner),
    ]
    for name in names:
        assert len(name.encode()) + MARGIN <= 255
        assert not {*name} & {"/", "\\", "\0", ":"}
        assert not name.startswith(".")
    assert is_session_name(names[0])
    assert names[0].startswith(session_prefix(key.notebook_id))


@given(key=keys, other=owners)
def test_a_log_name_identifies_its_notebook(key: SessionKey, other: str):
    name = log_name(key.notebook_id, key.owner)
    assert log_notebook_id(name, key.owner) == key.notebook_id
    assert (log_notebook_id(name, other) is None) == (other != key.owner)


@pytest.mark.parametrize("device", ["con", "prn", "aux", "nul", "com1", "lpt9"])
def test_no_log_name_is_a_windows_device(device: str):
    """P24: Windows would discard data that is written to a device name, with any extension."""
    name = log_name(device)
    assert name.split(".")[0] != device
    assert log_notebook_id(name) == device
    assert log_notebook_id(f"{device}.jsonl") is None
    assert session_name(SessionKey(device, "c")).split(".")[0] != device


def test_other_names_are_not_session_names():
    for name in ("a_b.json.tmp", "a_b.json.corrupt-1", "package.json", "A_b.json", ".a_b.json"):
        assert not is_session_name(name), name
    for name in ("x.txt", "a~5F.jsonl", "a~61.jsonl", ".jsonl", "a_.jsonl", "a~2fb.jsonl"):
        assert log_notebook_id(name) is None, name
