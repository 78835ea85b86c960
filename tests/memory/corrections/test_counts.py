"""The stored document about corrections."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.memory.corrections.compare import Substitution
from aiserver.memory.corrections.counts import (
    MAX_FOREIGN,
    MAX_TURNS,
    PERIOD,
    Counts,
    Repeated,
    parse,
)
from aiserver.memory.entries import TurnSource

from ...examples import examples

NOW = 1_800_000_000.0
POLARS = Substitution("module", "polars", "pandas")
READ = Substitution("call", "polars.read_csv", "pandas.read_csv")
SCAN = Substitution("call", "polars.scan_csv", "pandas.read_csv")
INDEX = Substitution("argument", "index=False", "", ".to_csv")


def stored(counts: Counts) -> Counts:
    """Return the document after it was stored and read again."""
    return parse(counts.encode())


def corrected(*cells: str, substitutions: tuple[Substitution, ...] = (INDEX,)) -> Counts:
    """Return a document with one turn in each cell."""
    counts = Counts()
    for number, cell in enumerate(cells):
        counts.set_cell(("nb", cell), {1: (NOW + number, substitutions)}, NOW + 100)
    return stored(counts)


def propose(counts: Counts) -> list[Repeated]:
    """Return what leads to proposals, as if these were stored."""
    repeated = counts.repeated()
    for item in repeated:
        counts.dismiss(item.substitution.group)
    return repeated


def test_three_turns_in_more_than_one_cell_lead_to_a_proposal():
    assert corrected("a", "b").repeated() == []
    counts = corrected("a", "b", "c")
    [repeated] = counts.repeated()
    assert repeated.substitution == INDEX
    assert repeated.turns[-1] == TurnSource("nb", "c", 1), "the latest turn is the source"
    assert counts.repeated() == [repeated], "until its proposal is stored"
    counts = Counts()
    counts.set_cell(("nb", "a"), {n: (NOW, [INDEX]) for n in (1, 2, 3)}, NOW)
    assert counts.repeated() == [], "all in one cell"


def test_a_proposal_is_repeated_only_after_three_newer_turns():
    counts = corrected("a", "b", "c")
    assert len(propose(counts)) == 1
    newer = NOW + 3
    for cell, at in (("a", NOW), ("b", NOW + 1), ("d", newer), ("e", newer)):
        counts = stored(counts)  # the first ones were edited again
        counts.set_cell(("nb", cell), {1: (at, [INDEX])}, NOW + 100)
        assert propose(counts) == []
    counts.set_cell(("nb", "f"), {1: (newer, [INDEX])}, NOW + 100)
    [repeated] = propose(counts)
    assert {turn.cell_id for turn in repeated.turns} == {"d", "e", "f"}


def test_nothing_but_a_hash_and_a_date_remains_of_a_proposal():
    """P45: neither the substitution nor its turns."""
    counts = corrected("a", "b", "c", substitutions=(POLARS, READ))
    propose(counts)
    data = counts.encode()
    assert data is not None
    assert json.loads(data) == {
        "turns": [],
        "foreign": [],
        "dismissed": {json.loads(data)["dismissed"].popitem()[0]: NOW + 2},
    }
    for text in (b"pandas", b"polars", b"nb", b"read"):
        assert text not in data
    counts.prune(NOW + PERIOD + 3)
    assert counts.encode() is None


def test_what_is_forgotten_counts_only_in_newer_turns():
    counts = corrected("a", "b", substitutions=(INDEX, POLARS))
    counts.forget(lambda s: s == INDEX, NOW + 50)
    assert {s for c in counts.turns.values() for s in c.substitutions} == {POLARS}
    assert b"to_csv" not in (counts.encode() or b"")
    counts.set_cell(("nb", "a"), {1: (NOW + 40, [INDEX, POLARS])}, NOW + 100)
    counts.set_cell(("nb", "c"), {1: (NOW + 60, [INDEX])}, NOW + 100)
    counts = stored(counts)
    assert counts.turns[TurnSource("nb", "a", 1)].substitutions == {POLARS}
    assert counts.turns[TurnSource("nb", "c", 1)].substitutions == {INDEX}


def test_a_turn_counts_once_and_a_reverted_change_does_not():
    counts = corrected("a", "b")
    for _ in range(3):
        counts.set_cell(("nb", "a"), {1: (NOW, [INDEX])}, NOW)
    assert counts.repeated() == []
    counts.set_cell(("nb", "a"), {1: (NOW, [])}, NOW)
    counts.set_cell(("nb", "c"), {1: (NOW, [INDEX])}, NOW)
    assert counts.repeated() == []
    assert TurnSource("nb", "a", 1) not in counts.turns


def test_of_substitutions_that_say_nearly_the_same_one_leads_to_a_proposal():
    counts = corrected("a", "b", "c", substitutions=(POLARS, READ))
    [repeated] = propose(counts)
    assert repeated.substitution == READ, "the most detailed"
    assert counts.repeated() == []
    counts = corrected("a", "b", "c", substitutions=(POLARS, READ))
    counts.set_cell(("nb", "d"), {1: (NOW, [POLARS, SCAN])}, NOW)
    [repeated] = counts.repeated()
    assert (repeated.substitution, len(repeated.turns)) == (POLARS, 4)


def test_what_is_older_than_the_period_is_removed():
    counts = corrected("a", "b")
    counts.set_foreign(("nb", "f"), NOW)
    counts.prune(NOW + PERIOD - 1)
    assert (len(counts.turns), len(counts.foreign)) == (2, 1)
    counts.prune(NOW + PERIOD)
    assert (len(counts.turns), len(counts.foreign)) == (1, 0)
    counts.prune(NOW + PERIOD + 1)
    assert counts.encode() is None


def test_cells_of_others_do_not_count():
    counts = corrected("a", "b", "c")
    counts.set_foreign(("nb", "c"), NOW + 50)
    counts.set_foreign(("nb", "c"), NOW + 40)  # two windows
    counts = stored(counts)
    assert counts.foreign == {("nb", "c"): NOW + 50}
    counts.set_cell(("nb", "c"), {1: (NOW, [INDEX]), 2: (NOW, [INDEX])}, NOW)
    assert counts.repeated() == []
    assert {turn.cell_id for turn in counts.turns} == {"a", "b"}


def test_nothing_counts_while_there_are_too_many_cells_of_others():
    """The marks of the oldest ones are removed, so they can't be distinguished."""
    counts = Counts()
    for number in range(MAX_FOREIGN + 1):
        counts.set_foreign(("nb", f"f{number}"), NOW + number)
    counts.prune(NOW + MAX_FOREIGN)
    counts = stored(counts)
    assert ("nb", "f0") not in counts.foreign
    counts.set_cell(("nb", "f0"), {1: (NOW, [INDEX])}, NOW + MAX_FOREIGN)
    assert counts.turns == {}
    counts.prune(NOW + PERIOD + 1)
    counts.set_cell(("nb", "a"), {1: (NOW + PERIOD, [INDEX])}, NOW + PERIOD + 1)
    assert len(counts.turns) == 1


