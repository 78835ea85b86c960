"""P28: a request of ``%%ai`` belongs to the notebook that its file is now."""

from __future__ import annotations

from typing import Any, cast

from aiserver.plugins.magics.session import _notebook_id
from aiserver.running_servers.client import Server


class ServerWithOneNotebook:
    """A server that gives each notebook the id in its file."""

    url = "http://localhost:1/"

    def __init__(self) -> None:
        self.id, self.changes, self.registered = "first", 0, 0

    def get(self, path: str, **_: str) -> dict[str, Any]:
        content = {"metadata": {"aiserver": {"notebook_id": self.id}}, "cells": []}
        return {"last_modified": str(self.changes), "content": content}

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self.registered += 1
        return {"notebookId": body["notebookId"]}


def test_another_version_of_the_file_may_be_another_notebook() -> None:
    server = ServerWithOneNotebook()

    def ask() -> str:
        return _notebook_id(cast("Server", server), "n.ipynb", "0")

    assert [ask(), ask()] == ["first", "first"]
    assert server.registered == 1
    server.id, server.changes = "second", 1  # for example after a checkout in git
    assert ask() == "second"
