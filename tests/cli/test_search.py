"""``jupyter aiserver search``: by words, author and run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aiserver.cli import main as cli
from tests.sharing.agents_demo import NOTEBOOK, OTHER_RUN, RUN, make

from .conftest import Result, tree

Search = Callable[..., Result]


@pytest.fixture
def search(work: Path, capsys: pytest.CaptureFixture[str]) -> Search:
    make(work)

    def _run(*arguments: str) -> Result:
        capsys.readouterr()
        status = cli.main(["search", *arguments])
        output = capsys.readouterr()
        return Result(status, output.out, output.err)

    return _run


def test_search_finds_agents_and_runs(search: Search, work: Path) -> None:
    before = tree(work / ".aiserver_sessions")
    done = search("by:codex")
    assert done.status == 0 and done.err == ""
    head, intent = done.out.splitlines()
    assert head.endswith("· Codex · run 3f2a0c4d · sales.ipynb · cell load")
    assert intent == "    Drop empty rows"
    assert search(f"run:{RUN[:8]}").out == done.out
    (hit,) = json.loads(search("by:agent", "plot", "--json").out)
    assert (hit["author"], hit["name"], hit["run"]) == ("agent", "Claude Code", OTHER_RUN)
    assert (hit["notebookId"], hit["turnId"]) == (NOTEBOOK, 1)
    assert "Read the sales" in search("by:me", "read_csv").out
    assert "3 results" in search("by:me", "by:agent", "--limit", "1").out
    none = search("by:gemini")
    assert (none.status, none.out) == (1, "")
    assert tree(work / ".aiserver_sessions") == before
