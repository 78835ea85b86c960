"""Ask a cell's requests again, of another model, over HTTP."""

from __future__ import annotations

from aiserver.plugins.export.labels import outcome as outcome_text
from aiserver.replay import Step

from ..conftest import request

ANSWERS = {"first": "first = 1", "second": "second = 2", "again": "other = 1", "more": "other = 2"}


def script(scripted, *names: str) -> None:
    scripted.script(*({"text": f"```python\n{ANSWERS[name]}\n```"} for name in names))


async def ask(call, intent: str, **more):
    return (await call("POST", "generate", request(intent, **more))).data


def sent(scripted) -> str:
    return "\n".join(message["content"] for message in scripted.requests[-1]["body"]["messages"])


async def test_the_answers_form_a_branch_that_later_requests_ignore(call, scripted):
    script(scripted, "first", "second", "again", "more", "first")
    await ask(call, "the first wish")
    await ask(call, "the second wish", source=ANSWERS["first"])

    turn = await ask(call, "the first wish", repeatsTurnId=1)
    assert (turn["turn_id"], turn["repeats_turn_id"]) == (3, 1)
    assert "parent_turn_id" not in turn
    # The model gets none of the cell's turns.
    assert ANSWERS["first"] not in sent(scripted) and "the second wish" not in sent(scripted)

    again = {"source": ANSWERS["again"], "repeatsTurnId": 2, "parentTurnId": 3}
    await ask(call, "the second wish", **again)
    assert ANSWERS["again"] in sent(scripted) and "the first wish" in sent(scripted)
    assert ANSWERS["first"] not in sent(scripted)

    await ask(call, "an ordinary wish", source=ANSWERS["second"])
    assert ANSWERS["second"] in sent(scripted)
    assert ANSWERS["again"] not in sent(scripted) and ANSWERS["more"] not in sent(scripted)


async def test_the_replay_and_the_search_mark_what_was_asked_again(call, scripted):
    script(scripted, "first", "again")
    await ask(call, "the first wish")
    await ask(call, "the first wish", repeatsTurnId=1)
    steps = (await call("GET", "sessions/nb/c1/replay")).data["steps"]
    assert [step.get("repeatsTurnId") for step in steps] == [None, 1]
    assert [step["outcome"] for step in steps] == ["open", "repeated"]
    results = (await call("POST", "search", {"query": "other"})).data
    while results["unread"]:  # the response covers the indexed sessions only
        results = (await call("POST", "search", {"query": "other"})).data
    [hit] = results["results"]
    assert (hit["turnId"], hit["step"]) == (2, 1)


def test_exports_name_the_outcome():
    step = Step(0, 1, "turn", "model", "", "", "x = 1", outcome="repeated")
    assert outcome_text(step) == "asked again"