def test_a_turn_of_the_future_does_not_count_yet():
    counts = Counts()
    counts.set_cell(("nb", "a"), {1: (NOW + 1, [INDEX])}, NOW)
    assert counts.turns == {}


def test_the_document_is_bounded():
    counts = Counts()
    for number in range(MAX_TURNS + 50):
        turns = {1: (NOW + number, [POLARS, READ, INDEX])}
        counts.set_cell(("nb", f"c{number}"), turns, NOW + 1000)
    for number in range(MAX_FOREIGN + 50):
        counts.set_foreign(("nb", f"f{number}"), NOW)
    for number in range(1200):
        counts.dismissed[f"{number:016x}"] = NOW
    counts.prune(NOW + 1000)
    data = counts.encode()
    assert data is not None and len(data) < 300_000
    assert len(parse(data).turns) == MAX_TURNS
    assert TurnSource("nb", f"c{MAX_TURNS + 49}", 1) in parse(data).turns, "the newest stay"
    assert Counts().encode() is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(max_examples=examples(100), deadline=None)
@given(JSON, JSON, st.binary())
def test_any_document_can_be_read(turns: object, inner: object, data: bytes):
    source = {"notebook_id": "nb", "cell_id": "a", "turn_id": 1, "at": 1}
    for content in (
        data,
        json.dumps({"turns": turns, "foreign": inner}).encode(),
        json.dumps(
            {"foreign": [["nb", "a", turns], inner], "dismissed": {"0" * 16: inner}}
        ).encode(),
        json.dumps({"turns": [source | {"substitutions": turns}], "dismissed": inner}).encode(),
        json.dumps(
            {"turns": [source | {"substitutions": [turns, ["call", "a", "b", ""]]}]}
        ).encode(),
    ):
        counts = parse(content)
        assert parse(counts.encode()) == counts
        assert counts.repeated() == []
