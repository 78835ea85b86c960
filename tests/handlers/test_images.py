"""Images of a mentioned cell, such as plots, through the HTTP API."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from aiserver.notebooks.other_roots import blobs_in
from aiserver.prompts.receipt import stored_items

from ..conftest import request
from ..images import jpeg, png

PLOT, CANARY = png(64, 48, b"canary-plot"), "canary-output-6f2"
WORDS = {"text": "The line rises."}
SEES = {"ModelRegistry": {"image_models": ["openai:scripted"]}}
FORBIDDEN = SEES | {"AIServer": {"features": {"outputs": "forbidden"}}}


def body(*images: bytes, intent: str = "/explain @output", **more: Any) -> dict[str, Any]:
    data = [{"data": base64.b64encode(image).decode()} for image in images]
    mention = {"kind": "cell", "name": "@output", "output": CANARY, "images": data, **more}
    return request(intent, context={"mentions": [mention]})


def images_of(message: dict[str, Any]) -> list[bytes]:
    """Return the images in a message as OpenAI's API gets it."""
    content = message["content"]
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    return [base64.b64decode(url.partition("base64,")[2]) for url in urls]


def items_of(turn: dict[str, Any], kind: str = "image") -> list[dict[str, Any]]:
    return [item for item in turn["context"] if item["kind"] == kind]


@pytest.mark.parametrize("server_config", [SEES])
async def test_a_plot_is_sent_once_and_only_by_choice(
    call, scripted, remote_model, server_config, jp_root_dir
):
    """P15, P43: the preview and the receipt describe the bytes that are sent."""
    scripted.script(WORDS, WORDS, WORDS)
    await call("POST", "generate", body(PLOT))
    text = json.dumps(scripted.requests[-1]["body"])
    assert "base64" not in text and "(an image that isn't sent)" in text

    asked = body(PLOT, jpeg(30, 20), shared=True)
    preview = (await call("POST", "generate/preview", asked)).data
    turn = (await call("POST", "generate", asked)).data
    *earlier, last = scripted.requests[-1]["body"]["messages"]
    assert images_of(last) == [PLOT, jpeg(30, 20)]
    assert json.dumps(scripted.requests[-1]["body"]).count(base64.b64encode(PLOT).decode()) == 1
    assert last["content"][0] == {"type": "text", "text": preview["messages"][-1]["text"]}
    assert all(isinstance(message["content"], str) for message in earlier)
    sha256 = hashlib.sha256(PLOT).hexdigest()
    facts = {"width": 64, "height": 48, "size": len(PLOT), "sha256": sha256}
    assert preview["messages"][-1]["images"][0] == {"mediaType": "image/png", **facts}
    assert items_of(turn)[0] == {
        "kind": "image",
        "name": "@output",
        "tokens": 5,  # 64 · 48 / 750
        "image": {"media_type": "image/png", **facts},
    }
    assert [item["image"]["media_type"] for item in items_of(turn)] == ["image/png", "image/jpeg"]
    assert items_of(turn, "mention")[0]["output"]

    # The image is a blob, and isn't in the session.
    stored = (jp_root_dir / ".aiserver_sessions" / "nb_c1.json").read_text("utf-8")
    assert base64.b64encode(PLOT).decode()[:40] not in stored
    assert sha256 in blobs_in(stored.encode())  # so it is copied and deleted with the session
    blob = await call("GET", f"blobs/{sha256}")
    assert blob.raw == PLOT
    prompt = (await call("GET", f"sessions/nb/c1/turns/{turn['turn_id']}/prompt")).data
    assert prompt["messages"] == preview["messages"]

    (step,) = (await call("GET", "sessions/nb/c1/replay")).data["steps"][-1:]
    assert step["receipt"]["handsOutput"]

    # Later requests contain the answer, but not the image.
    await call("POST", "generate", body(intent="and why?", output=""))
    text = json.dumps(scripted.requests[-1]["body"])
    assert "The line rises." in text and "base64" not in text


