"""``%%ai`` in the kernels of a real Jupyter server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiserver.prompts.texts import ANOTHER_ANSWER

from ..attacks.conftest import LiveServer, start
from ..conftest import API_KEY
from ..scripted_model import ScriptedModel
from .kernels import notebook, open_notebook, wait_until_exists

FIRST, SECOND = "aaaa1111", "bbbb2222"  # such ids recognise a notebook that has none
CODE = "```python\nimport pandas as pd\ndf = pd.read_csv('data.csv')\n```\nIt **reads** the file."
SOURCE = "import pandas as pd\ndf = pd.read_csv('data.csv')"


def session(server: LiveServer, notebook_id: str, cell_id: str) -> dict[str, Any]:
    path = server.root / ".aiserver_sessions" / f"{notebook_id}_{cell_id}.json"
    return dict(json.loads(path.read_text()))


def sent(server: LiveServer) -> str:
    return json.dumps(server.model.requests[-1]["body"]["messages"], ensure_ascii=False)


def test_the_request_belongs_to_the_cell_and_is_reviewed_in_it(server: LiveServer) -> None:
    """P13: the cell and the variables stay as they are. P43: the model gets no `%%ai`."""
    with open_notebook(server, "数据/a.ipynb", notebook("nb-1", "c1", "c2")) as kernel:
        list_names = "print(sorted(name for name in globals() if name[0] != '_'))"
        before = kernel.run(list_names).text
        server.model.script({"text": CODE})
        source = "%%ai\n读取 data.csv"
        ran = kernel.run(source, "c2")
        assert ran.status == "ok", ran.error
        assert ran.markdown.startswith(f"```python\n{SOURCE}\n```\n\nIt **reads** the file.")
        assert "Ctrl+K" in ran.markdown and SOURCE in ran.states[-1]
        [turn] = session(server, "nb-1", "c2")["interactions"]
        assert turn["user_request"]["intent"] == "读取 data.csv"
        assert turn["user_request"]["current_code"] == source
        assert turn["mode"] == "create" and turn["model"] == "openai:scripted"
        assert "读取 data.csv" in sent(server) and "%%ai" not in sent(server)
        # These are the conditions for which the page shows the suggestion in the cell.
        with server.client() as client:
            steps = client.get("aiserver/sessions/nb-1/c2/replay").json()["steps"]
        assert (steps[-1]["outcome"], steps[-1]["before"]) == ("open", source)
        assert kernel.run(list_names).text == before
        assert json.loads((server.root / "数据/a.ipynb").read_text()) == notebook(
            "nb-1", "c1", "c2"
        )


def test_running_the_cell_again_asks_for_another_answer(server: LiveServer) -> None:
    with open_notebook(server, "b.ipynb", notebook("nb-2", "c1")) as kernel:
        server.model.script({"text": CODE}, {"text": "```python\nother = 1\n```"})
        assert kernel.run("%%ai --model openai:scripted\nload it", "c1").status == "ok"
        assert kernel.run("%%ai --model openai:scripted\nload it", "c1").status == "ok"
        assert "read_csv" in sent(server) and ANOTHER_ANSWER in sent(server)
        assert kernel.run("%%ai\nonly ten rows", "c1").status == "ok"
        assert "other = 1" in sent(server) and "%%ai" not in sent(server)
        turns = session(server, "nb-2", "c1")["interactions"]
        assert [turn["user_request"]["intent"] for turn in turns] == [
            "load it",
            "load it",
            "only ten rows",
        ]


def test_a_notebook_without_an_id_gets_the_id_that_the_page_will_get(server: LiveServer) -> None:
    """P28"""
    with open_notebook(server, "c.ipynb", notebook(None, FIRST, SECOND)) as kernel:
        assert kernel.run("%%ai\nload it", SECOND).status == "ok"
        body = {"path": "c.ipynb", "notebookId": None, "cellIds": [FIRST, SECOND, "cccc3333"]}
        with server.client() as client:
            notebook_id = client.post("aiserver/notebooks", json=body).json()["notebookId"]
        assert len(session(server, notebook_id, SECOND)["interactions"]) == 1
        assert kernel.run("%ai what is it?", FIRST).status == "ok"
        assert len(session(server, notebook_id, FIRST)["interactions"]) == 1


def test_earlier_cells_and_schemas_are_sent_and_no_values(server: LiveServer) -> None:
    """P15, P18"""
    code = (
        "import pandas as pd\n"
        "sales = pd.DataFrame({'price': [471147], 'city': ['canary-city']}, index=['canary-row'])\n"
        "limit = 471148"
    )
    with open_notebook(server, "d.ipynb", notebook("nb-4", "c1", "c2")) as kernel:
        assert kernel.run(code, "c1").status == "ok"
        kernel.run("hidden = 'canary-' + 'value'", "c3")
        assert kernel.run("%%ai\nplot sales", "c2").status == "ok"
        prompt = sent(server)
        assert "price" in prompt and "int64" in prompt and "sales = pd.DataFrame" in prompt
        assert "canary-value" not in prompt
        [turn] = session(server, "nb-4", "c2")["interactions"]
        assert [frame["name"] for frame in turn["dataframes"]] == ["sales"]
        assert "canary" not in json.dumps(turn["dataframes"])


def test_an_interrupt_stops_the_model(server: LiveServer) -> None:
    """P30, and the turn is recorded."""
    with open_notebook(server, "e.ipynb", notebook("nb-5", "c1")) as kernel:
        server.model.script({"text": CODE, "hold_after": 2})
        message_id = kernel.send("%%ai\nload it", "c1")
        requests = server.model.requests
        server.model.wait_for(lambda: bool(requests) and requests[-1]["sent"] == 2)
        with server.client() as client:
            client.post(f"api/kernels/{kernel.id}/interrupt")
        server.model.wait_for(lambda: requests[-1]["outcome"] == "gone", 10)
        ran = kernel.result(message_id)
        assert (
            ran.status == "error" and ran.error == "Stopped. What was received is in the history."
        )
        wait_until_exists(server.root / ".aiserver_sessions" / "nb-5_c1.json")
        [turn] = session(server, "nb-5", "c1")["interactions"]
        assert turn["ai_response"]["status"] == "cancelled"
        assert kernel.run("1 + 1").status == "ok"


def test_failures_are_one_sentence_and_the_token_is_nowhere(server: LiveServer) -> None:
    """P4, P8: not in outputs, tracebacks, the log or the history."""
    outputs, old_log = [], len(server.log)
    with open_notebook(server, "f.ipynb", notebook("nb-6", "c1", "c2")) as kernel:
        server.model.script({"status": 401, "message": "raw text with canary-4711"})
        ran = kernel.run("%%ai\nload it", "c1")
        outputs.append(ran.everything)
        assert ran.status == "error" and ran.error.count("\n") == 0 and "Traceback" not in ran.error
        for code, sentence in (
            ("%%ai\n" + "x" * 20_001, "at most 20,000"),
            ("%%ai --model mistral:x\nload it", "not available here"),
            ("%%ai --wrong\nload it", "unrecognized arguments"),
        ):
            ran = kernel.run(code, "c1")
            assert ran.status == "error" and sentence in ran.everything, ran.everything
            assert "Traceback" not in ran.everything
            outputs.append(ran.everything)
        usage = kernel.run("%ai")
        assert usage.status == "ok" and "%%ai [--model" in usage.text
        kernel.run("import os; os.environ['AISERVER_URL'] = 'http://127.0.0.1:1/'")
        ran = kernel.run("%%ai\nload it", "c1")
        assert "can’t be reached" in ran.error and ran.error.count("\n") == 0
        outputs.append(ran.everything)
        outputs.append(kernel.run("%tb").everything)
    stored = "".join(
        path.read_text() for path in (server.root / ".aiserver_sessions").glob("*.json")
    )
    for text in (*outputs, stored, server.log[old_log:]):
        assert server.token not in text and "canary" not in text and API_KEY not in text


def test_a_console_or_another_frontend_has_a_session_of_its_own(server: LiveServer) -> None:
    """Without a cell id, as from a frontend that sends none."""
    with open_notebook(server, "g.ipynb", notebook("nb-7", "c1")) as kernel:
        ran = kernel.run("%%ai\nfirst wish")
        assert ran.status == "ok" and "Ctrl+K" not in ran.markdown
        assert kernel.run("%%ai\nsecond wish").status == "ok"
        assert "first wish" in sent(server)
        names = [path.name for path in Path(server.root).rglob("ipython-*_session-*.json")]
        assert len(names) == 1
        assert not (server.root / ".aiserver_sessions" / "nb-7_c1.json").exists()


@pytest.mark.thorough
def test_a_server_without_a_login_answers(tmp_path: Path) -> None:
    """P3: it still checks that the request doesn't come from another page."""
    with ScriptedModel() as model:
        traits: dict[str, Any] = {"IdentityProvider.token": ""}
        server = start(tmp_path, model, **traits)
        server.token = "none"  # httpx can't send an empty one
        try:
            with open_notebook(server, "a.ipynb", notebook("nb-1", "c1")) as kernel:
                ran = kernel.run("%%ai\nload it", "c1")
                assert ran.status == "ok", ran.error
            assert len(session(server, "nb-1", "c1")["interactions"]) == 1
        finally:
            server.process.terminate()
            server.process.wait(30)
