"""The suggestion that can still be accepted."""

from __future__ import annotations

from aiserver.plugins.export.labels import outcome

from .session_builder import SessionBuilder


def outcomes(builder: SessionBuilder) -> list[str]:
    """Return the texts of the outcomes of a session's turns."""
    return [outcome(step) for step in builder.replay() if step.kind == "turn"]


def test_only_the_last_request_can_still_be_accepted() -> None:
    """P49: with the words of the sidebar."""
    builder = SessionBuilder()
    builder.turn("", "a", intent="first")
    assert outcomes(builder) == ["pending"]
    builder.turn("", "b", intent="second")
    assert outcomes(builder) == ["not used", "pending"]
    builder.turn("", "", "error", intent="third")
    assert outcomes(builder) == ["not used", "not used", "failed"]


def test_an_answer_in_words_leaves_the_suggestion_open() -> None:
    builder = SessionBuilder()
    first = builder.turn("", "a")
    builder.turn("", "", intent="why?", parent_turn_id=first)
    assert outcomes(builder) == ["pending", "answered"]


def test_a_request_that_is_asked_again_decides_nothing() -> None:
    builder = SessionBuilder()
    first = builder.turn("", "a")
    builder.turn("", "b", repeats_turn_id=first)
    assert outcomes(builder) == ["pending", "asked again"]