@pytest.mark.parametrize("shared", [False, True])
async def test_a_model_that_sees_no_images_gets_a_note_instead(
    call, scripted, remote_model, shared
):
    """P43"""
    scripted.script(WORDS)
    turn = (await call("POST", "generate", body(PLOT, output="", shared=shared))).data
    text = scripted.requests[-1]["body"]["messages"][-1]["content"]
    assert isinstance(text, str) and "@output:\n(an image that isn't sent)" in text
    (item,) = items_of(turn)
    assert item["dropped"] and "tokens" not in item and item["image"]["width"] == 64
    assert (await call("GET", f"blobs/{item['image']['sha256']}")).status == 404
    assert "output" not in items_of(turn, "mention")[0]


@pytest.mark.parametrize("server_config", [SEES])
async def test_images_that_the_page_left_out_are_listed(call, scripted, server_config):
    scripted.script(WORDS)
    turn = (await call("POST", "generate", body(PLOT, omittedImages=3, shared=True))).data
    assert [(item.get("dropped"), item.get("count")) for item in items_of(turn)] == [
        (None, None),
        (True, 3),
    ]
    assert "(an image that isn't sent)" in json.dumps(scripted.requests[-1]["body"])


@pytest.mark.parametrize("server_config", [FORBIDDEN])
async def test_an_administrator_who_forbids_outputs_forbids_images(
    call, scripted, remote_model, server_config
):
    scripted.script(WORDS)
    turn = (await call("POST", "generate", body(PLOT, output="", shared=True))).data
    assert "base64" not in json.dumps(scripted.requests[-1]["body"])
    assert not items_of(turn) and items_of(turn, "output")[0]["forbidden"]


@pytest.mark.parametrize("server_config", [SEES])
@pytest.mark.parametrize(
    "image",
    [
        b"<svg/>",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0\x00\x04",
        png(9000, 1),
    ],
    ids=["svg", "cut PNG", "cut JPEG", "too wide"],
)
async def test_other_content_is_left_out(call, scripted, server_config, image):
    """P29"""
    scripted.script(WORDS)
    turn = (await call("POST", "generate", body(image, PLOT, shared=True))).data
    assert images_of(scripted.requests[-1]["body"]["messages"][-1]) == [PLOT]
    assert [item.get("dropped") for item in items_of(turn)] == [None, True]


@pytest.mark.parametrize("server_config", [SEES])
async def test_all_mentions_together_have_two_images(call, scripted, server_config):
    scripted.script(WORDS)
    asked = body(jpeg(8, 8), shared=True)
    mentions = asked["context"]["mentions"]
    mentions += body(PLOT, PLOT, shared=True)["context"]["mentions"]
    mentions[1]["name"] = "@cell3"
    mentions[0]["images"].insert(0, {"data": "§"})
    turn = (await call("POST", "generate", asked)).data
    assert images_of(scripted.requests[-1]["body"]["messages"][-1]) == [jpeg(8, 8), PLOT]
    dropped = [item["name"] for item in items_of(turn) if item.get("dropped")]
    assert dropped == ["@output", "@cell3"]
    for refused in (body(PLOT, PLOT, PLOT), body(png(10, 10, bytes(500_000)))):
        assert (await call("POST", "generate", refused)).status == 400


@pytest.mark.parametrize("server_config", [SEES])
async def test_an_image_is_stored_only_with_the_prompt(call, scripted, server_config):
    scripted.script(WORDS)
    turn = (await call("POST", "generate", body(PLOT, shared=True) | {"storesPrompt": False})).data
    assert images_of(scripted.requests[-1]["body"]["messages"][-1]) == [PLOT]
    (item,) = items_of(turn)
    assert (await call("GET", f"blobs/{item['image']['sha256']}")).status == 404


@pytest.mark.parametrize(
    "changed",
    [{"sha256": "x"}, {"width": "64"}, {"size": -1}, {"media_type": "text/html"}, {"height": None}],
)
def test_facts_of_other_tools_are_left_out(changed):
    facts = {"media_type": "image/png", "width": 64, "height": 48, "size": 9, "sha256": "a" * 64}
    read = [stored_items([{"kind": "image", "image": image}]) for image in (facts, facts | changed)]
    assert [item.image is not None for (item,) in read] == [True, False]
    assert stored_items([{"kind": "image", "image": [1]}])[0].image is None
