"""Answers in words: a question is answered without code, and a follow-up question refers to it."""

from __future__ import annotations

import json

import pytest

from aiserver.prompts.texts import ANOTHER_ANSWER

from ..conftest import SSE, request

WORDS = "It returns the **mean** of the prices.\n\nMissing values are left out."
CODE = "```python\nx = 1\n```"
SOURCE = "df['price'].mean()"


def answer_of(turn):
    response = turn["ai_response"]
    return response["suggestion"], response["explanation"], response["status"]


@pytest.mark.parametrize(
    ("text", "suggestion", "explanation"),
    [
        (WORDS, "", WORDS),
        ("它返回价格的平均值。", "", "它返回价格的平均值。"),
        (f"{WORDS}\n\n```bash\nls\n```", "", f"{WORDS}\n\n```bash\nls\n```"),
        ("```python\nIt returns the mean of all prices.\n```", "", None),
        ("```python\n这段代码返回价格的平均值。\n```", "", None),
        (f"Like this:\n\n{CODE}", "x = 1", "Like this:"),
        ("```python\nprint hello world.\n```", "print hello world.", ""),
        ("```python\n%pip install pandas numpy scipy.\n```", None, ""),
    ],
)
async def test_an_answer_with_an_explanation_is_a_success(
    call, scripted, text, suggestion, explanation
):
    scripted.script({"text": text})
    reply = await call("POST", "generate", request("what is it?", source=SOURCE), headers=SSE)
    name, end = reply.events[-1]
    assert name == "done"
    inner = "\n".join(text.split("\n")[1:-1])
    expected = (
        inner if suggestion is None else suggestion,
        inner if explanation is None else explanation,
        "success",
    )
    assert answer_of(end["interaction"]) == expected
    assert "error" not in end
    stored = (await call("GET", "sessions/nb/c1")).data["interactions"][0]
    assert stored == end["interaction"]


async def test_a_slash_word_sets_the_mode(call, scripted):
    """The model gets an instruction; the history has the request as it was written."""
    scripted.script({"text": CODE}, {"text": f"As in\n{CODE}"})
    turn = (await call("POST", "generate", request("/refactor 更短", source=SOURCE))).data
    assert (turn["mode"], turn["user_request"]["intent"]) == ("refactor", "/refactor 更短")
    sent = scripted.requests[-1]["body"]["messages"][-1]["content"]
    assert sent.endswith("exactly the same as now.\n更短")
    # For an explanation, a code block in the answer doesn't replace the cell's code.
    turn = (await call("POST", "generate", request("/explain", source=SOURCE))).data
    assert turn["mode"] == "explain"
    assert answer_of(turn) == ("", f"As in\n{CODE}", "success")
    for query, intents in (("/explain", ["/explain"]), ("/refactor", ["/refactor 更短"])):
        hits = (await call("POST", "search", {"query": query})).data["results"]
        assert [hit["intent"] for hit in hits] == intents


async def test_a_search_for_a_slash_word_finds_requests_in_other_words(call, scripted):
    scripted.script({"text": CODE}, {"text": CODE})
    await call("POST", "generate", request("make it faster", source=SOURCE))
    await call("POST", "generate", request("sort it", source=SOURCE, cellId="c2"))
    (hit,) = (await call("POST", "search", {"query": "/optimise"})).data["results"]
    assert (hit["intent"], hit["where"]) == ("make it faster", "intent")
    assert "".join(piece["text"] for piece in hit["snippet"]) == "/optimise"


async def test_words_are_streamed_as_they_arrive(call, scripted):
    scripted.script({"text": WORDS, "delay": 0.01})
    reply = await call("POST", "generate", request("why?"), headers=SSE)
    tokens = [data for name, data in reply.events if name == "token"]
    assert {token["part"] for token in tokens} == {"explanation"}
    assert "".join(token["text"] for token in tokens).strip() == WORDS
    assert len(tokens) > 1


@pytest.mark.parametrize("text", ["", "\n\n", "```python\n```", "```python\n   \n```"])
async def test_an_empty_answer_fails(call, scripted, text):
    scripted.script({"text": text})
    reply = await call("POST", "generate", request("do it"), headers=SSE)
    name, end = reply.events[-1]
    assert (name, end["code"]) == ("error", "bad_answer")


async def test_a_follow_up_gets_the_question_and_the_words(call, scripted):
    scripted.script({"text": WORDS}, {"text": CODE})
    await call("POST", "generate", request("what does it return?", source=SOURCE))
    await call("POST", "generate", request("and why?", source=SOURCE))
    messages = scripted.requests[-1]["body"]["messages"]
    question, words, follow_up = messages[-3:]
    assert question["content"].endswith("what does it return?")
    assert SOURCE in question["content"]
    assert (words["role"], words["content"]) == ("assistant", WORDS)
    assert follow_up["content"].endswith("and why?")


async def test_secrets_in_words_are_not_sent(call, scripted):
    """P16: the words become part of the next prompt, so their secrets are hidden there."""
    key = "sk-" + "proj-" + "a1B2c3D4e5" * 4
    scripted.script({"text": f"The key in it is {key}, which is secret."}, {"text": CODE})
    await call("POST", "generate", request("what is this?"))
    await call("POST", "generate", request("and why?"))
    assert key not in json.dumps(scripted.requests[-1]["body"])
    assert key not in json.dumps((await call("GET", "sessions/nb/c1")).data)


async def test_the_same_prompt_is_never_sent_twice(call, scripted):
    """P49: a model that is asked again knows what it has answered, and that it wasn't right."""
    scripted.script(*[{"text": CODE}] * 4)
    await call("POST", "generate", request("the first wish"))
    await call("POST", "generate", request("draw it", source=SOURCE))
    for _ in range(2):
        await call("POST", "generate", request("draw it", source=SOURCE, mode="retry"))
        *_, answer, asked = scripted.requests[-1]["body"]["messages"]
        assert answer["role"] == "assistant" and "x = 1" in answer["content"]
        assert asked["content"].endswith(f"draw it\n{ANOTHER_ANSWER}")
    prompts = {json.dumps(sent["body"]["messages"]) for sent in scripted.requests}
    assert len(prompts) == 4
    turns = (await call("GET", "sessions/nb/c1")).data["interactions"]
    assert [turn["mode"] for turn in turns] == ["create", "edit", "edit", "edit"]


async def test_words_are_a_step_and_can_be_searched_and_listed(call, scripted):
    scripted.script({"text": WORDS})
    await call("POST", "generate", request("what does it return?", source=SOURCE))
    steps = (await call("GET", "sessions/nb/c1/replay")).data["steps"]
    assert [step["outcome"] for step in steps] == ["done", "done"]
    assert steps[-1]["code"] == steps[-1]["before"] == SOURCE
    summary = (await call("GET", "sessions?notebookId=nb")).data["sessions"][0]
    assert (summary["failed"], summary["lastStatus"]) == (0, "success")
