"""P18, P15: the values of variables as text, for mentions."""

from __future__ import annotations

import datetime
import decimal
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aiserver.kernel.variables import MAX_ITEMS, MAX_VALUE, value_text
from aiserver.redact import redact

from ..effort import at_most
from .test_hostile import SPECIAL, LyingClass, Meta, Text, touched, trap

UTC = datetime.timezone.utc


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.3, "0.3"),
        (True, "True"),
        (None, "None"),
        (1 + 2j, "(1+2j)"),
        ("a\n'北京", '"a\\n\'北京"'),
        ([1, "a"], "[1, 'a']"),
        ((1,), "(1,)"),
        ((), "()"),
        (set(), "set()"),
        ({3}, "{3}"),
        (frozenset([3]), "frozenset({3})"),
        ({"a": {"b": [1]}, ("x", 2): None}, "{'a': {'b': [1]}, ('x', 2): None}"),
        (datetime.date(2024, 1, 2), "datetime.date(2024, 1, 2)"),
        (datetime.timedelta(days=1), "datetime.timedelta(days=1)"),
        (datetime.datetime(2024, 1, 2), "datetime.datetime(2024, 1, 2, 0, 0)"),
        (
            datetime.datetime(2024, 1, 2, tzinfo=UTC),
            "datetime.datetime(2024, 1, 2, 0, 0), with a time zone",
        ),
        (decimal.Decimal("1.50"), "Decimal('1.50')"),
        (np.int64(3), "3"),
        (np.float32(0.5), "0.5"),
        (np.str_("x"), "'x'"),
        (np.datetime64("2024-01-02"), "datetime64('2024-01-02')"),
        (np.array([1.5, 2]), "array([1.5, 2.0])"),
        (np.array([[1, 2], [3, 4]]), "array([[1, 2], [3, 4]])"),
        (np.array(["2024-01-02"], "M8[D]"), "array(['2024-01-02'])"),
        ([pd.DataFrame(), object], "[<DataFrame>, <type>]"),
    ],
)
def test_the_value_is_written_as_in_python(value: Any, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    "value",
    [
        b"x",
        object(),
        10**1000,
        pd.DataFrame({"a": [1]}),
        pd.Timestamp("2024-01-01"),
        np.array([object()]),
        np.array(3),
        np.zeros((1, 1, 1, 1)),
        np.zeros(2, "i,i"),
        np.longdouble(1),
        type("Sub", (dict,), {})(a=1),
        type("Day", (datetime.date,), {})(2024, 1, 1),
        type("Array", (np.ndarray,), {})((1,)),
    ],
)
def test_other_values_have_no_text(value: Any) -> None:
    """Subclasses aren't the exact classes."""
    assert value_text(value) == ""


def test_a_value_is_limited_in_length_depth_and_time() -> None:
    """P18: what is left out is marked."""
    numbers = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19"
    assert MAX_ITEMS == 20
    assert value_text(list(range(30))) == f"[{numbers}, …]"
    assert value_text(np.arange(30)) == f"array([{numbers}, …])"
    assert value_text([[[[1]]]]) == "[[[[…]]]]"
    nested: list[Any] = []
    nested.append(nested)
    assert value_text(nested) == "[[[[…]]]]"
    wide: Any = 7
    for _ in range(10):
        wide = [wide] * 1000
    huge = {
        "wide": wide,
        "texts": ["x " * 10_000] * 1000,
        "numbers": [10**100_000] * 100,
        "array": np.zeros((2000, 2000)),
    }
    with at_most(5_000_000):
        for value in (*huge.values(), huge):
            assert len(value_text(value)) < MAX_VALUE + 400


def test_a_long_text_is_cut_before_a_word() -> None:
    """P16: a part of a key isn't recognised as a secret."""
    key = "sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    text = value_text("word " * 37 + key + " end" * 100)
    assert text.endswith("word '…") and "sk-" not in text
    assert value_text("x" * 500) == "''…"
    assert value_text("数" * 500) == repr("数" * 200) + "…"
    lines = "\n".join(["-----BEGIN PRIVATE KEY-----", *["MIIEowIBAAKCAQEA" * 4] * 20])
    assert "MII" in value_text(lines) and "MII" not in redact(f"x = {value_text(lines)}")


def test_no_method_of_a_persons_object_is_called() -> None:
    """P18: neither of objects, of their classes and metaclasses, nor of time zones and keys."""

    class Zone(datetime.tzinfo):
        utcoffset = tzname = dst = __repr__ = trap("zone")

    class Hashed:
        __repr__ = __str__ = __eq__ = trap("key")

        def __hash__(self):
            return 1

    own: Any = type.__call__(Meta, "Own", (), {})
    subclasses = [
        type("Sub", (base,), {name: trap(name) for name in SPECIAL if name not in ("__hash__",)})
        for base in (int, float, str, list, tuple, dict, set, decimal.Decimal)
    ]
    values: list[Any] = [
        LyingClass(),
        own,
        Text("x"),
        datetime.datetime(2024, 1, 2, tzinfo=Zone()),
        {Hashed(): LyingClass()},
        (Hashed(), [LyingClass()]),
        np.array([Hashed(), None], dtype=object),
        *(base.__new__(base) for base in subclasses),  # type: ignore[call-overload]
    ]
    touched.clear()
    texts = [value_text(value) for value in values]
    assert touched == []
    assert texts[3] == "datetime.datetime(2024, 1, 2, 0, 0), with a time zone"
    assert texts[4:6] == ["{<Hashed>: <LyingClass>}", "(<Hashed>, [<LyingClass>])"]
    assert [*texts[:3], *texts[6:]] == [""] * (len(texts) - 3)


def test_replaced_classes_of_the_standard_library_are_not_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """P18: as libraries for tests replace them."""
    fake = type("datetime", (datetime.datetime,), {"__repr__": trap("repr")})
    array = type("ndarray", (np.ndarray,), {"dtype": property(trap("dtype"))})
    values = [fake(2024, 1, 2), array((1,))]
    monkeypatch.setattr(datetime, "datetime", fake)
    monkeypatch.setattr(sys.modules["numpy"], "ndarray", array)
    touched.clear()
    texts = [value_text(value) for value in values]
    assert (touched, texts) == ([], ["", ""])
