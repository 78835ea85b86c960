"""P16: passwords in the words of cells and files are redacted like those in a request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiserver.generation.past_turns import before_request
from aiserver.sessions.record.mutations import number_turn
from aiserver.testing.records import turn

from ..conftest import request

PASSWORD = "Summer_24"  # in code, it could be the name of a variable
WORDS = f"Log in as bob, the password is {PASSWORD} for all."
CODE = {"text": "```python\nx = 1\n```"}


def sent(scripted: Any) -> str:
    return json.dumps(scripted.requests[-1]["body"], ensure_ascii=False)


def stored(root: Path) -> str:
    files = [path for path in (root / ".aiserver_sessions").rglob("*") if path.is_file()]
    assert files
    return "\n".join(path.read_text("utf-8", "replace") for path in files)


@pytest.mark.parametrize("cell_type", ["markdown", "raw"])
async def test_a_password_in_a_cell_above_is_hidden(call, scripted, remote_model, cell_type):
    """P16: also if the request mentions the cell."""
    scripted.script(CODE)
    cell = {"cellId": "c0", "cellType": cell_type, "source": WORDS}
    mention = {"kind": "cell", "name": "@cell1", "cellId": "c0", "source": WORDS}
    context = {"cells": [cell], "mentions": [mention]}
    await call("POST", "generate", request("as in @cell1", context=context))
    assert "Log in as bob" in sent(scripted) and PASSWORD not in sent(scripted)


@pytest.mark.parametrize("cell_type", ["markdown", "raw"])
async def test_a_password_in_the_words_of_the_cell_is_neither_sent_nor_stored(
    call, scripted, remote_model, jp_root_dir, cell_type
):
    """P16: nor in later turns; the person gets it back."""
    scripted.script({"text": f"```markdown\nThe password is {PASSWORD}.\n```"})
    ask = request("shorter", source=WORDS, cellType=cell_type)
    reply = await call("POST", "generate", ask)
    assert PASSWORD in reply.data["ai_response"]["suggestion"]
    await call("POST", "generate", ask)
    assert "Log in as bob" in sent(scripted) and PASSWORD not in sent(scripted)
    assert "Log in as bob" in stored(jp_root_dir)
    assert PASSWORD not in stored(jp_root_dir)


async def test_a_password_in_a_file_of_settings_is_hidden(
    call, scripted, remote_model, jp_root_dir
):
    """P16: code isn't prose, so that names of variables stay."""
    (jp_root_dir / "db.ini").write_text(f"[db]\nhost = h\npassword = {PASSWORD}\n")
    (jp_root_dir / "a.py").write_text("run(password=password_2)\n")
    mentions = [
        {"kind": "file", "name": f"@{name}", "file": name, "shared": True}
        for name in ("db.ini", "a.py")
    ]
    scripted.script(CODE)
    ask = request("read @db.ini as @a.py", notebookPath="n.ipynb", context={"mentions": mentions})
    await call("POST", "generate", ask)
    assert "host = h" in sent(scripted) and PASSWORD not in sent(scripted)
    assert "password=password_2" in sent(scripted)


async def test_the_words_below_a_magic_are_not_stored(call, scripted, remote_model, jp_root_dir):
    """P16: such a cell contains the request."""
    scripted.script(CODE)
    await call("POST", "generate", request(WORDS, source=f"%%ai\n{WORDS}"))
    assert "Log in as bob" in stored(jp_root_dir)
    assert PASSWORD not in stored(jp_root_dir) and PASSWORD not in sent(scripted)


def test_the_attempts_at_a_request_about_prose_are_recognised() -> None:
    """In the stored attempts, passwords are redacted."""
    attempt = turn("shorter")
    attempt.user_request.current_code, attempt.user_request.language = WORDS, "markdown"
    stored_attempt = number_turn(attempt, 1, 1)
    assert PASSWORD not in stored_attempt.user_request.current_code
    assert before_request([stored_attempt], "shorter", WORDS) == []
