"""The published JSON Schemas are up to date, and stored records match them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from aiserver import schemas
from aiserver.models import (
    AIResponse,
    NewEvent,
    NewLogEntry,
    NewTurn,
    SessionKey,
    UserRequest,
    utc_now,
)
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import EXAMPLE_FILE

SESSION = "session.schema.json"
LOG_ENTRY = "notebook-log-entry.schema.json"
KEY = SessionKey("notebook", "cell")


def validator(name: str) -> Draft202012Validator:
    schema = schemas.load(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", [SESSION, LOG_ENTRY])
def test_schemas_match_the_models(name: str) -> None:
    text = (Path(schemas.__file__).parent / name).read_text("utf-8")
    assert text == schemas.render()[name], "run “python -m aiserver.schemas”"
    assert set(schemas.render()) == {SESSION, LOG_ENTRY}
    assert schemas.load(name)["$schema"] == schemas.DIALECT


def test_every_field_has_a_description_or_an_obvious_name() -> None:
    plain = {"created_at", "last_updated", "user_request", "ai_response", "meta"}
    schema = schemas.load(SESSION)
    for definition in (schema, *schema["$defs"].values()):
        assert definition["additionalProperties"] is True
        for name, field in definition["properties"].items():
            assert "description" in field or name in plain, name


def test_the_example_is_valid_and_needs_no_more() -> None:
    example = json.loads(EXAMPLE_FILE.read_bytes())
    check = validator(SESSION)
    check.validate(example)
    check.validate(example | {"x_tool": 1})
    wrong: dict[str, Any]
    for wrong in ({"interactions": {}}, {"meta": {}}, {"events": [{"seq": 0}]}):
        with pytest.raises(ValidationError):
            check.validate(example | wrong)


def test_saved_files_are_valid(tmp_path: Path) -> None:
    async def fill() -> None:
        store = FileSessionManager(root=str(tmp_path))
        for status in ("success", "error", "cancelled"):
            turn = NewTurn(
                timestamp=utc_now(),
                user_request=UserRequest(intent="画一个图", current_code="", language="python"),
                ai_response=AIResponse(
                    suggestion="plot()", explanation="", status=status, error=None
                ),
                model="fake:one",
                usage={"output_tokens": 3},
            )
            await store.save_interaction(KEY, turn)
        events = [NewEvent(type="run", timestamp=utc_now(), data={"ok": True}, source="x")]
        await store.record_events(KEY, events)
        await store.fork(KEY, SessionKey("copy", "cell", "somebody"))
        entry = NewLogEntry(type="path_seen", timestamp=utc_now(), data={"path": "分析.ipynb"})
        await store.append_notebook_log("notebook", [entry, entry])
        await store.close()

    asyncio.run(fill())
    folder = tmp_path / ".aiserver_sessions"
    sessions = sorted(folder.glob("*.json"))
    assert len(sessions) == 2
    for path in sessions:
        validator(SESSION).validate(json.loads(path.read_bytes()))
    lines = (folder / "notebooks" / "notebook.jsonl").read_bytes().splitlines()
    assert len(lines) == 2
    for line in lines:
        validator(LOG_ENTRY).validate(json.loads(line))
