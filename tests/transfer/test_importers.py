"""Importers read histories of other programs completely."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path, PurePath
from typing import Any

import pytest

from aiserver.models import Session
from aiserver.plugins.sessions import backup
from aiserver.plugins.sessions.importers import detect
from aiserver.plugins.sessions.importers.base import NO_TIME, InputFile, ReadResult, UnreadableInput
from aiserver.plugins.sessions.importers.chats import split_answer
from aiserver.sessions.record import codec
from aiserver.testing.records import EXAMPLE_FILE

from ..cli.conftest import IMPORTS

PATTERNS = (
    "nanobot-*/*.jsonl",
    "*chat*/*.chat",
    "pcai/*",
    "agentscope-legacy/*",
    "agentscope/*/*.jsonl",
)
CHATS = [file for pattern in PATTERNS for file in sorted(IMPORTS.glob(pattern))]


def source_of(file: Path, data: bytes | None = None, **more: Any) -> InputFile:
    data = file.read_bytes() if data is None else data
    return InputFile(PurePath(file.parent.name) / file.name, data, **more)


def read(name: str, content: Any, *, format_: str | None = None, **more: Any) -> ReadResult:
    """Read a file with this content: bytes, lines, or JSON."""
    if isinstance(content, bytes):
        data = content
    elif name.endswith(".jsonl"):
        data = b"".join(json.dumps(line).encode() + b"\n" for line in content)
    else:
        data = json.dumps(content).encode()
    return detect.read(InputFile(PurePath(name), data, **more), format_)


def messages_in(content: Any) -> list[dict[str, Any]]:
    """Return all messages in nested content, in order."""
    if isinstance(content, list):
        return [message for item in content for message in messages_in(item)]
    if isinstance(content, dict):
        if {"role", "content"} <= content.keys() or {"sender", "body"} <= content.keys():
            return [content]
        return messages_in(list(content.values()))
    return []


def loaded(file: Path) -> Any:
    text = file.read_text("utf-8")
    return (
        [json.loads(line) for line in text.splitlines()]
        if file.suffix == ".jsonl"
        else (json.loads(text))
    )


def original_messages(session: Session) -> list[Any]:
    """Return the original messages that an imported session contains."""
    messages = []
    for item in session.ordered():
        fields = codec.to_dict(item)
        messages += (fields.get("imported") or fields["data"]["imported"])["messages"]
    return messages


def text_of(message: dict[str, Any]) -> str:
    text = message.get("body", message.get("content"))
    return text if isinstance(text, str) else "\n".join(part["text"] for part in text)


@pytest.mark.parametrize("file", CHATS, ids=lambda file: f"{file.parent.name}/{file.stem[:20]}")
def test_each_message_of_a_real_chat_is_imported_exactly(file: Path):
    result = detect.read(source_of(file))
    assert not result.unreadable
    session = max(result.sessions, key=lambda item: len(item.interactions))
    expected = messages_in(loaded(file))
    assert original_messages(session) == expected
    intents = [text_of(message) for message in expected[::2]]
    assert [turn.user_request.intent for turn in session.interactions] == intents
    for turn, message in zip(session.interactions, expected[1::2], strict=True):
        answer = turn.ai_response
        text = text_of(message)
        assert answer.status == "success"
        assert answer.suggestion in text and answer.explanation in text
        # Only the fence and the line breaks around it are missing.
        rest = text.replace(answer.suggestion, "").replace(answer.explanation, "")
        assert set(rest) <= set("`python\n")


@pytest.mark.parametrize("file", CHATS, ids=lambda file: f"{file.parent.name}/{file.stem[:20]}")
def test_a_truncated_file_is_imported_up_to_the_damage(file: Path):
    """P22: complete lines are imported; an unreadable file has a reason."""
    data = file.read_bytes()
    for end in sorted({*range(0, len(data), max(1, len(data) // 60)), len(data) - 1}):
        try:
            result = detect.read(source_of(file, data[:end]))
        except UnreadableInput as reason:
            assert str(reason)
            assert not complete_messages(file, data[:end])
        else:
            imported = [
                message for session in result.sessions for message in original_messages(session)
            ]
            assert imported[: len(complete_messages(file, data[:end]))] == complete_messages(
                file, data[:end]
            )


def complete_messages(file: Path, data: bytes) -> list[Any]:
    if file.suffix != ".jsonl":
        return []
    values = []
    for line in data.split(b"\n"):
        try:
            values.append(json.loads(line))
        except ValueError:
            continue
    return messages_in(values)


def verdant(**more: Any) -> tuple[dict[str, Any], ReadResult]:
    file = IMPORTS / "verdant" / "houses_kc.ipyhistory"
    return json.loads(file.read_bytes()), detect.read(source_of(file, **more))


def test_each_version_of_a_verdant_cell_is_imported_in_order():
    content, result = verdant()
    assert not result.unreadable
    records = content["codeCells"] + content["markdownCells"]
    expected = {
        f"{record['artifact_name']}.{number}": version.get("literal", version.get("markdown", ""))
        for record in records
        for number, version in enumerate(record["versions"])
    }
    edits = [
        event
        for session in result.sessions
        for event in session.events or []
        if event.type == "edit"
    ]
    assert {event.data["name"]: event.source for event in edits} == expected
    assert len(edits) == len(expected) == 126 + 17
    for session in result.sessions:
        times = [event.timestamp for event in session.events or []]
        assert times == sorted(times)
        assert [event.seq for event in session.events or []] == list(range(1, len(times) + 1))


def test_runs_from_verdant_have_their_outputs():
    content, result = verdant()
    runs = [
        event
        for session in result.sessions
        for event in session.events or []
        if event.type == "run"
    ]
    outputs = [json.dumps(output) for event in runs for output in event.data["outputs"]]
    expected = {
        json.dumps(version) for record in content["output"] for version in record["versions"]
    }
    assert expected <= set(outputs)
    edited = {"edited"}
    executed = {
        target["cell"]
        for checkpoint in content["checkpoints"]
        for target in checkpoint["targetCells"]
        if "output" in target and target["changeType"] in edited
    }
    assert executed <= {event.data["name"] for event in runs}


def test_verdant_cells_get_the_ids_of_the_notebook_next_to_them():
    notebook = json.loads((IMPORTS / "verdant" / "houses_kc.ipynb").read_bytes())
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"
    notebook["metadata"]["aiserver"] = {"notebook_id": "houses"}
    _, result = verdant(notebook=json.dumps(notebook).encode())
    assert {session.meta.notebook_id for session in result.sessions} == {"houses"}
    sources = {f"cell-{n}": "".join(cell["source"]) for n, cell in enumerate(notebook["cells"])}
    identified = [session for session in result.sessions if session.meta.cell_id in sources]
    # All cells that weren't changed after Verdant's last checkpoint.
    assert len(identified) >= 18
    for session in identified:
        edits = [event for event in session.events or [] if event.type == "edit"]
        assert edits[-1].source == sources[session.meta.cell_id]


def test_a_cell_of_changed_type_is_imported_as_a_single_cell():
    _, result = verdant()
    groups = [
        {event.data["name"].split(".")[0] for event in session.events or []}
        for session in result.sessions
    ]
    assert {"c", "m"} in groups
    assert len(result.sessions) == 25


@pytest.mark.parametrize(
    ("text", "code", "explanation"),
    [
        ("no code at all", "", "no code at all"),
        ("```python\nx = 1\n```", "x = 1", ""),
        ("before\n```\nx = 1\n```\nafter", "x = 1", "before\nafter"),
        ("```py\na = 1\n```\nand\n```python\nprint(a)\n```", "a = 1\n\nprint(a)", "and"),
        ("```js\nlet a;\n```\n```python\na\n```", "let a;", "```python\na\n```"),
        ("<think>\n```r\nb\n```\n</think>\n```python\na\n```", "a", ""),
        ("```python\na\n```\n```bash\nls\n```", "a", "```bash\nls\n```"),
        ("```text\n42\n```\n```python\na\n```", "a", "```text\n42\n```"),
        ('````python\ns = "```"\n```\n````', 's = "```"\n```', ""),
        ("```python\nnot closed", "not closed", ""),
        ("~~~python\nx\n~~~", "x", ""),
        ("a `` b", "", "a `` b"),
        ("改成柱状图：\r\n```python\r\n画()\r\n```", "画()", "改成柱状图："),
    ],
)
def test_answers_are_split_into_code_and_explanation(text: str, code: str, explanation: str):
    answer, _ = split_answer(text)
    assert (answer.code, answer.explanation) == (code, explanation)


def test_the_language_is_read_from_the_fence():
    assert split_answer("```R\nplot(x)\n```")[1] == "r"
    assert split_answer("```output\n1\n```\n```jl\nx\n```")[1] == "julia"
    assert split_answer("```\nx\n```")[1] == "python"


def test_thoughts_are_stored_without_secrets():
    """P16, P51"""
    key = "sk-" + "proj-" + "a1B2c3D4e5" * 4
    answer = f"<think>The key is {key}.</think>\n```python\nx = 1\n```"
    lines = [{"role": "user", "content": "go"}, {"role": "assistant", "content": answer}]
    (session,) = read("cli_1.jsonl", [{"_type": "metadata", "key": "cli:1"}, *lines]).sessions
    (turn,) = session.interactions
    assert turn.ai_response.thoughts is not None
    assert turn.ai_response.thoughts.startswith("The key is ‹redacted")
    assert key not in str(session.to_dict())


def test_messages_without_a_counterpart_are_imported():
    lines = [
        {"_type": "metadata", "key": "cli:1", "created_at": "2026-01-01T10:00:00"},
        {"role": "system", "content": "be kind"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "first, never answered"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "画图"}, {"type": "image", "url": "x"}],
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        {"role": "assistant", "content": "```python\nplot()\n```"},
        {"role": "user", "content": "the last one"},
        {"_type": "provider_state", "provider": "x"},
    ]
    (session,) = read("cli_1.jsonl", lines).sessions
    assert original_messages(session) == lines[1:]
    unanswered, answered, last = session.interactions
    assert [turn.ai_response.status for turn in session.interactions] == [
        "cancelled",
        "success",
        "cancelled",
    ]
    assert unanswered.user_request.intent == "first, never answered"
    assert answered.user_request.intent == "画图" and answered.ai_response.suggestion == "plot()"
    assert last.user_request.intent == "the last one"
    assert [event.type for event in session.events or []] == ["message", "message", "state"]
    assert [item.timestamp for item in session.ordered()] == ["2026-01-01T10:00:00"] * 6


def test_times_of_the_source_are_imported():
    """Times without a zone stay unchanged, numbers are UTC, a missing time is the one before."""
    chat = {
        "messages": [
            {"id": "m1", "sender": "u", "body": "a", "time": 1795297513.5},
            {"id": "m2", "sender": "u", "body": "b"},
        ],
        "users": {},
        "attachments": {},
    }
    (session,) = read("a.chat", chat).sessions
    assert [turn.timestamp for turn in session.interactions] == ["2026-11-21T21:45:13.500000Z"] * 2
    (session,) = read("s/k.jsonl", [{"role": "USER", "content": "a"}]).sessions
    assert session.interactions[0].timestamp == session.meta.created_at == NO_TIME


@pytest.mark.parametrize(
    "names",
    [
        ("id", "messages", "last_update", "role", "content"),
        ("Id", "Messages", "LastUpdate", "Role", "Content"),
        ("ID", "messages", "lastUpdate", "role", "content"),
    ],
)
def test_pcai_keys_are_case_insensitive(names: tuple[str, ...]):
    id_, messages, update, role, content = names
    data = {id_: "t_1", messages: [{role: "user", content: "畫圖"}], update: "2026-02-14"}
    (session,) = read("x.json", data).sessions
    assert session.interactions[0].user_request.intent == "畫圖"
    assert session.meta.notebook_id == read("y.json", data).sessions[0].meta.notebook_id


def test_terminal_sessions_of_two_nanobot_workspaces_are_two_notebooks():
    message = {"role": "user", "content": "x"}
    ids = []
    for created in ("2026-02-14T10:00:00", "2026-03-01T10:00:00", "yesterday", 1772000000):
        metadata = {"_type": "metadata", "key": "cli:direct", "created_at": created}
        (session,) = read("sessions/cli_direct.jsonl", [metadata, message]).sessions
        ids.append(session.meta.notebook_id)
    assert len(set(ids)) == len(ids)


def test_each_agentscope_value_becomes_a_cell_of_one_notebook():
    folder = IMPORTS / "agentscope" / "user123"
    sessions = [
        detect.read(source_of(file, is_in_agentscope_folder=True)).sessions[0]
        for file in sorted(folder.iterdir())
    ]
    chat, plan = sessions
    assert chat.meta.notebook_id == plan.meta.notebook_id
    assert chat.interactions[1].user_request.intent == "改成柱状图，标题用中文"
    (event,) = plan.events or []
    assert event.type == "state"
    assert event.data["imported"]["messages"] == [{"goal": "sales report", "iteration": 5}]


def test_an_old_agentscope_file_is_imported_completely():
    file = IMPORTS / "agentscope-legacy" / "user123.json"
    agent, memory = detect.read(source_of(file)).sessions
    assert agent.events[0].data["imported"]["messages"] == [{"name": "Assistant", "iteration": 5}]
    assert len(memory.interactions) == 2


def test_agentscope_memory_with_marks_is_a_chat():
    memory = {"content": [[{"role": "user", "content": "hi", "id": "1"}, ["mark"]]], "n": 3}
    (session,) = read("u/agent.json", {"agent": {"memory": memory}}).sessions
    assert session.interactions[0].user_request.intent == "hi"
    assert session.events[0].data["imported"]["messages"] == [{"memory": {"n": 3}}]


def test_imported_sessions_are_redacted():
    """P16: secrets are replaced in the request, the answer and the original messages."""
    key = "sk-proj-abcdefghij0123456789ABCDEFGHIJ"
    lines = [
        {"role": "user", "content": f"my password is hunter2!x and {key}"},
        {"role": "assistant", "content": f"```python\nopenai.api_key = '{key}'\n```"},
    ]
    (session,) = read("u/memory.jsonl", lines).sessions
    data = codec.encode(session)
    assert key.encode() not in data and b"hunter2" not in data
    assert "redacted" in session.interactions[0].ai_response.suggestion


def test_a_damaged_line_is_reported_and_the_others_are_imported():
    """P22"""
    lines = [b'{"role": "user", "content": "a"}', b"{broken", b'{"role": "user", "content": "b"}']
    result = read("u/memory.jsonl", b"\n".join(lines))
    assert [turn.user_request.intent for turn in result.sessions[0].interactions] == ["a", "b"]
    assert result.unreadable == ["line 2: not valid or complete JSON"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b""),
        ("a.json", b"\x00\xff\xfe"),
        ("a.json", b"[1, 2]"),
        ("a.json", b"null"),
        ("a.json", b'{"nbformat": 4, "cells": []}'),
        ("a.json", b"[" * 200_000),
        ("a.json", b'{"meta": {"version": "9.0"}, "interactions": []}'),
        ("a.json", b'{"meta": 3, "interactions": []}'),
        ("a.json", b'{"messages": 3, "id": 1, "last_update": null}'),
        ("a.jsonl", b'{"some": "thing"}\n'),
        ("a.chat", b'{"messages": "none", "users": {}}'),
        ("a.ipyhistory", b'{"checkpoints": [], "codeCells": 1, "notebook": 5, "output": "x"}'),
        ("a.zip", b"PK\x03\x04 and no more"),
        ("a.json", b'{"id": "x", "messages": [], "n": ' + b"9" * 6000 + b"}"),
    ],
)
def test_unsupported_files_are_reported(name: str, data: bytes):
    """P22"""
    try:
        result = read(name, data)
    except UnreadableInput as reason:
        assert str(reason)[-1] not in ".!"  # it is printed after a colon
    else:
        assert result.unreadable and not result.sessions


def test_a_line_of_ten_megabytes_is_imported():
    text = "数据 " * 1_500_000
    lines = [{"role": "user", "content": text}, {"role": "assistant", "content": "done"}]
    (session,) = read("u/memory.jsonl", lines).sessions
    assert session.interactions[0].user_request.intent == text


def test_invalid_values_in_a_valid_file_are_ignored():
    """P22: this covers any value instead of a message, a version or a user."""
    odd: list[Any] = [
        None,
        3,
        10**400,
        "x",
        [],
        {},
        {"role": 5, "content": {"a": [1]}},
        {"sender": []},
    ]
    for name, content in (
        ("a.json", {"id": "x", "messages": odd, "last_update": odd}),
        ("a.chat", {"messages": odd, "users": odd, "attachments": {}}),
        ("a.chat", {"messages": [{"sender": "u", "body": odd}], "users": {"u": 3}}),
        ("a.chat", {"messages": [{"sender": "u", "body": "x", "time": 10**400}], "users": {}}),
        ("a.ipyhistory", {"checkpoints": [{"targetCells": odd}], "codeCells": odd}),
        (
            "a.ipyhistory",
            {"checkpoints": odd, "codeCells": [{"artifact_name": "c.0", "versions": odd}]},
        ),
    ):
        try:
            read(name, content)
        except UnreadableInput:
            continue


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_member_never_needs_more_memory_than_it_declares(method: int):
    """P22: a few hundred bytes could otherwise need gigabytes."""
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", method) as file:
        name, manifest = next(backup.members({}, {}, {("", ""): b""}))
        file.writestr(name, manifest, zipfile.ZIP_STORED)
        file.writestr("0/sessions/x_y.json", bytes(50_000_000))
    data = zipped.getvalue().replace((50_000_000).to_bytes(4, "little"), b"\x99\0\0\0")
    tracemalloc.start()
    results = list(backup.read_members(io.BytesIO(data)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [result.unreadable for result in results] == [[], ["0/sessions/x_y.json: damaged"]]
    assert peak < 5_000_000


def test_duplicate_parts_are_merged():
    """P22: a badly merged file is imported completely, also from a backup."""
    good = EXAMPLE_FILE.read_bytes()
    others = json.dumps(json.loads(good.replace(b"pandas", b"polars"))["interactions"]).encode()
    data = good.replace(b'"interactions"', b'"interactions": ' + others + b', "interactions"', 1)
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr(*next(backup.members({}, {}, {("", ""): b""})))
        file.writestr("0/sessions/" + "x_y.json", data)
    for part in (read("s.json", data), *backup.read_members(zipped)):
        assert [len(session.interactions) for session in part.sessions] in ([], [2])
    assert part.sessions
