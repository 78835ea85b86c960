"""Data that nobody would expect: nothing of it runs, and it doesn't hide the others (P18)."""

from __future__ import annotations

import base64
import datetime
import decimal
import sys
import types
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pandas.tests.extension.decimal import DecimalArray, to_decimal

from aiserver.kernel.check import check_suggestion
from aiserver.kernel.inspection.objects import is_plain_time_zone
from aiserver.kernel.variables import describe, first_rows

from ...effort import at_most
from .profiles_of import columns_of, keys_of, listed, profile_of

calls: list[str] = []


class Hostile:
    """Notes each call of its methods."""

    def __getattribute__(self, name: str) -> Any:
        calls.append(name)
        raise RuntimeError(name)

    def _called(self, *args: Any) -> Any:
        calls.append("called")
        raise RuntimeError

    __repr__ = __str__ = __eq__ = __hash__ = __len__ = __iter__ = _called
    __array__ = __lt__ = __bool__ = __float__ = __getitem__ = _called


class EvilText(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        calls.append("==")
        return False

    def __hash__(self) -> int:
        calls.append("hash")
        return 1

    def __str__(self) -> str:
        calls.append("str")
        return "evil"


class Plain:
    """Notes when it is hashed or compared."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        calls.append("repr")
        return "evil"

    def __hash__(self) -> int:
        calls.append("hash")
        return self.value

    def __eq__(self, other: object) -> bool:
        calls.append("==")
        return self is other


class EvilFrame(pd.DataFrame):  # type: ignore[misc]
    @property
    def columns(self) -> Any:
        calls.append("columns")
        return ["lie"]

    @property
    def _constructor(self) -> Any:
        calls.append("constructor")
        return EvilFrame

    def __getitem__(self, key: Any) -> Any:
        calls.append("getitem")
        raise RuntimeError


class EvilArray(DecimalArray):  # type: ignore[misc]
    def __len__(self) -> int:
        calls.append("len")
        return super().__len__()

    @property
    def dtype(self) -> Any:
        calls.append("dtype")
        return super().dtype


@pytest.fixture(autouse=True)
def no_calls():
    calls.clear()
    yield
    assert calls == []


def test_hostile_objects_are_left_out_or_only_counted():
    frame = pd.DataFrame({"x": [1, 2]})
    frame["objects"] = pd.Series([Hostile(), EvilText("a")], dtype=object)
    subclass = EvilFrame({"价格": [1.0, 2.0]})
    calls.clear()
    items = listed({"hostile": Hostile(), "evil": EvilText("x"), "df": frame, "sub": subclass})
    assert sorted(items) == ["df", "sub"]
    assert items["sub"]["columns"] == [{"name": "价格", "dtype": "float64"}]
    profiles = columns_of(frame)
    assert profiles["x"]["distinct"] == 2
    assert profiles["objects"]["note"] == "objects"
    assert profiles["objects"]["distinct"] is None
    assert columns_of(subclass)["价格"]["numbers"]["mean"] == 1.5


def test_arrays_of_a_persons_class_are_named_and_nothing_else():
    frame = pd.DataFrame({"a": [1, 2], "own": EvilArray(to_decimal(["1", "2"]))})
    calls.clear()
    assert listed({"df": frame})["df"]["columns"][1] == {"name": "own", "dtype": "EvilArray"}
    assert columns_of(frame)["own"]["note"] == "unsupported"
    assert columns_of(frame)["a"]["distinct"] == 2


def test_names_of_every_kind():
    names = ["df);x", "😀", "مبيعات", "\ud800", 5, None, ("a", 1), 2.5, pd.Timestamp("2024-01-01")]
    frame = pd.DataFrame([range(len(names))], columns=pd.Index(names, dtype=object))
    listed_names = [column["name"] for column in listed({"df": frame})["df"]["columns"]]
    assert listed_names == [
        *("df);x", "😀", "مبيعات", "?", "5", "None", "('a', 1)", "2.5", "2024-01-01 00:00:00")
    ]
    duplicate = pd.DataFrame([[1, "a"]], columns=["x", "x"])
    assert [c["dtype"] for c in profile_of(duplicate)["columns"]] == ["int64", "str"]
    levels = pd.MultiIndex.from_product([["2024", "2025"], ["和", "差"]])
    wide = pd.DataFrame([[1, 2, 3, 4]], columns=levels)
    assert next(iter(columns_of(wide))) == "('2024', '和')"


def test_wide_deep_and_empty_data_is_bounded():
    wide = pd.DataFrame(np.zeros((2, 6000)), columns=[f"c{n}" for n in range(6000)])
    item = listed({"wide": wide})["wide"]
    assert item["columnCount"] == 6000 and len(item["columns"]) == 5000
    assert len(profile_of(wide, 4990, 50)["columns"]) == 10
    levels = pd.DataFrame({"c": pd.Categorical.from_codes([1, 0], [str(n) for n in range(10**6)])})
    assert columns_of(levels)["c"]["top"] == [
        {"value": "1", "count": 1},
        {"value": "0", "count": 1},
    ]
    long = pd.DataFrame({"t": ["长" * 10_000] * 2})
    assert len(columns_of(long)["t"]["top"][0]["value"]) == 60
    for empty in (pd.DataFrame(), pd.DataFrame({"a": []}), pl.DataFrame(), np.zeros((0, 3))):
        assert profile_of(empty).get("problem") is None
    many = {f"v{n}": np.zeros(2) for n in range(300)}
    assert len(listed(many)) == 200


class EvilZone(datetime.tzinfo):
    def utcoffset(self, value: Any) -> Any:
        calls.append("utcoffset")
        return datetime.timedelta(0)

    dst = tzname = utcoffset

    def __str__(self) -> str:
        calls.append("zone")
        return "evil"


class EvilIndex(pd.Index):  # type: ignore[misc]
    def __len__(self) -> int:
        calls.append("len")
        return 1


class EvilType(pa.ExtensionType):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(pa.int64(), "evil")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    def __str__(self) -> str:
        calls.append("type")
        return "evil"

    def __arrow_ext_scalar_class__(self) -> Any:
        calls.append("scalar")
        return pa.ExtensionScalar


def test_time_zones_types_and_records_of_a_persons_classes_are_not_used():
    zone = EvilZone()
    dates = [datetime.datetime(2024, 1, day, tzinfo=zone) for day in (1, 2)]
    record = np.zeros(2, dtype=[("a", "O")])
    record["a"][0], record["a"][1] = Plain(1), Plain(2)
    storage = pa.array([1, 2])
    own = pa.ExtensionArray.from_storage(EvilType(), storage)
    nested = pa.ListArray.from_arrays([0, 1, 2], own)
    table = pa.table({"own": own, "nested": nested, "x": storage})
    frame = pd.DataFrame({"dates": pd.Series(dates, dtype=object), "x": [1, 2]})
    zoned = pd.DataFrame({"when": pd.DatetimeIndex(["2024-01-01", "2024-01-02"]).tz_localize(zone)})
    records = pd.DataFrame({"r": pd.Series(list(record), dtype=object)})
    arrow = pd.DataFrame({"e": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([own])))})
    categories = pd.DataFrame({"c": pd.Categorical([Plain(1), Plain(2)])})
    objects = pl.DataFrame({"o": pl.Series([Plain(1), Plain(2)], dtype=pl.Object)})
    calls.clear()
    assert columns_of(frame)["dates"]["note"] == "objects"
    assert columns_of(frame)["x"]["distinct"] == 2
    assert columns_of(zoned)["when"]["note"] == "unsupported"
    assert columns_of(records)["r"]["note"] == "objects"
    assert [columns_of(table)[name].get("note") for name in ("own", "nested")] == [
        "unsupported",
        "unsupported",
    ]
    assert columns_of(table)["x"]["distinct"] == 2
    assert columns_of(arrow)["e"]["note"] == "unsupported"
    tables = {"a": frame, "b": zoned, "c": table, "d": arrow, "e": categories, "f": objects}
    assert len(listed(tables)) == 6
    keys_of({"a": categories, "b": categories})
    keys_of({"a": objects, "b": objects})
    keys_of(tables)
    for variables in (tables, {"df": frame}, {"df": zoned}, {"df": arrow}):
        describe(variables)
        first_rows(variables, next(iter(variables)), 2)
    indexed = pd.DataFrame({"x": [1, 2]})
    indexed.index = EvilIndex(["a", "b"])
    calls.clear()
    if type(indexed.index) is EvilIndex:
        describe({"df": indexed})
        first_rows({"df": indexed}, "df", 1)
        listed({"df": indexed})


def test_a_large_array_in_another_order_is_not_copied():
    array = np.zeros((200, 300, 40)).transpose(2, 0, 1)
    assert profile_of(array)["columns"][0]["rows"] == 20_000


def test_nothing_is_left_behind():
    frame = pd.DataFrame({"a": [1.0, np.inf, -np.inf], "b": ["x", "y", None]})
    variables = {"df": frame, "s": frame["a"]}
    names, copy = list(variables), frame.copy()
    modules, errors = set(sys.modules), np.geterr()
    listed(variables)
    columns_of(frame)
    assert list(variables) == names
    pd.testing.assert_frame_equal(frame, copy)
    assert set(sys.modules) == modules
    assert np.geterr() == errors


class Zone(datetime.tzinfo):
    """A time zone of a person."""

    def utcoffset(self, date: object) -> datetime.timedelta:
        calls.append("utcoffset")
        return datetime.timedelta(hours=1)

    dst = tzname = utcoffset  # type: ignore[assignment]

    def __str__(self) -> str:
        calls.append("zone str")
        return "zone"

    __repr__ = __str__


class Frequency(pd.offsets.Day):  # type: ignore[misc]
    """A frequency of a person."""

    def __getattribute__(self, name: str) -> Any:
        calls.append(name)
        return super().__getattribute__(name)


class Number(decimal.Decimal):
    def __repr__(self) -> str:
        calls.append("number")
        return "2"

    __str__ = __repr__


class Meta(type):
    def __hash__(cls) -> int:
        calls.append("class hash")
        return 1

    def __eq__(cls, other: object) -> bool:
        calls.append("class ==")
        return False


class OfMeta(metaclass=Meta):
    pass


def all_of(frame: pd.DataFrame) -> list[Any]:
    """Read a DataFrame in each way in which requests, checks and the sidebar read it."""
    variables = {"df": frame, "index": frame.columns}
    read = [describe(variables, 3, True), first_rows(variables, "df", 3), profile_of(frame)]
    code = "df['x'].mean()\ndf.loc[:, 'y']\ndf.sort_values('z')\ndf.groupby('x').sum()"
    return [
        *read,
        listed(variables),
        check_suggestion(code, variables),
        keys_of({"df": frame, "other": frame}),
    ]


def with_labels(*labels: Any) -> pd.DataFrame:
    return pd.DataFrame([range(len(labels))], columns=pd.Index(labels, dtype=object))


def zoned_dates() -> dict[str, Any]:
    stamp = pd.Timestamp("2024-01-01", tz=Zone())
    dates = pd.DatetimeIndex([stamp])
    interval = pd.Interval(stamp, stamp + pd.Timedelta(1, "D"))
    intervals = pd.IntervalIndex([interval])
    period = pd.Period("2024-01-01", freq=Frequency())
    return {
        "date": stamp,
        "datetime": stamp.to_pydatetime(),
        "time": datetime.time(1, tzinfo=Zone()),
        "interval": interval,
        "period": period,
        "dates": dates,
        "intervals": intervals,
        "categories": pd.CategoricalIndex(dates),
        "categories of intervals": pd.CategoricalIndex(intervals),
    }


@pytest.mark.parametrize("name", list(zoned_dates()))
def test_no_code_of_time_zones_and_frequencies_runs(name: str):
    """P18, P41: as values, as labels, in an index, in intervals and in categories."""
    value = zoned_dates()[name]
    is_index = isinstance(value, pd.Index)
    values = value if is_index else pd.Series([value], dtype=object)
    labels = [("a", value)] if not is_index else [("a", value[0])]
    frames = [
        pd.DataFrame({"x": values}),
        pd.DataFrame({"x": [1]}, index=pd.Index(values)),
        pd.DataFrame([[1]], columns=pd.Index(values)),
        with_labels(value[0] if is_index else value),
        with_labels(*labels),
    ]
    calls.clear()
    for frame in frames:
        all_of(frame)


def test_labels_with_a_plain_time_zone_are_texts():
    stamp = pd.Timestamp("2024-01-01", tz="UTC")
    floats = pd.IntervalIndex.from_breaks([0.0, 1.5])[0]  # with bounds of numpy
    labels = [stamp, stamp.to_pydatetime(), ("a", np.int64(3)), pd.Interval(stamp, stamp), floats]
    [item] = listed({"df": with_labels(*labels)}).values()
    assert [column["name"] for column in item["columns"]] == [
        "2024-01-01 00:00:00+00:00",
        "2024-01-01 00:00:00+00:00",
        "('a', 3)",
        "(2024-01-01 00:00:00+00:00, 2024-01-01 00:00:00+00:00]",
        "(0.0, 1.5]",
    ]


def test_no_code_of_metaclasses_and_fill_values_runs():
    """P18"""
    sparse = pd.arrays.SparseArray([Plain(1)], fill_value=Number(2), dtype=object)
    structures = np.array([(Plain(1),)], dtype=[("own", object)])
    structures.setflags(write=False)  # others aren't hashable
    structure = structures[0]
    frames = [pd.DataFrame({"x": sparse}), with_labels(structure), with_labels(("a", structure))]
    calls.clear()
    for frame in frames:
        all_of(frame)
    describe({"list": [OfMeta()], "dict": {"a": OfMeta()}, "mixed": [1, OfMeta()]}, 3, True)


def test_tuples_that_contain_another_twice_take_linear_time():
    """P18: each level doubles the tuples in the text."""
    label: Any = ("a",)
    for _ in range(200):
        label = (label, label)
    index = pd.Index([label], dtype=object, tupleize_cols=False)
    frame = pd.DataFrame([[label]], columns=index, dtype=object)
    variables = {"df": frame, "tuple": label, "index": index}
    with at_most(1_000_000):
        described = describe(variables, 3, True)
        items = listed(variables)
        columns_of(frame)
        first_rows(variables, "df", 3)
        check_suggestion("df['x'].mean()", variables)
    assert items["df"]["columns"][0]["name"] == "(" * 200
    assert "(" * 200 in base64.b64decode(described).decode()


def test_a_subclass_of_pytz_is_no_zone_of_pytz(monkeypatch: pytest.MonkeyPatch):
    """P18: even if it says that it is in the same module."""
    base = type("DstTzInfo", (datetime.tzinfo,), {"utcoffset": lambda self, date: None})
    module = types.ModuleType("pytz.tzinfo")
    module.DstTzInfo = base  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pytz.tzinfo", module)
    own = type("Berlin", (base,), {"zone": "Europe/Berlin", "__module__": "pytz.tzfile"})
    other = type("Berlin", (base, Zone), {"__module__": "pytz.tzfile"})
    faked = type("Berlin", (base,), {"__module__": "pytz.x", "utcoffset": Zone.utcoffset})
    assert is_plain_time_zone(own())
    assert not is_plain_time_zone(faked())
    assert not is_plain_time_zone(type("Berlin", (faked,), {"__module__": "pytz.x"})())
    assert not is_plain_time_zone(other())
