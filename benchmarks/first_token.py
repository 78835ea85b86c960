"""Measure the time that AI Server adds until the first token, compared to a bare HTTP request.

    python -m benchmarks.first_token

A scripted model, which answers at once, runs in a process of its own. Three clients call it one
after the other, each over a persistent connection, as a browser does:

- bare: an HTTP client, which sends exactly the bytes that AI Server sends;
- library: LangChain's package for the provider, with the same messages;
- AI Server: a client of a real Jupyter server, on cells with 4 and with 60 previous turns.

Although the model listens on loopback, it counts as remote, so that AI Server scans the messages
for secrets. The benchmark prints the times, and which part of the added time is due to the library
and which part to AI Server and Jupyter.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from aiserver.llm.policy import Access
from aiserver.llm.remote.langchain import create_chat_model
from aiserver.llm.streaming import stream_chunks
from aiserver.models import AIResponse, NewTurn, SessionKey, UserRequest, utc_now
from aiserver.sessions.file.manager import FileSessionManager
from tests.ports import ReservedPort

ROOT = Path(__file__).parent.parent
TURNS = (4, 60)  # the numbers of previous turns
ROUNDS = 100
WARM_UP = 10  # the number of rounds at the beginning that aren't measured
EACH = 5  # the number of requests for one cell
CODE = """\
import pandas as pd

sales = pd.read_csv("sales_{number}.csv", parse_dates=["date"])
sales = sales.merge(stores, on="store_key", how="left")
monthly = (
    sales.assign(month=sales["date"].dt.to_period("M"))
    .groupby(["region", "month"])["amount"]
    .sum()
    .reset_index()
)
for region, rows in sorted(monthly.groupby("region"), key=lambda pair: pair[0]):
    print(region, rows["amount"].mean())
monthly.head({number})"""
ANSWER = {"chunks": ["```python\nimport pandas as pd\n", "x = 1\n", "```"]}


def first(client: httpx.Client, url: str, body: Any, sign: str, headers: dict[str, str]) -> float:
    """Return the milliseconds until the first line of the response that contains ``sign``."""
    started = time.perf_counter()
    elapsed = 0.0
    with client.stream("POST", url, json=body, headers=headers, timeout=60) as response:
        for line in response.iter_lines():
            if not elapsed and sign in line:
                elapsed = (time.perf_counter() - started) * 1000
    if not elapsed:
        raise SystemExit(f"{url} gave no token ({response.status_code})")
    return elapsed


def request_with(intent: str, requests: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the request of a cell; a summary of its older turns may be asked for meanwhile."""
    return next(item for item in requests if intent in item["body"]["messages"][-1]["content"])


def server(folder: Path, model: str, port: int) -> subprocess.Popen[bytes]:
    """Start a Jupyter server with AI Server, configured for the model at the URL ``model``."""
    config: dict[str, dict[str, Any]] = {
        "ServerApp": {"jpserver_extensions": {"aiserver": True}, "port": port, "port_retries": 0},
        "IdentityProvider": {"token": "", "password_required": False},
        "AIServer": {"model": "openai:scripted"},
        "ModelRegistry": {"model_options": {"base_url": f"{model}/v1", "api_key": "none"}},
    }
    config["ServerApp"] |= {"disable_check_xsrf": True, "root_dir": str(folder)}
    (folder / "jupyter_server_config.json").write_text(json.dumps(config))
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = os.environ | dict.fromkeys(names, str(folder))
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"]
    return subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL)


class Times(NamedTuple):
    """The milliseconds until the first token, for each client."""

    bare: float
    library: float
    ours: float


