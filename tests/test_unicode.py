"""Normalizing and parsing take linear time, whatever the text contains."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from aiserver.unicode import Form, normalize, parse_python

from .effort import at_most

MANY_MARKS = "a" + "\u0315\u0300" * 50_000


@given(st.text(), st.sampled_from(["NFC", "NFKC", "NFKD"]))
def test_texts_are_normalized(text: str, form: Form) -> None:
    text = text * 100
    is_short = len(text) < 1000
    assert normalize(form, text) == unicodedata.normalize(form, text) or not is_short


def test_many_marks_take_linear_time() -> None:
    """P17"""
    with at_most(10_000_000):
        normalize("NFKC", MANY_MARKS)
        assert parse_python(f"{MANY_MARKS} = 1") is None


def test_names_with_marks_are_python() -> None:
    assert parse_python("cafe\u0301 = 'หมื่น'")
    assert parse_python("x =") is None
