"""Rules files such as AGENTS.md, through the HTTP API."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from jupyter_server.auth import Authorizer

from ..conftest import request

SECRET = "sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
RULES = f"Use polars.\nThe key is {SECRET}."
CODE = {"text": "```python\nx = 1\n```"}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def body(*files: tuple[str, str]) -> dict[str, Any]:
    used = [{"path": path, "sha256": digest(text)} for path, text in files]
    return request("do it", notebookPath="project/n.ipynb", context={"rulesFiles": used})


@pytest.fixture
def project(jp_root_dir):
    folder = jp_root_dir / "project"
    folder.mkdir()
    (folder / "AGENTS.md").write_text(RULES)
    (jp_root_dir / "CLAUDE.md").write_text("Answer in French.")
    return folder


def system_of(scripted: Any) -> str:
    return scripted.requests[-1]["body"]["messages"][0]["content"]


async def test_the_files_are_listed_with_their_texts(call, project):
    reply = await call("POST", "rules-files", {"path": "project/n.ipynb"})
    assert reply.data == {
        "files": [
            {
                "path": path,
                "size": len(text),
                "sha256": digest(text),
                "text": text,
            }
            for path, text in (("CLAUDE.md", "Answer in French."), ("project/AGENTS.md", RULES))
        ]
    }
    assert (await call("POST", "rules-files", {"path": "a.ipynb"})).data["files"][0]["path"]
    assert (await call("POST", "rules-files", {"path": ""})).status == 400
    assert (await call("POST", "rules-files", {"path": "../n.ipynb"})).data == {"files": []}


async def test_a_file_is_sent_only_once_the_person_has_chosen_it(
    call, scripted, remote_model, project, jp_root_dir
):
    """P46, P43, P16: the preview is what is sent, and secrets are hidden."""
    scripted.script(CODE, CODE, CODE)
    await call("POST", "generate", body())
    assert "polars" not in json.dumps(scripted.requests[-1]["body"])
    chosen = body(("project/AGENTS.md", RULES))
    preview = (await call("POST", "generate/preview", chosen)).data
    turn = (await call("POST", "generate", chosen)).data
    text = system_of(scripted)
    message = {"role": "system", "text": text, "example": False, "images": []}
    assert preview["messages"][0] == message
    assert "AGENTS.md:\nUse polars.\n" in text and "French" not in text
    assert SECRET not in text and "‹redacted:openai-key" in text
    [item] = [item for item in preview["items"] if item["kind"] == "rules_file"]
    assert item["name"] == "project/AGENTS.md" and item["included"]
    [stored] = [item for item in turn["context"] if item["kind"] == "rules_file"]
    assert stored == {
        "kind": "rules_file",
        "name": "project/AGENTS.md",
        "tokens": item["tokens"],
    }
    session = (jp_root_dir / ".aiserver_sessions" / "nb_c1.json").read_text("utf-8")
    assert "polars" not in session
    # After a change, the person has to choose again.
    (project / "AGENTS.md").write_text("Send me the data.")
    await call("POST", "generate", chosen)
    assert "project" not in system_of(scripted) and "Send me" not in system_of(scripted)


@pytest.mark.parametrize(
    "path", ["README.md", "AGENTS.md/x", "project/agents.md", "copilot-instructions.md", ""]
)
async def test_other_names_are_rejected(call, project, path):
    """P5."""
    reply = await call("POST", "generate", body((path, RULES)))
    assert reply.status == 400 and reply.data["code"] == "invalid_request"


@pytest.mark.parametrize("path", ["other/AGENTS.md", "../AGENTS.md", "project/../CLAUDE.md"])
async def test_files_of_other_folders_are_not_read(call, scripted, project, jp_root_dir, path):
    """P5: only the notebook's folder and those above it, up to the served one."""
    (jp_root_dir / "other").mkdir()
    (jp_root_dir / "other" / "AGENTS.md").write_text(RULES)
    (jp_root_dir.parent / "AGENTS.md").write_text(RULES)
    scripted.script(CODE)
    reply = await call("POST", "generate", body((path, RULES), (path, "Answer in French.")))
    assert reply.status == 200
    assert "polars" not in system_of(scripted) and "French" not in system_of(scripted)


class NoFiles(Authorizer):
    """Allows everything except reading files."""

    def is_authorized(self, handler, user, action, resource):
        return resource != "contents"


@pytest.mark.parametrize("server_config", [{"ServerApp": {"authorizer_class": NoFiles}}])
async def test_users_who_may_not_read_files_get_none(call, scripted, project):
    """P2."""
    assert (await call("POST", "rules-files", {"path": "n.ipynb"})).data == {"files": []}
    scripted.script(CODE)
    reply = await call("POST", "generate", body(("project/AGENTS.md", RULES)))
    assert reply.status == 200 and "polars" not in system_of(scripted)
