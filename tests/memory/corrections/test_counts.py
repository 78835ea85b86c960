"""The stored document about corrections."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.memory.corrections.compare import Substitution
from aiserver.memory.corrections.counts import MAX_TURNS, PERIOD, Counts, parse
from aiserver.memory.entries import TurnSource

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


def test_three_turns_in_more_than_one_cell_lead_to_a_proposal():
    assert corrected("a", "b").take_repeated() == []
    counts = corrected("a", "b", "c")
    [repeated] = counts.take_repeated()
    assert repeated.substitution == INDEX
    assert repeated.turns[-1] == TurnSource("nb", "c", 1), "the latest turn is the source"
    counts = Counts()
    counts.set_cell(("nb", "a"), {n: (NOW, [INDEX]) for n in (1, 2, 3)}, NOW)
    assert counts.take_repeated() == [], "all in one cell"


def test_a_proposal_is_repeated_only_after_three_more_turns():
    counts = corrected("a", "b", "c")
    assert len(counts.take_repeated()) == 1
    for cell in ("a", "d", "e"):  # the first one was edited again
        counts = stored(counts)
        counts.set_cell(("nb", cell), {1: (NOW, [INDEX])}, NOW)
        assert counts.take_repeated() == []
    counts.set_cell(("nb", "f"), {1: (NOW, [INDEX])}, NOW)
    [repeated] = counts.take_repeated()
    assert {turn.cell_id for turn in repeated.turns} == {"d", "e", "f"}


def test_a_turn_counts_once_and_a_reverted_change_does_not():
    counts = corrected("a", "b")
    for _ in range(3):
        counts.set_cell(("nb", "a"), {1: (NOW, [INDEX])}, NOW)
    assert counts.take_repeated() == []
    counts.set_cell(("nb", "a"), {1: (NOW, [])}, NOW)
    counts.set_cell(("nb", "c"), {1: (NOW, [INDEX])}, NOW)
    assert counts.take_repeated() == []
    assert TurnSource("nb", "a", 1) not in counts.turns


def test_of_substitutions_that_say_nearly_the_same_one_leads_to_a_proposal():
    counts = corrected("a", "b", "c", substitutions=(POLARS, READ))
    [repeated] = counts.take_repeated()
    assert repeated.substitution == READ, "the most detailed"
    assert counts.take_repeated() == []
    counts = corrected("a", "b", "c", substitutions=(POLARS, READ))
    counts.set_cell(("nb", "d"), {1: (NOW, [POLARS, SCAN])}, NOW)
    [repeated] = counts.take_repeated()
    assert (repeated.substitution, len(repeated.turns)) == (POLARS, 4)


def test_old_turns_and_cells_of_others_do_not_count():
    counts = corrected("a", "b")
    counts.set_cell(("nb", "c"), {1: (NOW - PERIOD - 1, [INDEX])}, NOW)
    assert counts.take_repeated() == []
    later = NOW + PERIOD + 200
    counts.set_cell(("nb", "c"), {1: (later, [INDEX])}, later)
    assert list(counts.turns) == [TurnSource("nb", "c", 1)]
    counts = corrected("a", "b", "c")
    counts.set_foreign(("nb", "c"))
    counts = stored(counts)
    counts.set_cell(("nb", "c"), {1: (NOW, [INDEX]), 2: (NOW, [INDEX])}, NOW)
    assert counts.take_repeated() == []
    assert {turn.cell_id for turn in counts.turns} == {"a", "b"}


def test_a_clock_in_the_future_ages_like_others():
    counts = Counts()
    counts.set_cell(("nb", "a"), {1: (NOW * 2, [INDEX])}, NOW)
    assert counts.turns[TurnSource("nb", "a", 1)].at == NOW


def test_the_document_is_bounded():
    counts = Counts()
    for number in range(MAX_TURNS + 50):
        turns = {1: (NOW + number, [POLARS, READ, INDEX])}
        counts.set_cell(("nb", f"c{number}"), turns, NOW + 1000)
    for number in range(1200):
        counts.set_foreign(("nb", f"f{number}"))
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


@settings(max_examples=100, deadline=None)
@given(JSON, JSON, st.binary())
def test_any_document_can_be_read(turns: object, inner: object, data: bytes):
    source = {"notebook_id": "nb", "cell_id": "a", "turn_id": 1, "at": 1}
    for content in (
        data,
        json.dumps({"turns": turns, "foreign": inner}).encode(),
        json.dumps({"turns": [source | {"substitutions": turns, "proposed": inner}]}).encode(),
        json.dumps(
            {"turns": [source | {"substitutions": [turns, ["call", "a", "b", ""]]}]}
        ).encode(),
    ):
        counts = parse(content)
        assert parse(counts.encode()) == counts
        assert counts.take_repeated() == []
