"""The replay: examples, then random sessions and a simulated cell."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import Session, SessionKey, new_session
from aiserver.replay import Step, blame, replay

from ..effort import at_most
from .session_builder import NOW, SessionBuilder
from .sessions import sessions


def shape(steps: list[Step]) -> list[tuple[str, str, str, str]]:
    return [(step.kind, step.before, step.code, step.outcome) for step in steps]


def check_chain(steps: list[Step]) -> None:
    source = ""
    for index, step in enumerate(steps):
        assert step.index == index
        assert step.before == source
        source = step.after


def check_columns(steps: list[Step]) -> None:
    """Each column but the first has branches that end before the next one begins."""
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
        "column": 0,
    }


def test_accept_reject_and_failures_name_the_turns_outcome() -> None:
    builder = SessionBuilder()
    builder.event("accept", turn_id=builder.turn("", "a"), source="a")
    builder.event("reject", turn_id=builder.turn("a", "b"), source="a")
    builder.turn("a", "half", status="cancelled", intent="stopped")
    builder.turn("a", "", status="error", intent="failed")
    steps = builder.replay()
    assert shape(steps) == [
        ("turn", "", "a", "accepted"),
        ("turn", "a", "b", "rejected"),
        ("turn", "a", "half", "cancelled"),
        ("turn", "a", "", "error"),
    ]
    assert steps[-1].error == "It broke."
    assert steps[-1].after == "a"


def test_unrecorded_sources_become_start_and_edit_steps() -> None:
    builder = SessionBuilder()
    builder.event("accept", turn_id=builder.turn("x", "xa"))
    builder.turn("xab", "xabc")
    builder.event("run", source="by hand", data={"status": "error", "ename": "KeyError"})
    steps = builder.replay()
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


def test_a_partly_accepted_answer_is_the_turn_and_then_a_manual_edit() -> None:
    builder = SessionBuilder()
    builder.event("accept", turn_id=builder.turn("a", "a\nb\nc"), source="a\nc")
    steps = builder.replay()
    assert shape(steps)[1:] == [
        ("turn", "a", "a\nb\nc", "accepted"),
        ("edit", "a\nb\nc", "a\nc", "done"),
    ]
    assert steps[2].event == "accept"


def test_automatic_corrections_are_a_step_before_the_persons_changes() -> None:
    """P40: what AI Server corrected isn't shown as the person's change."""
    data: dict[str, Any] = {"corrections": ["prise → price"]}
    builder = SessionBuilder()
    builder.event("accept", turn_id=builder.turn("", "prise"), source="price", data=data)
    assert [(step.code, step.author, step.name) for step in builder.replay()] == [
        ("prise", "model", None),
        ("price", "program", "AI Server"),
    ]
    builder = SessionBuilder()
    turn = builder.turn("", "prise")
    builder.event("accept", turn_id=turn, source="cost", data={**data, "corrected": "price"})
    steps = builder.replay()
    assert [(step.code, step.author) for step in steps] == [
        ("prise", "model"),
        ("price", "program"),
        ("cost", "person"),
    ]
    assert [step.is_correction for step in steps] == [False, True, False]


def test_a_request_is_one_step_whatever_its_attempts() -> None:
    """P49: a failure, another answer, one change asked for again, and a repair."""
    builder = SessionBuilder()
    builder.turn("old", "", status="error", intent="plot it")
    first = builder.turn("old", "a\nb", intent="plot it", model="p:small")
    part: dict[str, Any] = {"selection": {"first": 1, "last": 1}, "parent_turn_id": first}
    builder.turn("a\nb", "c\nb", intent="plot it", **part)
    repaired = builder.turn("c\nb", "d", intent="Fix: x", mode="repair", parent_turn_id=first + 1)
    builder.turn("old", "", status="cancelled", intent="plot it")
    builder.event("run", source="old", data={"status": "ok"})
    builder.turn("old", "e", intent="plot it")
    start, step, run = builder.replay()
    assert (start.kind, run.kind) == ("start", "run")
    assert (step.title, step.outcome, step.code, step.base) == ("plot it", "open", "e", None)
    attempts = step.attempts or []
    assert [attempt.code for attempt in attempts] == ["", "a\nb", "c\nb", "d", "", "e"]
    assert [attempt.title for attempt in attempts] == [None, None, None, "Fix: x", None, None]
    assert [attempt.model for attempt in attempts][1] == "p:small"
    wire = step.to_wire()["attempts"]
    assert wire[3]["turnId"] == repaired and wire[0]["outcome"] == "error"
    builder.event("accept", turn_id=first)
    steps = builder.replay()
    assert (steps[1].outcome, steps[1].code, steps[1].turn_id) == ("accepted", "a\nb", first)
    assert [step.kind for step in steps] == ["start", "turn", "run", "accept"]
    assert {step.column for step in steps} == {0}


def test_the_time_for_attempts_grows_with_their_number() -> None:
    builder = SessionBuilder()
    for number in range(12_000):
        part: dict[str, Any] = {"mode": "repair", "parent_turn_id": number} if number % 2 else {}
        builder.turn("old", f"x = {number}", intent="plot it", **part)
    with at_most(steps=150_000_000):
        _, step = builder.replay()
    assert len(step.attempts or []) == 12_000 and step.code == "x = 11999"


def test_an_earlier_attempt_that_is_accepted_after_another_one() -> None:
    """P49: the step keeps the first decision, and the accept has the code of its own turn."""
    builder = SessionBuilder()
    first = builder.turn("", "a", intent="/test it", mode="test")
    repaired = builder.turn("a", "b", intent="Fix: x", mode="repair", parent_turn_id=first)
    builder.event("accept", turn_id=repaired)
    builder.event("edit", source="")
    builder.event("accept", turn_id=first)
    steps = builder.replay()
    assert [(step.kind, step.code, step.turn_id) for step in steps] == [
        ("turn", "b", repaired),
        ("edit", "", None),
        ("accept", "a", first),
    ]
    assert steps[0].mode == "test"


def test_the_next_request_is_a_step_of_its_own() -> None:
    """P49: after a decision, a change or copy of the cell, other words, a new conversation."""
    events: list[tuple[str, dict[str, Any]]] = [
        ("accept", {"turn_id": 1}),
        ("reject", {"turn_id": 1}),
        ("edit", {"source": "mine"}),
        ("context_reset", {}),
        ("copy", {"source": "", "data": {"from": "original"}}),
    ]
    for event, fields in events:
        builder = SessionBuilder()
        builder.turn("", "a", intent="plot it")
        builder.event(event, **fields)
        builder.turn("", "b", intent="plot it")
        turns = [step for step in builder.replay() if step.kind == "turn"]
        assert [step.code for step in turns] == ["a", "b"], event
    builder = SessionBuilder()
    first = builder.turn("", "a", intent="plot it")
    builder.turn("a", "b", intent="plot it", parent_turn_id=first)  # typed again, to refine it
    assert [step.outcome for step in builder.replay()] == ["refined", "open"]


def test_corrections_of_an_earlier_attempt_are_a_step() -> None:
    """P40: the model was asked to correct its answer, but the person took the first one."""
    builder = SessionBuilder()
    first = builder.turn("", "prise")
    builder.turn("price", "other", parent_turn_id=first, mode="repair", intent="Correct it")
    data = {"corrections": ["prise → price"], "corrected": "price"}
    builder.event("accept", turn_id=first, source="cost", data=data)
    assert [(step.kind, step.author, step.code) for step in builder.replay()] == [
        ("turn", "model", "prise"),
        ("edit", "program", "price"),
        ("edit", "person", "cost"),
    ]


def test_only_corrections_of_ai_server_are_corrections() -> None:
    cases: list[dict[str, Any]] = [{}, {"corrections": "zzz"}, {"corrections": []}]
    for data in cases:
        builder = SessionBuilder()
        contributor = {"kind": "program", "name": "formatter"}
        turn = builder.turn("", "a=1")
        builder.event("accept", turn_id=turn, source="a = 1", data=data, contributor=contributor)
        steps = builder.replay()
        assert [(step.author, step.is_correction) for step in steps] == [
            ("model", False),
            ("program", False),
        ]


def test_an_accept_after_other_steps_is_a_step_of_its_own() -> None:
    builder = SessionBuilder()
    first = builder.turn("", "a")
    builder.turn("", "b", intent="another request")
    builder.event("accept", turn_id=first)
    steps = builder.replay()
    assert shape(steps) == [
        ("turn", "", "a", "accepted"),
        ("turn", "", "b", "open"),
        ("accept", "", "a", "done"),
    ]
    assert steps[2].from_step == 0 and not steps[0].applied


def test_changes_that_are_accepted_one_by_one_are_steps_of_their_own() -> None:
    """P1: with a run between them, and with the rest accepted at the end; there is no branch."""
    builder = SessionBuilder()
    builder.event("edit", source="a\nb\nc\nd\ne\nf\ng")
    builder.turn("a\nb\nc\nd\ne\nf\ng", "A\nb\nc\nD\ne\nf\nG")
    for number, source in enumerate(["a\nb\nc\nD\ne\nf\ng", "A\nb\nc\nD\ne\nf\ng"], 1):
        part = {"part": True, "hunks": {"accepted": number, "of": 3}}
        builder.event("accept", turn_id=1, source=source, data=part)
        builder.event("run", source=source, data={"status": "ok"})
    builder.event("accept", turn_id=1, source="A\nb\nc\nD\ne\nf\nG")
    steps = builder.replay()
    assert [(step.kind, step.after.replace("\n", "")) for step in steps] == [
        ("edit", "abcdefg"),
        ("turn", "abcdefg"),
        ("accept", "abcDefg"),
        ("run", "abcDefg"),
        ("accept", "AbcDefg"),
        ("run", "AbcDefg"),
        ("accept", "AbcDefG"),
    ]
    assert steps[1].outcome == "accepted" and not steps[1].applied
    assert {step.column for step in steps} == {0}
    assert {step.from_step for step in steps if step.kind == "accept"} == {1}
    lines = blame(builder.session())
    assert [line.author for line in lines].count("model") == 3


def test_a_suggestion_stays_open_until_its_rest_is_decided_on() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="a\nb\nc")
    builder.turn("a\nb\nc", "A\nb\nC")
    part = {"part": True, "hunks": {"accepted": 1, "of": 2}}
    builder.event("accept", turn_id=1, source="A\nb\nc", data=part)
    assert builder.replay()[1].outcome == "open"
    builder.event("reject", turn_id=1, source="A\nb\nc")
    steps = builder.replay()
    assert (steps[1].outcome, steps[-1].after) == ("accepted", "A\nb\nc")


def test_a_request_that_continues_from_an_open_answer_refines_it() -> None:
    builder = SessionBuilder()
    first = builder.turn("a", "a\nb")
    second = builder.turn("a\nb", "a\nc")
    builder.event("accept", turn_id=second, source="a\nc")
    steps = builder.replay()
    assert shape(steps)[1:] == [
        ("turn", "a", "a\nb", "refined"),
        ("turn", "a", "a\nc", "accepted"),
    ]
    assert steps[2].base == "a\nb" and steps[2].to_wire()["base"] == "a\nb"
    # With a parent turn no event is needed, and the code may have been changed too.
    builder = SessionBuilder()
    first = builder.turn("", "a\nb")
    builder.turn("b", "c", parent_turn_id=first)
    steps = builder.replay()
    assert shape(steps) == [("turn", "", "a\nb", "refined"), ("turn", "", "c", "open")]
    assert steps[1].base == "b"


def test_a_request_repeated_after_a_failed_run_brings_no_code_back() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="a")
    failed = {"status": "error", "ename": "NameError"}
    for answer in ("b", "c"):
        builder.accepted_turn("a", answer)
        builder.event("run", source=answer, data=failed)
    builder.accepted_turn("a", "d")
    steps = builder.replay()
    assert shape(steps)[1:] == [
        ("turn", "a", "b", "accepted"),
        ("run", "b", "b", "error"),
        ("turn", "b", "c", "accepted"),
        ("run", "c", "c", "error"),
        ("turn", "c", "d", "accepted"),
    ]
    assert [step.base for step in steps if step.kind == "turn"] == [None, "a", "a"]
    assert {step.column for step in steps} == {0}


def test_the_same_request_after_a_run_may_follow_a_change_that_was_not_recorded() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "b")
    builder.event("run", source="b", data={"status": "ok"})
    builder.turn("", "c")
    kinds = [(step.kind, step.code) for step in builder.replay()]
    assert kinds == [("turn", "b"), ("run", "b"), ("edit", ""), ("turn", "c")]


def test_a_restore_names_its_step_and_keeps_the_replaced_source() -> None:
    builder = SessionBuilder()
    builder.event("accept", turn_id=builder.turn("", "a"))
    builder.event("accept", turn_id=builder.turn("a", "b"))
    builder.event("restore", source="a", data={"from_seq": 1, "replaced": "b edited"})
    steps = builder.replay()
    assert shape(steps)[2:] == [
        ("edit", "b", "b edited", "done"),
        ("restore", "b edited", "a", "done"),
    ]
    assert steps[3].from_step == 0
    assert steps[3].data == {"from_seq": 1, "replaced": "b edited"}


def test_an_accept_from_the_replay_keeps_the_replaced_source() -> None:
    builder = SessionBuilder()
    builder.event("accept", turn_id=builder.turn("a", "b"), data={"replaced": "a edited"})
    steps = builder.replay()
    assert shape(steps) == [
        ("start", "", "a", "done"),
        ("turn", "a", "b", "accepted"),
        ("edit", "a", "a edited", "done"),
        ("accept", "a edited", "b", "done"),
    ]
    assert steps[3].from_step == 1


def test_events_of_unknown_types_lose_nothing() -> None:
    builder = SessionBuilder()
    builder.event("later_one", source="rest", data={"into": ["c2"]})
    builder.event("accept", turn_id=7, source="from another tool")
    builder.event("context_reset")
    steps = builder.replay()
    assert shape(steps) == [
        ("other", "", "rest", "done"),
        ("other", "rest", "from another tool", "done"),
        ("context_reset", "from another tool", "from another tool", "done"),
    ]
    assert steps[0].to_wire()["data"] == {"into": ["c2"]}
    assert steps[1].event == "accept" and steps[1].turn_id == 7


def test_structural_events_are_steps_of_their_own() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="a\nb", data={"trigger": "first"})
    builder.event("split", source="b", data={"pieces": ["new", "cell"], "from": "cell"})
    builder.event("type", source="b", data={"from": "code", "to": "markdown"})
    builder.event("move", data={"from": 1, "to": 0})
    builder.event("delete", source="b, changed", data={"index": 0})
    builder.event("undelete", source="b, changed")
    builder.event("merge", data={"into": "other"})
    steps = builder.replay()
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
    # The initial source, and an unrecorded change, are not the person's (P40).
    assert [step.index for step in steps if step.author != "person"] == [0, 4]


def tree(steps: list[Step]) -> list[tuple[int | None, int]]:
    return [(step.parent, step.column) for step in steps]


def test_a_replay_without_branches_has_one_column() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.event("reject", turn_id=builder.turn("a", "b"), source="a")
    builder.event("run", source="a", data={"status": "ok"})
    first = builder.turn("a", "c")
    builder.event("accept", turn_id=builder.turn("c", "d", parent_turn_id=first), source="d")
    assert tree(builder.replay()) == [(None, 0), (0, 0), (1, 0), (2, 0), (3, 0)]


def test_continuing_from_a_restored_version_leaves_a_branch() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.accepted_turn("a", "b")
    builder.event("edit", source="c")
    builder.event("restore", source="a", data={"from_seq": 1, "replaced": "c"})
    builder.accepted_turn("a", "d")
    assert tree(builder.replay()) == [(None, 0), (0, 1), (1, 1), (0, 0), (3, 0)]
    # Restoring the current source is no branch; a second branch may reuse the column.
    builder.event("restore", source="d", data={"from_seq": 7, "replaced": "d"})
    builder.event("edit", source="e")
    builder.event("restore", source="d", data={"from_seq": 7, "replaced": "e"})
    assert tree(builder.replay())[5:] == [(4, 0), (5, 1), (5, 0)]


def test_steps_that_leave_a_version_as_it_is_stay_on_the_path() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.event("run", source="a", data={"status": "ok"})
    builder.event("edit", source="b")
    builder.event("run", source="b", data={"status": "error"})
    builder.event("restore", source="a", data={"from_seq": 1, "replaced": "b"})
    builder.event("run", source="a", data={"status": "ok"})
    assert tree(builder.replay()) == [(None, 0), (0, 0), (1, 1), (2, 1), (1, 0), (4, 0)]
    builder.event("edit", source="c")
    builder.event("restore", source="a", data={"from_seq": 1, "replaced": "c"})
    assert tree(builder.replay())[4:] == [(1, 0), (4, 0), (5, 1), (5, 0)]
    # Nor by a request that continues from it.
    builder.accepted_turn("a", "d")
    builder.turn("a", "e", parent_turn_id=1)
    assert tree(builder.replay())[9][0] == 7


def test_parallel_branches_have_columns_of_their_own() -> None:
    builder = SessionBuilder()
    for code in ("a", "b", "c"):
        builder.event("edit", source=code)
    builder.event("restore", source="b", data={"from_seq": 2, "replaced": "c"})
    builder.event("edit", source="d")
    builder.event("restore", source="a", data={"from_seq": 1, "replaced": "d"})
    assert tree(builder.replay()) == [(None, 0), (0, 1), (1, 2), (1, 1), (3, 1), (0, 0)]


def test_a_request_that_continues_from_an_older_turn_is_a_branch_until_accepted() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.accepted_turn("a", "b")
    turn = builder.turn("a", "c", parent_turn_id=1)
    assert tree(builder.replay()) == [(None, 0), (0, 0), (0, 1)]
    builder.event("run", source="b", data={"status": "ok"})
    assert tree(builder.replay())[3] == (1, 0)
    builder.event("accept", turn_id=turn, source="c")
    assert tree(builder.replay()) == [(None, 0), (0, 1), (0, 0), (1, 1), (2, 0)]


@given(sessions())
def test_any_session_has_a_complete_replay_with_every_source(session: Session) -> None:
    steps = replay(session)
    check_chain(steps)
    shown = {text for step in steps for text in (*step.codes, step.before, step.base)}
    for turn in session.interactions:
        assert {turn.user_request.current_code, turn.ai_response.suggestion} <= shown
    for event in session.events or []:
        assert event.source is None or event.source in shown
    turns = [step for step in steps if step.kind == "turn"]
    answers = [
        turn_id
        for step in turns
        for turn_id in [attempt.turn_id for attempt in step.attempts or ()] or [step.turn_id]
    ]
    assert sorted(answers) == sorted(turn.turn_id for turn in session.interactions)
    folded = {"accept", "reject"}
    recorded = [event.type for event in session.events or [] if event.type not in folded]
    assert sorted(recorded) == sorted(
        step.event for step in steps if step.event and step.event not in folded
    )
    for step in steps:
        assert step.from_step is None or 0 <= step.from_step < step.index
        assert step.parent is None or 0 <= step.parent < step.index
    check_columns(steps)
    assert [step.to_wire()["kind"] for step in steps] == [step.kind for step in steps]


@given(sessions(), st.randoms(use_true_random=False))
def test_clocks_do_not_move_a_step(session: Session, random: Any) -> None:
    """P26: the same records with any other times have the same replay."""
    other = session.model_copy(deep=True)
    for record in other.ordered():
        record.timestamp = random.choice([NOW, "1999-12-31T23:59:59Z", "2031-01-01T00:00:00Z"])

    def timeless(steps: list[Step]) -> list[dict[str, Any]]:
        wires = [{**step.to_wire(), "timestamp": "", "settledAt": ""} for step in steps]
        for wire in wires:
            for attempt in wire.get("attempts", ()):
                attempt["timestamp"] = ""
        return wires

    assert timeless(replay(other)) == timeless(replay(session))


@given(st.data())
def test_the_replay_of_a_simulated_cell_has_all_its_sources(data: st.DataObject) -> None:
    """The sources after the steps are exactly the sources that the cell had."""
    builder, current, states, open_turn = SessionBuilder(), "", [""], None

    def set_source(source: str) -> None:
        nonlocal current
        current = source
        if states[-1] != current:
            states.append(current)

    for number in range(data.draw(st.integers(0, 12))):
        act = data.draw(
            st.sampled_from(
                ["ask", "refine", "fail", "type", "accept", "part", "reject", "run", "restore"]
            )
        )
        new = f"v{number}"
        if act == "ask":
            open_turn = (builder.turn(current, new), new)
        elif act == "refine" and open_turn:
            started_from = open_turn[1] + " less"
            parent = open_turn[0]
            open_turn = (builder.turn(started_from, new, parent_turn_id=parent), new)
        elif act == "fail":
            builder.turn(current, new, status="error")
            open_turn = None
        elif act == "type":
            set_source(new)
            builder.event("edit", source=new)
            open_turn = None
        elif act in ("accept", "part", "reject") and open_turn:
            turn_id, suggestion = open_turn
            if act == "accept" or (act == "part" and builder.replay()[-1].kind == "turn"):
                set_source(suggestion)  # the replay has the complete answer, then the accepted part
            if act == "part":
                set_source(suggestion + " in part")
            kind = "reject" if act == "reject" else "accept"
            builder.event(kind, turn_id=turn_id, source=current)
            open_turn = None
        elif act == "run":
            builder.event("run", source=current, data={"status": "ok"})
            open_turn = None
        elif act == "restore" and builder.turns:
            origin = data.draw(st.sampled_from(builder.turns))
            replaced, source = current, origin["ai_response"]["suggestion"]
            set_source(source)
            builder.event(
                "restore",
                source=source,
                data={"from_seq": origin["seq"], "replaced": replaced},
            )
            open_turn = None
    steps = builder.replay()
    check_chain(steps)
    seen = [""]
    for step in steps:
        if step.after != seen[-1]:
            seen.append(step.after)
    assert seen == states
    assert not any(step.event is None and step.kind in ("edit", "start") for step in steps)
    for step in steps:
        if step.kind == "restore":
            assert step.from_step is not None and step.code in steps[step.from_step].codes
