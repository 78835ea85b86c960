"""Requests in an empty cell about the code cell above, through the HTTP API."""

from __future__ import annotations

from typing import Any

import pytest

from ..conftest import request

CODE = {"text": "```python\nassert total == 3\n```"}
SECRET = "sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
CELLS = [
    {"cellId": "a", "source": "prices = [1, 2]"},
    {"cellId": "b", "source": f"total = sum(prices)  # {SECRET}"},
    {"cellId": "m", "cellType": "markdown", "source": "# Total"},
    {"cellId": "e", "source": " \n"},
    {"cellId": "r", "source": "%%ai\nadd them up"},
]


def body(intent: str, **more: Any) -> dict[str, Any]:
    context = {"cells": CELLS} | more.pop("context", {})
    return request(intent, context=context, **more)


def sent(scripted: Any) -> str:
    return str(scripted.requests[-1]["body"]["messages"][-1]["content"])


def cells_of(turn: dict[str, Any]) -> list[list[str]]:
    return [item["cell_ids"] for item in turn["context"] if item["kind"] == "cell"]


@pytest.mark.parametrize("source", ["", " \n", "%%ai\n/test with assert"])
async def test_the_nearest_code_cell_is_sent_once_and_listed(call, scripted, remote_model, source):
    """P43, P16: the preview is what is sent; the receipt names the cell; secrets are hidden."""
    scripted.script(CODE)
    asked = body("/test with assert", source=source)
    preview = (await call("POST", "generate/preview", asked)).data
    turn = (await call("POST", "generate", asked)).data
    text = sent(scripted)
    assert preview["messages"][-1]["text"] == text
    assert text.count("total = sum(prices)") == 1
    assert SECRET not in text
    assert text.index("<earlier-cells") < text.index("prices = [1, 2]")
    assert text.index("</earlier-cells") < text.index("<cell-above") < text.index("total =")
    assert text.endswith("Don't repeat its code.\nwith assert")
    # The last one in the list is the cell above, directly before the request.
    assert cells_of(turn)[-1] == ["b"]
    assert cells_of(turn).count(["b"]) == 1
    assert (turn["mode"], turn["user_request"]["current_code"]) == ("test", source)
    assert [(item["kind"], item.get("tokens")) for item in preview["items"]] == [
        (item["kind"], item.get("tokens")) for item in turn["context"]
    ]


async def test_an_explanation_is_answered_in_words(call, scripted):
    scripted.script({"text": f"As in\n{CODE['text']}"})
    turn = (await call("POST", "generate", body("/解释"))).data
    assert "Explain in words what the code of the cell above does." in sent(scripted)
    assert turn["ai_response"]["suggestion"] == ""
    assert turn["ai_response"]["explanation"].startswith("As in")


@pytest.mark.parametrize(
    ("intent", "more"),
    [
        ("/test", {"source": "x = 1"}),
        ("/fix", {}),
        ("/visualise", {}),
        ("explain this", {}),
        ("/test", {"cellType": "markdown"}),
        ("/test", {"context": {"cells": CELLS[2:]}}),
        (
            "/test @cell1",
            {"context": {"mentions": [{"kind": "cell", "name": "@cell1", "cellId": "a"}]}},
        ),
    ],
)
async def test_other_requests_are_not_about_the_cell_above(call, scripted, intent, more):
    scripted.script({"text": "x" if "cellType" in more else CODE["text"]})
    await call("POST", "generate", body(intent, **more))
    assert "cell-above" not in sent(scripted)
    assert "of the cell above" not in sent(scripted)


async def test_the_next_request_gets_the_same_instruction_again(call, scripted):
    scripted.script(CODE, CODE)
    await call("POST", "generate", body("/test"))
    await call("POST", "generate", body("only two", source="assert total == 3"))
    earlier = scripted.requests[-1]["body"]["messages"][1]["content"]
    assert earlier.endswith(
        "Write tests for the code of the cell above: assert statements that "
        "pass. Don't repeat its code."
    )
