"""What AI Server adds to the time until the first token, over asking the same model bare.

    python benchmarks/first_token.py

One scripted model, in a process of its own, answers at once. It is asked in turn by an HTTP client,
with the very bytes that AI Server sends, and by a client of a real Jupyter server, on cells with up
to four turns behind them. Both hold a connection open, as a browser does. Prints both medians, what
lies between them, and the ratio.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parent.parent
ROUNDS = 200
WARM_UP = 20
ANSWER = {"chunks": ["```python\nimport pandas as pd\n", "x = 1\n", "```"]}


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def first(client: httpx.Client, url: str, body: Any, sign: str, headers: dict[str, str]) -> float:
    """Milliseconds from the request to the first line that holds ``sign``."""
    began = time.perf_counter()
    took = 0.0
    with client.stream("POST", url, json=body, headers=headers, timeout=60) as response:
        for line in response.iter_lines():
            if not took and sign in line:
                took = (time.perf_counter() - began) * 1000
    if not took:
        raise SystemExit(f"{url} gave no token ({response.status_code})")
    return took


def server(folder: Path, model: str, port: int) -> subprocess.Popen[bytes]:
    """A Jupyter server with AI Server on it, set to that model."""
    config = {
        "ServerApp": {"jpserver_extensions": {"aiserver": True}, "port": port, "token": ""},
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


def main() -> None:
    """Measure and print."""
    command = [sys.executable, "-m", "tests.scripted_model"]
    model = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert model.stdout is not None
    port = free_port()
    with tempfile.TemporaryDirectory() as place, httpx.Client(trust_env=False) as client:
        address = model.stdout.readline().strip()
        jupyter = server(Path(place), address, port)
        try:
            print_result(*measure(client, address, f"http://127.0.0.1:{port}/aiserver"))
        finally:
            for process in (jupyter, model):
                process.terminate()
                process.wait(20)


def measure(client: httpx.Client, model: str, api: str) -> tuple[list[float], list[float]]:
    """The times of both ways, in milliseconds, taken in turn."""
    for _ in range(600):
        try:
            client.get(f"{api}/health")
            break
        except httpx.TransportError:
            time.sleep(0.1)
    events = {"Accept": "text/event-stream"}
    body = {"notebookId": "nb", "cellId": "c0", "intent": "count the rows", "source": "x = 1"}

    def ask(cell: str) -> float:
        client.post(f"{model}/script", json=[ANSWER])
        wanted = "event: token"
        return first(client, f"{api}/generate", body | {"cellId": cell}, wanted, events)

    for _ in range(5):
        ask("c0")
    [*_, sent] = client.get(f"{model}/requests").json()
    ours, bare = [], []
    for number in range(WARM_UP + ROUNDS):
        cell = f"c{1 + number // 5}"  # with up to four turns behind it
        ours.append(ask(cell))
        client.post(f"{model}/script", json=[ANSWER])
        bare.append(first(client, f"{model}/v1/chat/completions", sent["body"], "import", {}))
        client.delete(f"{model}/requests")
    return ours[WARM_UP:], bare[WARM_UP:]


def print_result(ours: list[float], bare: list[float]) -> None:
    """Medians, their difference, and the ratio."""
    through, alone = statistics.median(ours), statistics.median(bare)
    apart = statistics.median(a - b for a, b in zip(ours, bare, strict=True))
    print(f"first token, median of {len(ours)}: bare {alone:.1f} ms, AI Server {through:.1f} ms")
    print(f"added: {apart:.1f} ms (ratio {through / alone:.1f})")


if __name__ == "__main__":
    main()
