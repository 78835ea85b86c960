"""Run cells in a kernel of a real Jupyter server, as JupyterLab runs them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient

from ..attacks.conftest import LiveServer


@dataclass
class Ran:
    """The reply to an execute request, and its outputs. A display is in its last state."""

    status: str = ""
    error: str = ""
    text: str = ""
    displays: dict[str, dict[str, Any]] = field(default_factory=dict)
    states: list[str] = field(default_factory=list)
    """The plain texts that displays had, one after the other."""

    @property
    def everything(self) -> str:
        return json.dumps(vars(self), ensure_ascii=False)

    @property
    def markdown(self) -> str:
        [data] = self.displays.values()
        return str(data.get("text/markdown", ""))

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """Take the content of one message."""
        if kind == "stream":
            self.text += content["text"]
        elif kind in ("display_data", "update_display_data"):
            self.displays[content["transient"]["display_id"]] = content["data"]
            self.states.append(content["data"]["text/plain"])
        elif kind == "error":
            self.error = "\n".join(content["traceback"])


class Kernel:
    """A notebook's kernel."""

    def __init__(self, live: LiveServer, kernel_id: str) -> None:
        self.live, self.id = live, kernel_id
        file = live.root.parent / "runtime" / f"kernel-{kernel_id}.json"
        self.client = BlockingKernelClient(connection_file=str(file))
        self.client.load_connection_file()
        # On a busy machine, a kernel that misses a heartbeat would count as dead.
        self.client.start_channels(hb=False)
        self.client.wait_for_ready(timeout=60)

    def send(self, code: str, cell_id: str | None = None) -> str:
        """Send an execute request; return its id. The page sends the id of the cell with it."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        metadata = {"cellId": cell_id} if cell_id else {}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def result(self, message_id: str, timeout: float = 60) -> Ran:
        """Wait until the cell has run."""
        ran = Ran()
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except Empty:
                continue
            if message["parent_header"].get("msg_id") != message_id:
                continue
            ran.take(message["msg_type"], message["content"])
            if message["content"].get("execution_state") == "idle":
                while True:
                    reply = self.client.get_shell_msg(timeout=10)
                    if reply["parent_header"].get("msg_id") == message_id:
                        ran.status = reply["content"]["status"]
                        return ran
        raise TimeoutError(ran.everything)

    def run(self, code: str, cell_id: str | None = None) -> Ran:
        """Run a cell."""
        return self.result(self.send(code, cell_id))


@contextmanager
def open_notebook(live: LiveServer, path: str, content: dict[str, Any]) -> Iterator[Kernel]:
    """Write a notebook, start its kernel and load the magics."""
    file = live.root / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content))
    session = {"path": path, "name": Path(path).name, "type": "notebook"}
    with live.client() as client:
        client.get("login")
        client.headers["X-XSRFToken"] = client.cookies.get("_xsrf", "")
        created = client.post("api/sessions", json=session | {"kernel": {"name": "python3"}}).json()
        kernel = Kernel(live, created["kernel"]["id"])
        try:
            assert kernel.run("%load_ext aiserver").status == "ok"
            yield kernel
        finally:
            kernel.client.stop_channels()
            client.delete(f"api/sessions/{created['id']}")


def notebook(notebook_id: str | None = None, *cell_ids: str) -> dict[str, Any]:
    """Return the content of a notebook with empty cells."""
    cell = {"cell_type": "code", "metadata": {}, "source": [], "outputs": []}
    cells = [cell | {"id": id_, "execution_count": None} for id_ in cell_ids]
    metadata = {"aiserver": {"notebook_id": notebook_id}} if notebook_id else {}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def wait_until_exists(file: Path, seconds: float = 20) -> None:
    """Wait until another process has written a file. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while not file.exists():
        if time.monotonic() > end:
            raise TimeoutError(file.name)
        time.sleep(0.05)
