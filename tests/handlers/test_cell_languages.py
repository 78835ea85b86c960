"""The answer is in the language of the cell."""

from __future__ import annotations

import pytest

from ..conftest import SSE, request

NESTED = "# Users\n\n```python\nread()\n```"


@pytest.mark.parametrize(
    ("asked", "answer", "suggestion", "stored", "instruction"),
    [
        ({"language": "R"}, "```r\nx <- 1\n```", "x <- 1", "R", "kernel runs R."),
        ({"language": "julia"}, "```julia\nx = 1\n```", "x = 1", "julia", "kernel runs Julia."),
        (
            {"source": "%%sql shop\nSELECT 1"},
            "```sql\nSELECT 2\n```",
            "%%sql shop\nSELECT 2",
            "sql",
            "the magic %%sql: below that line it is SQL",
        ),
        (
            {"cellType": "markdown"},
            f"````markdown\n{NESTED}\n````",
            NESTED,
            "markdown",
            "the text of one Markdown cell",
        ),
        ({"cellType": "raw", "language": "R"}, "a: 1", "a: 1", "text", "the text of one raw cell"),
    ],
)
async def test_answers_are_in_the_language_of_the_cell(
    call, scripted, asked, answer, suggestion, stored, instruction
):
    scripted.script({"text": answer}, {"text": answer})
    turn = (await call("POST", "generate", request(**asked))).data
    assert turn["ai_response"]["suggestion"] == suggestion
    assert turn["user_request"]["language"] == stored
    messages = scripted.requests[0]["body"]["messages"]
    assert instruction in messages[0]["content"]

    streamed = (await call("POST", "generate", request(**asked), headers=SSE)).events
    code = [data["text"] for name, data in streamed if name == "token" and data["part"] == "code"]
    assert "".join(code) == suggestion
    # The earlier turn is sent in the same language.
    past = scripted.requests[1]["body"]["messages"][-2]
    assert past["role"] == "assistant"
    assert f"\n{suggestion}\n```" in past["content"]


async def test_an_unknown_cell_type_is_rejected(call):
    answer = await call("POST", "generate", request(cellType="heading"))
    assert answer.status == 400
    assert "cellType" in answer.data["message"]
