"""Steps are titled in exports as in the interface."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

from babel.messages.pofile import read_po

from aiserver.plugins.export.labels import outcome, title
from aiserver.replay import Step
from aiserver.replay.step import Kind, Outcome

POT = Path(__file__).parent.parent.parent / "translations" / "aiserver.pot"


def step(**fields: Any) -> Step:
    return Step(index=0, seq=1, timestamp="", before="", code="a", **fields)


def test_titles_and_outcomes_are_texts_of_the_interface() -> None:
    with POT.open("rb") as file:
        texts = {message.id for message in read_po(file)}
    steps = [
        *(step(kind=kind, author="person") for kind in get_args(Kind) if kind != "other"),
        step(kind="other", author="person", event="recovered"),
        *(step(kind=kind, author="person", from_step=3) for kind in ("accept", "restore")),
        step(kind="run", author="person", data={"execution_count": 3}),
        *(step(kind="edit", author="person", event=event) for event in ("accept", "reject")),
        step(
            kind="edit",
            author="program",
            name="AI Server",
            event="accept",
            data={"corrections": ["4"]},
        ),
        step(kind="accept", author="person", data={"part": True}),
        step(kind="edit", author="model", data={"past_answer": {"notebook": "4"}}),
        step(kind="edit", author="person", data={"restored_to": "2026-01-27T10:00:00Z"}),
        step(kind="edit", author="unknown"),
        step(kind="edit", author="unknown", name="file on disk"),
        step(kind="edit", author="unknown", name="4"),
        step(kind="edit", author="program", name="4"),
        step(kind="edit", author="program", name="4", data={"command": "black:format"}),
    ]
    titles = {re.sub(r"\d+", "%1", title(each)) for each in steps}
    turns = [step(kind="turn", author="model", outcome=each) for each in get_args(Outcome)]
    outcomes = {outcome(turn) for turn in turns} - {""}
    assert (titles | outcomes) - texts == set()
    assert len(titles) == 29
    part = {"part": True, "hunks": {"accepted": 2, "of": 3}}
    assert title(step(kind="accept", author="person", data=part)) == "Accepted 2 of 3 changes"
