"""A Jupyter server with AI Server, called as the frontend calls it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.ports import ReservedPort

REQUEST_TIMEOUT = 600  # seconds without an event


@dataclass(frozen=True)
class Answer:
    """The answer to one request."""

    code: str
    seconds: float
    tokens: int
    """The tokens of the prompt and of the answer, as the provider counts them."""
    error: str | None = None
    """The error of the request, such as ``bad_answer``."""
    turn_id: int = 1
    words: str = ""
    """The explanation, or the answer in words."""
    first_seconds: float = 0.0
    """The seconds until the first text; 0 if there was none."""


class Server:
    """A context manager that runs the server, with ``folder`` as the folder of its notebooks."""

    def __init__(self, folder: Path, threads: int, model: str) -> None:
        self._token = secrets.token_hex(16)
        self._reserved = ReservedPort()
        port = self._reserved.number
        command = [sys.executable, "-m", "jupyter", "server", "--no-browser", "--allow-root"]
        command += [
            f"--port={port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={folder}",
            "--ServerApp.jpserver_extensions=aiserver=True",
            f"--ModelRegistry.local_threads={threads}",
        ]
        if model:
            command += [f"--AIServer.model={model}"]
        self._log = (folder / "server.log").open("wb")
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "JUPYTER_TOKEN": self._token},
            stdout=self._log,
            stderr=self._log,
        )
        self._http = httpx.Client(
            base_url=f"http://127.0.0.1:{port}/aiserver",
            headers={"Authorization": f"token {self._token}"},
            timeout=REQUEST_TIMEOUT,
            trust_env=False,
        )

    def __enter__(self) -> Server:
        deadline = time.monotonic() + 60
        while True:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"The server did not start; see {self._log.name}")
            with contextlib.suppress(httpx.HTTPError):
                if self._http.get("/health").status_code == 200:
                    return self
            time.sleep(0.2)

    def __exit__(self, *exc: object) -> None:
        self._http.close()
        self._process.terminate()
        self._process.wait(30)
        self._reserved.release()
        self._log.close()

    @property
    def model(self) -> dict[str, Any]:
        """The default model, which must be ready."""
        listed = self._http.get("/models").json()
        for model in listed["models"]:
            if model["id"] == listed.get("default") and model["ready"]:
                return dict(model)
        raise SystemExit("No model answers. Run: jupyter aiserver model install")

    @property
    def is_small(self) -> bool:
        """Whether the default model gets short prompts."""
        return bool(self.model["small"])

    def remember(self, text: str) -> None:
        """Add an entry to the memory of the project, which is in the folder of the notebooks."""
        body = {"scope": "project", "text": text}
        self._http.post("/memory", json=body).raise_for_status()

    def warm_up(self, body: dict[str, Any]) -> None:
        """Have the model read a request's cell before the person has typed anything."""
        body = {name: value for name, value in body.items() if name != "intent"}
        self._http.post("/models/warm-up", json=body).raise_for_status()

    def processor_seconds(self) -> float:
        """Return the processor time of the server and its local models since the start."""
        server = psutil.Process(self._process.pid)
        times = [process.cpu_times() for process in (server, *server.children(recursive=True))]
        return float(sum(time.user + time.system for time in times))

    def ask(self, body: dict[str, Any]) -> Answer:
        """Send one request, and return its answer when the stream has ended."""
        started = time.monotonic()
        code, words, received, error, turn_id, tokens = "", "", "", None, 1, 0
        first_seconds = 0.0
        headers = {"Accept": "text/event-stream"}
        with self._http.stream("POST", "/generate", json=body, headers=headers) as response:
            response.raise_for_status()
            for kind, data in _events(response.iter_lines()):
                if kind == "token":
                    first_seconds = first_seconds or time.monotonic() - started
                    received += data["text"] if data["part"] == "code" else ""
                elif kind == "done":
                    turn = data.get("interaction", data)
                    response, turn_id = turn["ai_response"], turn["turn_id"]
                    code, words = response["suggestion"], response["explanation"]
                    tokens = (turn.get("usage") or {}).get("total_tokens", 0)
                elif kind == "error":
                    error, code = data["code"], received
        seconds = time.monotonic() - started
        return Answer(code, seconds, tokens, error, turn_id, words, first_seconds)


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Parse server-sent events; yield the type and the data of each."""
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            yield kind, json.loads(line[6:])
