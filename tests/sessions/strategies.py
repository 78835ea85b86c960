"""Sessions, turns and events of any shape that the contract allows, for Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from aiserver.models import Session, SessionKey
from aiserver.testing.records import NOON

ODD = ["读取 data.csv", "\0", "a\n\nb\r\n", '"\\', "\u2028", "📈", '\n      "seq": 1,\n', "</p>"]
texts = st.sampled_from(ODD) | st.text(max_size=5)
keys = st.sampled_from(["seq", "turn_id", "", "__proto__", "é", "\n"])
# JSON values, including numbers that other parsers change, and a lone surrogate.
values = st.sampled_from(
    [None, True, 0, -1, 10**20, 0.1, 1e300, -0.0, "\udc00", [], {}, [[]], {"": {"\n": [1, None]}}]
)
values = values | texts | st.integers()
unknown = st.dictionaries(keys.map("x_{}".format), values, max_size=2)
data = st.dictionaries(keys, values, max_size=2)
statuses = st.sampled_from(["success", "error", "cancelled"])
times = st.just(NOON) | st.just("1999-12-31T23:59:59+08:00")


@st.composite
def turns(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a turn without numbers."""
    asked = {"intent": draw(texts), "current_code": draw(texts), "language": "python"}
    answered = {"suggestion": draw(texts), "explanation": draw(texts), "status": draw(statuses)}
    turn: dict[str, Any] = {
        "timestamp": draw(times),
        "user_request": asked | draw(unknown),
        "ai_response": answered | {"error": draw(st.none() | texts)} | draw(unknown),
    }
    optional = {"mode": texts, "usage": data, "dataframes": st.lists(data, max_size=2)}
    return turn | draw(st.fixed_dictionaries({}, optional=optional)) | draw(unknown)


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an event without a number; few different ids make duplicates likely."""
    kinds = st.sampled_from(["run", "edit", "context_reset", "x_later"])
    optional = {
        "source": texts,
        "data": data,
        "turn_id": st.integers(1, 9),
        "id": st.sampled_from(["", "1", "é\0"]),
    }
    event = {"type": draw(kinds), "timestamp": draw(times)}
    return event | draw(st.fixed_dictionaries({}, optional=optional)) | draw(unknown)


@st.composite
def sessions(draw: st.DrawFn, key: SessionKey) -> Session:
    """Draw a session that another tool or an older version may have written.

    ``seq`` may be missing or have gaps, and ``events`` may be missing, empty or null.
    """
    new_turns = draw(st.lists(turns(), max_size=4))
    new_events = draw(st.lists(events(), max_size=4))
    places = iter(draw(st.permutations(range(1, len(new_turns) + len(new_events) + 1))))
    has_seq = draw(st.booleans())
    gap = draw(st.sampled_from([1, 7]))
    seqs: list[int] = [next(places) * gap for _ in new_turns]
    if draw(st.booleans()):
        seqs.sort()
    for number, (record, seq) in enumerate(zip(new_turns, seqs, strict=True), 1):
        record |= {"turn_id": number * gap} | ({"seq": seq} if has_seq else {})
    for record in new_events:
        record["seq"] = next(places) * gap
    meta: dict[str, Any] = {
        "version": draw(st.sampled_from(["1.0", "1.7"])),
        "notebook_id": key.notebook_id,
        "cell_id": key.cell_id,
        "created_at": draw(times),
        "last_updated": draw(times),
    }
    optional: dict[str, Any] = {"forked_from": data, "parents": st.lists(data, max_size=2)}
    meta |= draw(st.fixed_dictionaries({}, optional=optional)) | draw(unknown)
    content: dict[str, Any] = {"meta": meta, "interactions": new_turns}
    if draw(st.booleans()) or new_events:
        content["events"] = new_events or draw(st.sampled_from([[], None]))
    session = Session.model_validate(content | draw(unknown))
    session.meta.revision = draw(st.integers(1, 10**9))
    return session
