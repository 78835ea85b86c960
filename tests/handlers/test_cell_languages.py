"""Over HTTP: the answer is in the language of the cell, whichever that is."""

from __future__ import annotations

import pytest

from ..conftest import SSE, request

NESTED = "# Users\n\n```python\nread()\n```"


@pytest.mark.parametrize(
    ("asked", "answer", "suggestion", "stored", "told"),
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
async def test_in_the_cell_s_language(call, scripted, asked, answer, suggestion, stored, told):
    scripted.script({"text": answer}, {"text": answer})
    turn = (await call("POST", "generate", request(**asked))).data
    assert turn["ai_response"]["suggestion"] == suggestion
    assert turn["user_request"]["language"] == stored
    messages = scripted.requests[0]["body"]["messages"]
    assert told in messages[0]["content"]

    streamed = (await call("POST", "generate", request(**asked), headers=SSE)).events
    code = [data["text"] for name, data in streamed if name == "token" and data["part"] == "code"]
    assert "".join(code) == suggestion
    # The past turn is told in the same language, whole.
    past = scripted.requests[1]["body"]["messages"][-2]
    assert past["role"] == "assistant"
    assert f"\n{suggestion}\n```" in past["content"]


async def test_a_cell_type_that_is_none_is_refused(call):
    answer = await call("POST", "generate", request(cellType="heading"))
    assert answer.status == 400
    assert "cellType" in answer.data["message"]
