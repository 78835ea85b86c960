"""The replay: told by examples, then held against random sessions and a simulated cell."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import Session, SessionKey, new_session
from aiserver.replay import Step, replay

from .book import NOW, Book
from .sessions import sessions


def shape(steps: list[Step]) -> list[tuple[str, str, str, str]]:
    return [(step.kind, step.before, step.code, step.outcome) for step in steps]


def check_chain(steps: list[Step]) -> None:
    held = ""
    for index, step in enumerate(steps):
        assert step.index == index
        assert step.before == held
        held = step.after


def check_lanes(steps: list[Step]) -> None:
    """Each lane but the first is branches that end before the next one leaves."""
    main = [step for step in steps if step.column == 0]
    assert all(after.parent == before.index for before, after in pairwise(main))
    branches: dict[int, list[list[Step]]] = {}
    for step in steps:
        if step.column:
            rows = branches.setdefault(step.column, [])
            if rows and rows[-1][-1].index == step.parent:
                rows[-1].append(step)
            else:
                assert not rows or rows[-1][-1].index <= (step.parent or 0)
                rows.append([step])


def test_the_plain_example_without_seq_and_events() -> None:
    meta = new_session(SessionKey("nb", "cell"), NOW).meta.to_dict()
    turns = [
        {
            "turn_id": number,
            "timestamp": NOW,
            "user_request": {"intent": intent, "current_code": before, "language": "python"},
            "ai_response": {"suggestion": code, "status": "success"},
        }
        for number, intent, before, code in [(1, "read", "", "a"), (2, "plot", "a", "a\nb")]
    ]
    steps = replay(Session.model_validate({"meta": meta, "interactions": turns}))
    assert shape(steps) == [("turn", "", "a", "accepted"), ("turn", "a", "a\nb", "open")]
    assert [step.seq for step in steps] == [1, 2]
    assert steps[0].to_wire() == {
        "index": 0,
        "seq": 1,
        "kind": "turn",
        "author": "model",
        "timestamp": NOW,
        "before": "",
        "code": "a",
        "applied": True,
        "title": "read",
        "outcome": "accepted",
        "turnId": 1,
        "parent": None,
        "lane": 0,
    }


def test_accept_reject_and_failures_name_the_turns_outcome() -> None:
    book = Book()
    book.event("accept", turn_id=book.turn("", "a"), source="a")
    book.event("reject", turn_id=book.turn("a", "b"), source="a")
    book.turn("a", "half", status="cancelled")
    book.turn("a", "", status="error")
    steps = book.replay()
    assert shape(steps) == [
        ("turn", "", "a", "accepted"),
        ("turn", "a", "b", "rejected"),
        ("turn", "a", "half", "cancelled"),
        ("turn", "a", "", "error"),
    ]
    assert steps[-1].error == "It broke."
    assert steps[-1].after == "a"


def test_what_the_cell_held_before_and_edits_that_nobody_recorded() -> None:
    book = Book()
    book.event("accept", turn_id=book.turn("x", "xa"))
    book.turn("xab", "xabc")
    book.event("run", source="by hand", data={"status": "error", "ename": "KeyError"})
    steps = book.replay()
    assert shape(steps) == [
        ("start", "", "x", "done"),
        ("turn", "x", "xa", "accepted"),
        ("edit", "xa", "xab", "done"),
        ("turn", "xab", "xabc", "open"),
        ("edit", "xab", "by hand", "done"),
        ("run", "by hand", "by hand", "error"),
    ]
    assert steps[2].event is None and steps[2].seq == steps[3].seq
    assert steps[5].error == "KeyError"


def test_an_answer_accepted_in_part_is_the_turn_and_then_a_hand_edit() -> None:
    book = Book()
    book.event("accept", turn_id=book.turn("a", "a\nb\nc"), source="a\nc")
    steps = book.replay()
    assert shape(steps)[1:] == [
        ("turn", "a", "a\nb\nc", "accepted"),
        ("edit", "a\nb\nc", "a\nc", "done"),
    ]
    assert steps[2].event == "accept"


def test_an_accept_after_other_steps_is_a_step_of_its_own() -> None:
    book = Book()
    first = book.turn("", "a")
    book.turn("", "b")
    book.event("accept", turn_id=first)
    steps = book.replay()
    assert shape(steps) == [
        ("turn", "", "a", "accepted"),
        ("turn", "", "b", "open"),
        ("accept", "", "a", "done"),
    ]
    assert steps[2].from_step == 0 and not steps[0].applied


def test_a_request_that_goes_on_from_an_open_answer_refines_it() -> None:
    book = Book()
    first = book.turn("a", "a\nb")
    second = book.turn("a\nb", "a\nc")
    book.event("accept", turn_id=second, source="a\nc")
    steps = book.replay()
    assert shape(steps)[1:] == [
        ("turn", "a", "a\nb", "refined"),
        ("turn", "a", "a\nc", "accepted"),
    ]
    assert steps[2].base == "a\nb" and steps[2].to_wire()["base"] == "a\nb"
    # Told outright, it needs no event to be known, and the code may have been changed too.
    book = Book()
    first = book.turn("", "a\nb")
    book.turn("b", "c", parent_turn_id=first)
    steps = book.replay()
    assert shape(steps) == [("turn", "", "a\nb", "refined"), ("turn", "", "c", "open")]
    assert steps[1].base == "b"


def test_a_restore_names_the_step_it_came_from_and_keeps_what_it_replaced() -> None:
    book = Book()
    book.event("accept", turn_id=book.turn("", "a"))
    book.event("accept", turn_id=book.turn("a", "b"))
    book.event("restore", source="a", data={"from_seq": 1, "replaced": "b edited"})
    steps = book.replay()
    assert shape(steps)[2:] == [
        ("edit", "b", "b edited", "done"),
        ("restore", "b edited", "a", "done"),
    ]
    assert steps[3].from_step == 0
    assert steps[3].data == {"from_seq": 1, "replaced": "b edited"}


def test_an_accept_from_the_replay_keeps_what_it_replaced() -> None:
    book = Book()
    book.event("accept", turn_id=book.turn("a", "b"), data={"replaced": "a edited"})
    steps = book.replay()
    assert shape(steps) == [
        ("start", "", "a", "done"),
        ("turn", "a", "b", "accepted"),
        ("edit", "a", "a edited", "done"),
        ("accept", "a edited", "b", "done"),
    ]
    assert steps[3].from_step == 1


def test_events_of_unknown_types_lose_nothing() -> None:
    book = Book()
    book.event("later_one", source="rest", data={"into": ["c2"]})
    book.event("accept", turn_id=7, source="from elsewhere")
    book.event("context_reset")
    steps = book.replay()
    assert shape(steps) == [
        ("other", "", "rest", "done"),
        ("other", "rest", "from elsewhere", "done"),
        ("context_reset", "from elsewhere", "from elsewhere", "done"),
    ]
    assert steps[0].to_wire()["data"] == {"into": ["c2"]}
    assert steps[1].event == "accept" and steps[1].turn_id == 7


def test_what_became_of_the_cell_as_a_whole_is_told_by_steps_of_their_own() -> None:
    book = Book()
    book.event("edit", source="a\nb", data={"trigger": "first"})
    book.event("split", source="b", data={"pieces": ["new", "cell"], "from": "cell"})
    book.event("type", source="b", data={"from": "code", "to": "markdown"})
    book.event("move", data={"from": 1, "to": 0})
    book.event("delete", source="b, changed", data={"index": 0})
    book.event("undelete", source="b, changed")
    book.event("merge", data={"into": "other"})
    steps = book.replay()
    assert [(step.kind, step.after) for step in steps] == [
        ("start", "a\nb"),
        ("split", "b"),
        ("type", "b"),
        ("move", "b"),
        ("edit", "b, changed"),
        ("delete", "b, changed"),
        ("undelete", "b, changed"),
        ("merge", "b, changed"),
    ]
    assert steps[4].event is None and steps[4].seq == steps[5].seq
    # What was there first, and a change that nobody noted, are not the person's (P40).
    assert [step.index for step in steps if step.author != "person"] == [0, 4]


def ways(steps: list[Step]) -> list[tuple[int | None, int]]:
    return [(step.parent, step.column) for step in steps]


def test_a_life_without_ways_back_is_one_lane() -> None:
    book = Book()
    book.accepted("", "a")
    book.event("reject", turn_id=book.turn("a", "b"), source="a")
    book.event("run", source="a", data={"status": "ok"})
    first = book.turn("a", "c")
    book.event("accept", turn_id=book.turn("c", "d", parent_turn_id=first), source="d")
    assert ways(book.replay()) == [(None, 0), (0, 0), (1, 0), (2, 0), (3, 0)]


def test_to_go_on_from_a_version_that_came_back_leaves_a_branch() -> None:
    book = Book()
    book.accepted("", "a")
    book.accepted("a", "b")
    book.event("edit", source="c")
    book.event("restore", source="a", data={"from_seq": 1, "replaced": "c"})
    book.accepted("a", "d")
    assert ways(book.replay()) == [(None, 0), (0, 1), (1, 1), (0, 0), (3, 0)]
    # Back to what the cell holds anyway is no branch; a second way back may use the lane again.
    book.event("restore", source="d", data={"from_seq": 7, "replaced": "d"})
    book.event("edit", source="e")
    book.event("restore", source="d", data={"from_seq": 7, "replaced": "e"})
    assert ways(book.replay())[5:] == [(4, 0), (5, 1), (5, 0)]


def test_what_was_done_with_a_version_is_not_left_when_it_comes_back() -> None:
    book = Book()
    book.accepted("", "a")
    book.event("run", source="a", data={"status": "ok"})
    book.event("edit", source="b")
    book.event("run", source="b", data={"status": "error"})
    book.event("restore", source="a", data={"from_seq": 1, "replaced": "b"})
    book.event("run", source="a", data={"status": "ok"})
    assert ways(book.replay()) == [(None, 0), (0, 0), (1, 1), (2, 1), (1, 0), (4, 0)]
    book.event("edit", source="c")
    book.event("restore", source="a", data={"from_seq": 1, "replaced": "c"})
    assert ways(book.replay())[4:] == [(1, 0), (4, 0), (5, 1), (5, 0)]
    # Nor by a request that goes on from it.
    book.accepted("a", "d")
    book.turn("a", "e", parent_turn_id=1)
    assert ways(book.replay())[9][0] == 7


def test_branches_that_lie_beside_each_other_have_lanes_of_their_own() -> None:
    book = Book()
    for code in ("a", "b", "c"):
        book.event("edit", source=code)
    book.event("restore", source="b", data={"from_seq": 2, "replaced": "c"})
    book.event("edit", source="d")
    book.event("restore", source="a", data={"from_seq": 1, "replaced": "d"})
    assert ways(book.replay()) == [(None, 0), (0, 1), (1, 2), (1, 1), (3, 1), (0, 0)]


def test_a_request_that_goes_on_from_an_older_turn_is_a_branch_until_it_is_accepted() -> None:
    book = Book()
    book.accepted("", "a")
    book.accepted("a", "b")
    turn = book.turn("a", "c", parent_turn_id=1)
    assert ways(book.replay()) == [(None, 0), (0, 0), (0, 1)]
    book.event("run", source="b", data={"status": "ok"})
    assert ways(book.replay())[3] == (1, 0)
    book.event("accept", turn_id=turn, source="c")
    assert ways(book.replay()) == [(None, 0), (0, 1), (0, 0), (1, 1), (2, 0)]


@given(sessions())
def test_any_session_has_a_whole_replay_that_shows_every_source(session: Session) -> None:
    steps = replay(session)
    check_chain(steps)
    shown = {text for step in steps for text in (step.code, step.before, step.base)}
    for turn in session.interactions:
        assert {turn.user_request.current_code, turn.ai_response.suggestion} <= shown
    for event in session.events or []:
        assert event.source is None or event.source in shown
    answers = [step.turn_id for step in steps if step.kind == "turn"]
    assert sorted(answers) == sorted(turn.turn_id for turn in session.interactions)
    folded = {"accept", "reject"}
    recorded = [event.type for event in session.events or [] if event.type not in folded]
    assert sorted(recorded) == sorted(
        step.event for step in steps if step.event and step.event not in folded
    )
    for step in steps:
        assert step.from_step is None or 0 <= step.from_step < step.index
        assert step.parent is None or 0 <= step.parent < step.index
    check_lanes(steps)
    assert [step.to_wire()["kind"] for step in steps] == [step.kind for step in steps]


@given(sessions(), st.randoms(use_true_random=False))
def test_clocks_do_not_move_a_step(session: Session, random: Any) -> None:
    """P26: the same records with any other times have the same replay."""
    other = session.model_copy(deep=True)
    for record in other.ordered():
        record.timestamp = random.choice([NOW, "1999-12-31T23:59:59Z", "2031-01-01T00:00:00Z"])

    def timeless(steps: list[Step]) -> list[dict[str, Any]]:
        return [{**step.to_wire(), "timestamp": "", "settledAt": ""} for step in steps]

    assert timeless(replay(other)) == timeless(replay(session))


@given(st.data())
def test_the_replay_of_a_simulated_cell_holds_what_the_cell_held(data: st.DataObject) -> None:
    """A person works on a cell and our own events are recorded: each state of the cell, and
    nothing else, is what the steps say the cell held."""
    book, held, states, open_turn = Book(), "", [""], None

    def now_holds(source: str) -> None:
        nonlocal held
        held = source
        if states[-1] != held:
            states.append(held)

    for number in range(data.draw(st.integers(0, 12))):
        act = data.draw(
            st.sampled_from(
                ["ask", "refine", "fail", "type", "accept", "part", "reject", "run", "restore"]
            )
        )
        fresh = f"v{number}"
        if act == "ask":
            open_turn = (book.turn(held, fresh), fresh)
        elif act == "refine" and open_turn:
            started_from = open_turn[1] + " less"
            parent = open_turn[0]
            open_turn = (book.turn(started_from, fresh, parent_turn_id=parent), fresh)
        elif act == "fail":
            book.turn(held, fresh, status="error")
            open_turn = None
        elif act == "type":
            now_holds(fresh)
            book.event("edit", source=fresh)
            open_turn = None
        elif act in ("accept", "part", "reject") and open_turn:
            turn_id, suggestion = open_turn
            if act != "reject":
                now_holds(suggestion)  # the replay shows the whole answer, then what was taken
            if act == "part":
                now_holds(suggestion + " in part")
            kind = "reject" if act == "reject" else "accept"
            book.event(kind, turn_id=turn_id, source=held)
            open_turn = None
        elif act == "run":
            book.event("run", source=held, data={"status": "ok"})
            open_turn = None
        elif act == "restore" and book.turns:
            origin = data.draw(st.sampled_from(book.turns))
            replaced, source = held, origin["ai_response"]["suggestion"]
            now_holds(source)
            book.event(
                "restore",
                source=source,
                data={"from_seq": origin["seq"], "replaced": replaced},
            )
            open_turn = None
    steps = book.replay()
    check_chain(steps)
    seen = [""]
    for step in steps:
        if step.after != seen[-1]:
            seen.append(step.after)
    assert seen == states
    assert not any(step.event is None and step.kind in ("edit", "start") for step in steps)
    for step in steps:
        if step.kind == "restore":
            assert step.from_step is not None and steps[step.from_step].code == step.code