async def seed(folder: Path) -> None:
    """Store the sessions of the cells that the benchmark uses."""
    store = FileSessionManager(root=str(folder))
    for turns in TURNS:
        first_cell = SessionKey("nb", f"c{turns}-0")
        for number in range(turns):
            turn = NewTurn(
                timestamp=utc_now(),
                user_request=UserRequest(
                    intent=f"average per region, of file {number}",
                    current_code=CODE.format(number=number - 1) if number else "",
                    language="python",
                ),
                ai_response=AIResponse(
                    suggestion=CODE.format(number=number),
                    explanation="",
                    status="success",
                    error=None,
                ),
                mode="generate",
                model="openai:scripted",
            )
            await store.save_interaction(first_cell, turn)
        for cell in range(1, 1 + (WARM_UP + ROUNDS) // EACH):
            await store.fork(first_cell, SessionKey("nb", f"c{turns}-{cell}"))
    await store.close()


def main() -> None:
    """Run the benchmark and print the results."""
    command = [sys.executable, "-m", "tests.scripted_model"]
    model = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert model.stdout is not None
    with (
        ReservedPort() as reserved,
        tempfile.TemporaryDirectory() as place,
        httpx.Client(trust_env=False) as client,
    ):
        port = reserved.number
        address = model.stdout.readline().strip()
        asyncio.run(seed(Path(place)))
        jupyter = server(Path(place), address, port)
        try:
            bench = Bench(client, address, f"http://127.0.0.1:{port}/aiserver")
            for turns in TURNS:
                print_result(turns, bench.measure(turns))
        finally:
            for process in (jupyter, model):
                process.terminate()
                process.wait(20)


class Bench:
    """The three clients, which request an answer from the same model."""

    def __init__(self, client: httpx.Client, model: str, api: str) -> None:
        self._client, self._model, self._api = client, model, api
        self._loop = asyncio.new_event_loop()
        access = Access(f"{model}/v1", "none")
        self._library = create_chat_model("openai", "scripted", {}, access)
        for _ in range(600):
            try:
                client.get(f"{api}/health")
                break
            except httpx.TransportError:
                time.sleep(0.1)

    def measure(self, turns: int) -> list[Times]:
        """Return the times of each round, on cells with a number of previous turns."""
        return [self._round(f"c{turns}-{n // EACH}") for n in range(WARM_UP + ROUNDS)][WARM_UP:]

    def _round(self, cell: str) -> Times:
        """Let each client request an answer: AI Server first, then the others for its messages."""
        client = self._client
        client.delete(f"{self._model}/requests")
        client.post(
            f"{self._model}/script", json=[ANSWER] * 6
        )  # also for summaries, which come at any time
        events = {"Accept": "text/event-stream"}
        body = {"notebookId": "nb", "cellId": cell, "intent": "count the rows", "source": "x = 1"}
        ours = first(client, f"{self._api}/generate", body, "event: token", events)
        sent = request_with(body["intent"], client.get(f"{self._model}/requests").json())
        chat = f"{self._model}/v1/chat/completions"
        bare = first(client, chat, sent["body"], "import", {})
        library = self._loop.run_until_complete(self._first_of_library(sent["body"]["messages"]))
        return Times(bare, library, ours)

    async def _first_of_library(self, sent: list[dict[str, str]]) -> float:
        """Return the milliseconds until the library's first token, for the messages ``sent``."""
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

        kinds = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
        messages = [kinds[item["role"]](item["content"]) for item in sent]
        elapsed = 0.0
        started = time.perf_counter()
        async for chunk in stream_chunks(self._library, messages, {}):
            if not elapsed and chunk.text:
                elapsed = (time.perf_counter() - started) * 1000
        return elapsed


def print_result(turns: int, times: list[Times]) -> None:
    """Print the medians and the 10th percentiles (“quickest tenth”).

    Other load on the machine has less effect on the 10th percentiles.
    """
    for name, quantile in (("median", 0.5), ("quickest tenth", 0.1)):
        columns = zip(*times, strict=True)
        bare, library, ours = (sorted(column)[int(quantile * len(times))] for column in columns)
        print(f"first token after {turns} turns, {name} of {len(times)}:")
        print(f"  bare {bare:.1f} ms, library {library:.1f} ms, AI Server {ours:.1f} ms;")
        print(f"  added: the library's {library - bare:.1f} ms, ours {ours - library:.1f} ms")


if __name__ == "__main__":
    main()
