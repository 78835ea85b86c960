"""Each provider's own LangChain package: streaming, usage, errors, finish reasons.

The packages are real; the servers are played, each in its provider's own words.
"""

from __future__ import annotations

import base64
import json

import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from aiserver import errors
from aiserver.llm.base import Delta, ModelInfo
from aiserver.llm.registry import _SEND_FINISH_REASON
from aiserver.llm.remote.model import RemoteModel
from aiserver.llm.streaming import Limits
from aiserver.prompts.images import with_images
from aiserver.prompts.prompt_input import MentionedText
from aiserver.requests import OutputImage

from ..images import png
from ..scripted_wires import KEY, USAGE, WIRES, Answer, Waits, WireServer, given

ASK: list[BaseMessage] = [SystemMessage("rules"), HumanMessage("hello")]
IMAGE = base64.b64encode(png(3, 2)).decode()
PIECES = ["```python\n", "x = 1", "\n```"]
CUT = {"anthropic": "max_tokens", "google_genai": "MAX_TOKENS"}  # the others say "length"

pytestmark = [
    pytest.mark.parametrize("provider", WIRES),
    # Google's own client does what its HTTP library advises against.
    pytest.mark.filterwarnings("ignore:Inheritance class Aiohttp:DeprecationWarning"),
]


class Asked:
    """A model and the server behind it."""

    def __init__(self, provider: str, server: WireServer) -> None:
        self.server = server
        self.waited = Waits()
        limits = Limits(20, 10_000, provider in _SEND_FINISH_REASON)
        info = ModelInfo(f"{provider}:m", "m", True)
        access = given(server.address)
        self.model = RemoteModel(info, {}, limits, access=access, max_tokens=99, sleep=self.waited)

    async def take(self, messages: list[BaseMessage] = ASK) -> list[Delta]:
        """The whole answer."""
        return [delta async for delta in self.model.stream(messages, language="python")]


@pytest.fixture
def asked(provider, jp_asyncio_loop):
    with WireServer(provider) as server:
        asked = Asked(provider, server)
        yield asked
        jp_asyncio_loop.run_until_complete(asked.model.close())


async def test_streams_text_and_usage(asked: Asked, provider: str):
    asked.server.answers.append(Answer(PIECES))
    deltas = await asked.take()
    assert "".join(delta.text for delta in deltas) == "".join(PIECES)
    read, written = USAGE
    assert deltas[-1].usage == {
        "input_tokens": read,
        "output_tokens": written,
        "total_tokens": read + written,
    }
    (request,) = asked.server.requests
    assert KEY in " ".join(request["headers"].values())
    assert "99" in str(request["body"])  # the cap on tokens (P17)
    assert "hello" in str(request["body"]) and "rules" in str(request["body"])


async def test_thoughts_are_no_text(asked: Asked, provider: str):
    """P51: each provider sends them in its own form, which some packages leave out."""
    asked.server.answers.append(Answer(PIECES, thoughts="First:\n```python\ndf\n```"))
    deltas = await asked.take()
    assert "".join(delta.text for delta in deltas) == "".join(PIECES)
    thoughts = "".join(delta.thoughts or "" for delta in deltas)
    is_left_out = provider in ("openai", "ollama")
    assert thoughts == ("" if is_left_out else "First:\n```python\ndf\n```")


async def test_no_proxy_is_used_on_this_machine(asked: Asked, monkeypatch: pytest.MonkeyPatch):
    """P4: a proxy may be on another machine."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "openai_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv(name.upper(), "http://127.0.0.1:9")
    asked.server.answers.append(Answer(PIECES))
    assert "".join(delta.text for delta in await asked.take()) == "".join(PIECES)


async def test_an_image_is_sent_once(asked: Asked):
    """P43: each package translates LangChain's content blocks into its provider's words."""
    asked.server.answers.append(Answer(PIECES))
    mention = MentionedText("@output", images=(OutputImage(data=IMAGE),))
    await asked.take([*ASK[:-1], with_images(ASK[-1], [mention])])
    (request,) = asked.server.requests
    sent = json.dumps(request["body"]).replace("-", "+").replace("_", "/")  # Google's alphabet
    assert sent.count(IMAGE) == 1 and sent.count("hello") == 1
    assert sent.index("hello") < sent.index(IMAGE)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, errors.ModelAuthFailed),
        (403, errors.ModelForbidden),
        (404, errors.ModelUnknown),
        (400, errors.RequestRefused),
    ],
)
async def test_errors_are_translated(asked: Asked, provider: str, status: int, kind: type):
    """P8, P31: to the right sentence, with none of the provider's words, after one request."""
    asked.server.answers.append(Answer(status=status, message=f"canary-message {KEY}"))
    with pytest.raises(errors.ModelError) as caught:
        await asked.take()
    assert type(caught.value) is kind
    assert caught.value.provider == provider
    assert "canary" not in caught.value.message
    assert len(asked.server.requests) == 1


async def test_a_requested_wait_is_respected(asked: Asked, provider: str):
    """P31: as long as it says, and no library asks again behind our back."""
    asked.server.answers += [
        Answer(status=429, headers={"Retry-After": "7"}),
        Answer(status=503),
        Answer(PIECES),
    ]
    deltas = await asked.take()
    assert "".join(delta.text for delta in deltas) == "".join(PIECES)
    # Ollama's client keeps the header to itself.
    assert asked.waited == [1.0 if provider == "ollama" else 7.0, 2.0]
    assert len(asked.server.requests) == 3


async def test_an_answer_cut_by_the_provider_is_reported(asked: Asked, provider: str):
    """P17"""
    asked.server.answers.append(Answer(PIECES, reason=CUT.get(provider, "length")))
    with pytest.raises(errors.BadAnswer, match="cut off"):
        await asked.take()


@pytest.mark.parametrize("frames", range(1, 5))
async def test_a_stream_that_breaks_off_is_never_the_whole(
    asked: Asked, provider: str, frames: int
):
    """P32: wherever it breaks, and it is asked for again only where nothing had come."""
    asked.server.answers += [Answer(["a", "b", "c", "d", "e", "f"], cut_after=frames)] * 3
    with pytest.raises(errors.ModelError):
        await asked.take()
