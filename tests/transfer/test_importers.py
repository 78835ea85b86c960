"""What other programs kept is read whole: each text is found in what was made of it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path, PurePath
from typing import Any

import pytest

from aiserver.models import Session
from aiserver.sessions.record import codec
from aiserver.transfer.importers import archive, detect
from aiserver.transfer.importers.base import NO_TIME, Read, Source, UnreadableSource
from aiserver.transfer.importers.messages import split

from ..cli.conftest import IMPORTS

PATTERNS = (
    "nanobot-*/*.jsonl",
    "*chat*/*.chat",
    "pcai/*",
    "agentscope-legacy/*",
    "agentscope/*/*.jsonl",
)
CHATS = [file for pattern in PATTERNS for file in sorted(IMPORTS.glob(pattern))]


def source_of(file: Path, data: bytes | None = None, **more: Any) -> Source:
    data = file.read_bytes() if data is None else data
    return Source(PurePath(file.parent.name) / file.name, data, **more)


def read(name: str, content: Any, *, format_: str | None = None, **more: Any) -> Read:
    """Read a file with this content: bytes, lines, or JSON."""
    if isinstance(content, bytes):
        data = content
    elif name.endswith(".jsonl"):
        data = b"".join(json.dumps(line).encode() + b"\n" for line in content)
    else:
        data = json.dumps(content).encode()
    return detect.read(Source(PurePath(name), data, **more), format_)


def messages_in(content: Any) -> list[dict[str, Any]]:
    """All objects that are messages, in their order, wherever they stand."""
    if isinstance(content, list):
        return [found for item in content for found in messages_in(item)]
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


def kept_messages(session: Session) -> list[Any]:
    """The messages in what was made of them, in its order."""
    kept = []
    for item in session.ordered():
        fields = codec.to_dict(item)
        kept += (fields.get("imported") or fields["data"]["imported"])["messages"]
    return kept


def text_of(message: dict[str, Any]) -> str:
    text = message.get("body", message.get("content"))
    return text if isinstance(text, str) else "\n".join(part["text"] for part in text)


@pytest.mark.parametrize("file", CHATS, ids=lambda file: f"{file.parent.name}/{file.stem[:20]}")
def test_each_message_of_a_real_chat_is_found_byte_for_byte(file: Path):
    found = detect.read(source_of(file))
    assert not found.unreadable
    session = max(found.sessions, key=lambda one: len(one.interactions))
    wanted = messages_in(loaded(file))
    assert kept_messages(session) == wanted
    asked = [text_of(message) for message in wanted[::2]]
    assert [turn.user_request.intent for turn in session.interactions] == asked
    for turn, message in zip(session.interactions, wanted[1::2], strict=True):
        answer = turn.ai_response
        text = text_of(message)
        assert answer.status == "success"
        assert answer.suggestion in text and answer.explanation in text
        # All of it is there: only the fence and line breaks around it are not.
        rest = text.replace(answer.suggestion, "").replace(answer.explanation, "")
        assert set(rest) <= set("`python\n")


@pytest.mark.parametrize("file", CHATS, ids=lambda file: f"{file.parent.name}/{file.stem[:20]}")
def test_reading_twice_gives_the_same_wherever_the_file_lies(file: Path):
    first = detect.read(source_of(file))
    again = detect.read(source_of(file))
    assert [codec.encode(one) for one in first.sessions] == [
        codec.encode(one) for one in again.sessions
    ]


@pytest.mark.parametrize("file", CHATS, ids=lambda file: f"{file.parent.name}/{file.stem[:20]}")
def test_a_file_that_is_cut_anywhere_brings_what_is_whole_in_it(file: Path):
    """P22: no cut makes it fail otherwise than with a reason; whole lines are taken."""
    data = file.read_bytes()
    for end in sorted({*range(0, len(data), max(1, len(data) // 60)), len(data) - 1}):
        try:
            found = detect.read(source_of(file, data[:end]))
        except UnreadableSource as reason:
            assert str(reason)
            assert not whole_messages(file, data[:end])
        else:
            kept = [one for session in found.sessions for one in kept_messages(session)]
            assert kept[: len(whole_messages(file, data[:end]))] == whole_messages(file, data[:end])


def whole_messages(file: Path, data: bytes) -> list[Any]:
    if file.suffix != ".jsonl":
        return []
    whole = []
    for line in data.split(b"\n"):
        try:
            whole.append(json.loads(line))
        except ValueError:
            continue
    return messages_in(whole)


def verdant(**more: Any) -> tuple[dict[str, Any], Read]:
    file = IMPORTS / "verdant" / "houses_kc.ipyhistory"
    return json.loads(file.read_bytes()), detect.read(source_of(file, **more))


def test_each_version_of_verdant_s_cells_is_there_in_order_byte_for_byte():
    content, found = verdant()
    assert not found.unreadable
    records = content["codeCells"] + content["markdownCells"]
    wanted = {
        f"{record['artifact_name']}.{number}": version.get("literal", version.get("markdown", ""))
        for record in records
        for number, version in enumerate(record["versions"])
    }
    edits = [
        event
        for session in found.sessions
        for event in session.events or []
        if event.type == "edit"
    ]
    assert {event.data["name"]: event.source for event in edits} == wanted
    assert len(edits) == len(wanted) == 126 + 17
    for session in found.sessions:
        times = [event.timestamp for event in session.events or []]
        assert times == sorted(times)
        assert [event.seq for event in session.events or []] == list(range(1, len(times) + 1))


def test_a_run_of_verdant_s_has_its_outputs_and_each_output_is_there_once():
    content, found = verdant()
    runs = [event for one in found.sessions for event in one.events or [] if event.type == "run"]
    outputs = [json.dumps(output) for event in runs for output in event.data["outputs"]]
    wanted = {json.dumps(version) for record in content["output"] for version in record["versions"]}
    assert wanted <= set(outputs)
    edited = {"edited"}
    executed = {
        target["cell"]
        for checkpoint in content["checkpoints"]
        for target in checkpoint["targetCells"]
        if "output" in target and target["changeType"] in edited
    }
    assert executed <= {event.data["name"] for event in runs}


def test_cells_of_verdant_s_take_the_ids_of_the_notebook_beside_it():
    notebook = json.loads((IMPORTS / "verdant" / "houses_kc.ipynb").read_bytes())
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"
    notebook["metadata"]["aiserver"] = {"notebook_id": "houses"}
    _, found = verdant(notebook=json.dumps(notebook).encode())
    assert {session.meta.notebook_id for session in found.sessions} == {"houses"}
    sources = {f"cell-{n}": "".join(cell["source"]) for n, cell in enumerate(notebook["cells"])}
    named = [one for one in found.sessions if one.meta.cell_id in sources]
    # All but those that were changed after Verdant's last look.
    assert len(named) >= 18
    for session in named:
        edits = [event for event in session.events or [] if event.type == "edit"]
        assert edits[-1].source == sources[session.meta.cell_id]


def test_a_cell_whose_type_was_changed_is_one_cell():
    _, found = verdant()
    groups = [
        {event.data["name"].split(".")[0] for event in session.events or []}
        for session in found.sessions
    ]
    assert {"c", "m"} in groups
    assert len(found.sessions) == 25


@pytest.mark.parametrize(
    ("text", "code", "explanation"),
    [
        ("no code at all", "", "no code at all"),
        ("```python\nx = 1\n```", "x = 1", ""),
        ("before\n```\nx = 1\n```\nafter", "x = 1", "before\nafter"),
        ("```py\na\n```\nand\n```python\nb\n```", "a\n\nb", "and"),
        ("```python\na\n```\n```bash\nls\n```", "a", "```bash\nls\n```"),
        ("```text\n42\n```\n```python\na\n```", "a", "```text\n42\n```"),
        ('````python\ns = "```"\n```\n````', 's = "```"\n```', ""),
        ("```python\nnot closed", "not closed", ""),
        ("~~~python\nx\n~~~", "x", ""),
        ("a `` b", "", "a `` b"),
        ("改成柱状图：\r\n```python\r\n画()\r\n```", "画()", "改成柱状图："),
    ],
)
def test_code_is_told_from_words(text: str, code: str, explanation: str):
    answer = split(text)
    assert (answer.code, answer.explanation) == (code, explanation)


def test_the_language_is_that_of_the_fence():
    assert split("```R\nplot(x)\n```").language == "r"
    assert split("```\nx\n```").language == "python"


def test_nothing_of_a_chat_is_lost_that_is_no_pair():
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
    assert kept_messages(session) == lines[1:]
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


def test_times_are_the_source_s_own():
    """Without a zone as they stand; a number is UTC; where there is none, the one before it."""
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
def test_pcai_is_read_in_any_capitals(names: tuple[str, ...]):
    id_, messages, update, role, content = names
    data = {id_: "t_1", messages: [{role: "user", content: "畫圖"}], update: "2026-02-14"}
    (session,) = read("x.json", data).sessions
    assert session.interactions[0].user_request.intent == "畫圖"
    assert session.meta.notebook_id == read("y.json", data).sessions[0].meta.notebook_id


def test_agentscope_s_values_are_each_a_cell_of_one_notebook():
    folder = IMPORTS / "agentscope" / "user123"
    found = [
        detect.read(source_of(file, agentscope=True)).sessions[0]
        for file in sorted(folder.iterdir())
    ]
    chat, plan = found
    assert chat.meta.notebook_id == plan.meta.notebook_id
    assert chat.interactions[1].user_request.intent == "改成柱状图，标题用中文"
    (event,) = plan.events or []
    assert event.type == "state"
    assert event.data["imported"]["messages"] == [{"goal": "sales report", "iteration": 5}]


def test_agentscope_s_older_file_keeps_all_of_its_values():
    file = IMPORTS / "agentscope-legacy" / "user123.json"
    agent, memory = detect.read(source_of(file)).sessions
    assert agent.events[0].data["imported"]["messages"] == [{"name": "Assistant", "iteration": 5}]
    assert len(memory.interactions) == 2


def test_agentscope_s_memory_with_marks_is_a_chat():
    memory = {"content": [[{"role": "user", "content": "hi", "id": "1"}, ["mark"]]], "n": 3}
    (session,) = read("u/agent.json", {"agent": {"memory": memory}}).sessions
    assert session.interactions[0].user_request.intent == "hi"
    assert session.events[0].data["imported"]["messages"] == [{"memory": {"n": 3}}]


def test_secrets_are_taken_out_of_what_others_kept():
    """P16: out of what was asked, of the answer, and of the messages as they were."""
    key = "sk-proj-abcdefghij0123456789ABCDEFGHIJ"
    lines = [
        {"role": "user", "content": f"my password is hunter2!x and {key}"},
        {"role": "assistant", "content": f"```python\nopenai.api_key = '{key}'\n```"},
    ]
    (session,) = read("u/memory.jsonl", lines).sessions
    data = codec.encode(session)
    assert key.encode() not in data and b"hunter2" not in data
    assert "redacted" in session.interactions[0].ai_response.suggestion


def test_a_damaged_line_is_said_with_its_number_and_the_others_are_read():
    """P22"""
    lines = [b'{"role": "user", "content": "a"}', b"{broken", b'{"role": "user", "content": "b"}']
    found = read("u/memory.jsonl", b"\n".join(lines))
    assert [turn.user_request.intent for turn in found.sessions[0].interactions] == ["a", "b"]
    assert found.unreadable == ["line 2: not valid or complete JSON"]


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
def test_what_is_nothing_of_the_kind_is_said_and_never_a_crash(name: str, data: bytes):
    """P22"""
    try:
        found = read(name, data)
    except UnreadableSource as reason:
        assert str(reason)[-1] not in ".!"  # it goes on in a list
    else:
        assert found.unreadable and not found.sessions


def test_a_line_of_ten_megabytes_is_a_message_like_others():
    text = "数据 " * 1_500_000
    lines = [{"role": "user", "content": text}, {"role": "assistant", "content": "done"}]
    (session,) = read("u/memory.jsonl", lines).sessions
    assert session.interactions[0].user_request.intent == text


def test_an_unknown_shape_inside_a_known_one_is_no_crash():
    """P22: whatever stands where a message, a version or a user should be."""
    odd: list[Any] = [None, 3, "x", [], {}, {"role": 5, "content": {"a": [1]}}, {"sender": []}]
    for name, content in (
        ("a.json", {"id": "x", "messages": odd, "last_update": odd}),
        ("a.chat", {"messages": odd, "users": odd, "attachments": {}}),
        ("a.chat", {"messages": [{"sender": "u", "body": odd}], "users": {"u": 3}}),
        ("a.ipyhistory", {"checkpoints": [{"targetCells": odd}], "codeCells": odd}),
        (
            "a.ipyhistory",
            {"checkpoints": odd, "codeCells": [{"artifact_name": "c.0", "versions": odd}]},
        ),
    ):
        try:
            read(name, content)
        except UnreadableSource:
            continue


def test_parts_that_are_there_twice_are_united():
    """P22: a file that a careless merge left is taken whole, alone and from a backup."""
    good = (IMPORTS.parent / "session-1.0.json").read_bytes()
    others = json.dumps(json.loads(good.replace(b"pandas", b"polars"))["interactions"]).encode()
    data = good.replace(b'"interactions"', b'"interactions": ' + others + b', "interactions"', 1)
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as backup:
        backup.writestr(*archive.manifest([""]))
        backup.writestr("0/sessions/" + "x_y.json", data)
    for name, content in (("s.json", data), ("b.zip", zipped.getvalue())):
        (session,) = read(name, content).sessions
        assert len(session.interactions) == 2
