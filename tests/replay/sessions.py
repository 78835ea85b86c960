"""Hypothesis strategies for random sessions: anything that the models accept."""

from __future__ import annotations

from hypothesis import strategies as st

from aiserver.models import Session, SessionKey, new_session
from aiserver.replay.step import STRUCTURAL_KINDS

from .session_builder import NOW

SOURCES = st.sampled_from(["", "a", "b", "a\nb", "价格 = 1", "\ud800", "a\r\nb\x00"])
JSON = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 9),
    SOURCES,
    st.just("first"),
    st.just(["a", 1]),
    st.just({"a": [1]}),
)
DATA = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        (
            *("from_seq", "replaced", "status", "ename", "evalue", "more"),
            *("trigger", "pieces", "from", "to", "into", "parents", "cell_type"),
            *("corrections", "corrected"),
        ),
        JSON,
    ),
)
TIMES = st.sampled_from([NOW, "2020-02-02T02:02:02Z", "2031-01-01T00:00:00+08:00"])
TYPES = st.sampled_from(
    [
        *["edit", "run", "accept", "reject", "restore", "context_reset", "later_one"],
        *STRUCTURAL_KINDS,
    ]
)


@st.composite
def sessions(draw: st.DrawFn, cell_id: str = "cell") -> Session:
    """Sessions of any tool: repeated or missing seqs, unknown ids, unexpected data."""
    turns = [
        {
            "turn_id": number if draw(st.booleans()) else draw(st.integers(1, 4)),
            "timestamp": draw(TIMES),
            "user_request": {"intent": draw(SOURCES), "current_code": draw(SOURCES)},
            "ai_response": {
                "suggestion": draw(SOURCES),
                "status": draw(st.sampled_from(["success", "error", "cancelled"])),
            },
            **({"seq": draw(st.integers(1, 12))} if draw(st.booleans()) else {}),
            **({"parent_turn_id": draw(st.integers(1, 4))} if draw(st.booleans()) else {}),
            **({"repeats_turn_id": draw(st.integers(1, 4))} if draw(st.booleans()) else {}),
        }
        for number in range(1, draw(st.integers(0, 5)) + 1)
    ]
    events = [
        {
            "type": draw(TYPES),
            "timestamp": draw(TIMES),
            "seq": draw(st.integers(1, 12)),
            "source": draw(st.none() | SOURCES),
            "turn_id": draw(st.none() | st.integers(1, 5)),
            "data": draw(st.none() | DATA),
        }
        for _ in range(draw(st.integers(0, 6)))
    ]
    meta = new_session(SessionKey("nb", cell_id), NOW).meta.to_dict()
    return Session.model_validate({"meta": meta, "interactions": turns, "events": events})
