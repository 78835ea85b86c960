"""A real R kernel, and the calls of the page in it."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import start_new_kernel

from aiserver.kernel.bundle import bundle_r

RESULT = "application/vnd.aiserver.result"


class RKernel:
    """Runs code as the person (``run``) and as the page (``call``)."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, code: str) -> str:
        """Run a cell, and return the text that it prints."""
        messages, reply = self._execute(code, silent=False)
        errors = [m["content"] for m in messages if m["msg_type"] == "error"]
        assert reply["status"] == "ok" and not errors, errors
        return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")

    def call(self, call: str) -> Any:
        """Send a call as the page does, and return its result."""
        messages, reply = self._execute(bundle_r().replace("__CALL__", call), silent=True)
        assert reply["status"] == "ok", reply
        types = [m["msg_type"] for m in messages]
        assert types == ["status", "execute_input", "display_data", "status"]
        return json.loads(base64.b64decode(messages[2]["content"]["data"][RESULT]))

    def items(self) -> dict[str, Any]:
        """Return the items of the data view by name."""
        return {item["name"]: item for item in self.call("list_data(variables)")["items"]}

    def columns(self, name: str) -> dict[str, Any]:
        """Return the profiles of a variable's columns by name."""
        columns: list[dict[str, Any]] = []
        first: int | None = 0
        while first is not None:  # a slow machine needs several calls
            result = self.call(f'profile_columns(variables, "{name}", {first}, 5000)')
            columns += result["columns"]
            assert result["next"] is None or result["next"] > first
            first = result["next"]
        return {column["name"]: column for column in columns}

    def _execute(self, code: str, *, silent: bool) -> tuple[list[Any], Any]:
        request = self._client.execute(code, silent=silent, store_history=not silent)
        messages: list[Any] = []
        while not messages or messages[-1]["content"].get("execution_state") != "idle":
            message = self._client.get_iopub_msg(timeout=30)
            if message["parent_header"].get("msg_id") == request:
                messages.append(message)
        while True:
            reply = self._client.get_shell_msg(timeout=30)
            if reply["parent_header"].get("msg_id") == request:
                return messages, reply["content"]


@pytest.fixture(scope="session")
def session_kernel() -> Iterator[RKernel]:
    """Start an R kernel."""
    if "ir" not in KernelSpecManager().find_kernel_specs():
        pytest.skip("no R kernel: r-cran-irkernel")
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    manager, client = start_new_kernel(kernel_name="ir", env=environment)
    yield RKernel(client)
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture
def r(session_kernel: RKernel) -> RKernel:
    """Remove the variables of the R kernel."""
    session_kernel.run("base::rm(list = base::ls(base::globalenv()), envir = base::globalenv())")
    return session_kernel
