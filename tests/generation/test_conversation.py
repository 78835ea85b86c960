"""The turns from which a request continues: branches, and requests that were asked again."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aiserver.generation.past_turns import conversation
from aiserver.models import Session

from ..replay.session_builder import SessionBuilder


def turn_ids(session: Session, parent: int | None = None) -> list[int]:
    return [turn.turn_id for turn in conversation(session, parent)]


def asked_again() -> tuple[SessionBuilder, int]:
    """A cell with the accepted turns 1 and 2, which were asked again as 3 and 4.

    The second value is the seq of turn 4.
    """
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.accepted_turn("a", "b")
    builder.turn("", "x", repeats_turn_id=1)
    builder.turn("x", "y", repeats_turn_id=2, parent_turn_id=3)
    return builder, builder.seq - 1


def restore(builder: SessionBuilder, seq: int, source: str, **data: Any) -> None:
    builder.event("restore", source=source, data={"from_seq": seq, **data})


def test_a_branch_continues_from_its_line_of_turns() -> None:
    """A request that continues from an older version excludes the turns after it."""
    builder = SessionBuilder()
    for parent in (None, None, 1, None, 3, None):
        more: dict[str, Any] = {} if parent is None else {"parent_turn_id": parent}
        builder.turn("", "x", **more)
    session = builder.session()
    assert turn_ids(session) == [1, 2, 3, 4, 5, 6]
    assert turn_ids(session, 2) == [1, 2]
    assert turn_ids(session, 4) == [1, 3, 4]
    assert turn_ids(session, 6) == [1, 3, 5, 6]
    assert turn_ids(session, 9) == []
    # A file of another tool may have cycles or forward references.
    session.interactions[0].parent_turn_id = 1
    session.interactions[2].parent_turn_id = 5
    assert turn_ids(session, 3) == [3]
    assert turn_ids(session, 2) == [1, 2]


def test_an_ordinary_request_ignores_what_was_asked_again() -> None:
    builder, _ = asked_again()
    assert turn_ids(builder.session()) == [1, 2]
    builder.turn("b", "c")
    session = builder.session()
    assert turn_ids(session) == [1, 2, 5]
    assert turn_ids(session, 5) == [1, 2, 5]
    assert turn_ids(session, 4) == [3, 4]


def test_an_ordinary_request_continues_from_a_restored_answer() -> None:
    builder, seq = asked_again()
    restore(builder, seq, "y")
    builder.event("run", source="y", data={"status": "ok"})
    run = builder.seq - 1
    assert turn_ids(builder.session()) == [3, 4]
    builder.turn("y", "z")
    assert turn_ids(builder.session()) == [3, 4, 5]
    # The original answers are restored, with their turns, and then the branch again by its run.
    restore(builder, 3, "b")
    assert turn_ids(builder.session()) == [1, 2]
    restore(builder, run, "y")
    assert turn_ids(builder.session()) == [3, 4]


def test_an_ordinary_request_can_continue_from_a_repeated_turn() -> None:
    builder, _ = asked_again()
    builder.turn("y", "z", parent_turn_id=4)
    assert turn_ids(builder.session()) == [3, 4, 5]


def test_an_accepted_answer_is_continued() -> None:
    builder, _ = asked_again()
    builder.event("accept", turn_id=4, source="y")
    assert turn_ids(builder.session()) == [3, 4]


def test_an_undo_brings_back_an_edit_that_was_not_recorded() -> None:
    builder, seq = asked_again()
    restore(builder, seq, "y", replaced="b typed")
    assert turn_ids(builder.session()) == [3, 4]
    builder.event("edit", source="b typed")
    assert turn_ids(builder.session()) == [1, 2]


def test_the_conversation_follows_an_undo_of_a_restore() -> None:
    """The next request continues from the turns that led to the code."""
    builder, seq = asked_again()
    restore(builder, seq, "y")
    assert turn_ids(builder.session()) == [3, 4]
    builder.event("edit", source="y2")  # an edit of the restored code
    assert turn_ids(builder.session()) == [3, 4]
    builder.event("edit", source="b")  # undone, also the restore
    assert turn_ids(builder.session()) == [1, 2]
    builder.event("run", source="b", data={"status": "ok"})
    assert turn_ids(builder.session()) == [1, 2]
    builder.event("edit", source="b2")  # an edit of the earlier code
    assert turn_ids(builder.session()) == [1, 2]
    builder.event("edit", source="y2")  # undone and redone
    assert turn_ids(builder.session()) == [3, 4]


def test_the_conversation_follows_a_redo_of_a_restore() -> None:
    builder, seq = asked_again()
    restore(builder, seq, "y")
    for _ in range(2):
        builder.event("edit", source="b")
        assert turn_ids(builder.session()) == [1, 2]
        builder.event("edit", source="y")
        assert turn_ids(builder.session()) == [3, 4]
    builder.turn("y", "z")
    builder.event("edit", source="b")  # the request has confirmed the branch
    assert turn_ids(builder.session()) == [3, 4, 5]


def test_an_undo_before_a_request_is_in_its_conversation() -> None:
    builder, seq = asked_again()
    restore(builder, seq, "y")
    builder.event("edit", source="b")
    builder.turn("b", "c")
    assert turn_ids(builder.session()) == [1, 2, 5]


def test_a_restore_from_another_cell_changes_no_path() -> None:
    builder, seq = asked_again()
    restore(builder, seq, "y", from_cell="other")
    assert turn_ids(builder.session()) == [1, 2]


def test_a_new_conversation_forgets_the_branch() -> None:
    builder, seq = asked_again()
    builder.event("context_reset")
    restore(builder, seq, "y")
    builder.turn("y", "z")
    assert turn_ids(builder.session()) == [5]


@given(st.data())
def test_repeated_turns_never_change_the_conversation(data: st.DataObject) -> None:
    """A cell with and without requests that were asked again continues from the same turns."""
    with_repeats, plain = SessionBuilder(), SessionBuilder()
    plain_ids: dict[int, int] = {}  # of the turns of `with_repeats` that weren't asked again
    plain_seqs: dict[int, int] = {}
    repeats: list[int] = []
    for number in range(data.draw(st.integers(0, 12))):
        act = data.draw(st.sampled_from(["ask", "branch", "accept", "restore", "reset", "repeat"]))
        ids = list(plain_ids)
        if act in ("ask", "branch"):
            parent = data.draw(st.sampled_from(ids)) if act == "branch" and ids else None
            seq = with_repeats.seq
            more: dict[str, Any] = {} if parent is None else {"parent_turn_id": parent}
            turn = with_repeats.turn("", f"v{number}", **more)
            plain_seqs[seq] = plain.seq
            more = {} if parent is None else {"parent_turn_id": plain_ids[parent]}
            plain_ids[turn] = plain.turn("", f"v{number}", **more)
        elif act == "accept" and ids:
            turn = data.draw(st.sampled_from(ids))
            with_repeats.event("accept", turn_id=turn)
            plain.event("accept", turn_id=plain_ids[turn])
        elif act == "restore" and ids:
            seq = data.draw(st.sampled_from(list(plain_seqs)))
            restore(with_repeats, seq, "")
            restore(plain, plain_seqs[seq], "")
        elif act == "reset":
            with_repeats.event("context_reset")
            plain.event("context_reset")
        elif act == "repeat" and ids:
            parents = st.none() | st.sampled_from(repeats or [None])
            parent = data.draw(parents)
            more = {} if parent is None else {"parent_turn_id": parent}
            more["repeats_turn_id"] = data.draw(st.sampled_from(ids))
            repeats.append(with_repeats.turn("", f"again {number}", **more))
    session = with_repeats.session()
    assert [plain_ids[turn] for turn in turn_ids(session)] == turn_ids(plain.session())
    for turn, plain_id in plain_ids.items():
        path = [plain_ids[each] for each in turn_ids(session, turn)]
        assert path == turn_ids(plain.session(), plain_id)
