"""``jupyter aiserver ask``: its answer, the history that it writes, and ``--apply``."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from aiserver.cli import main as cli
from aiserver.cli.files import notebook_id_of
from aiserver.cli.notebook_file import NotebookFile
from aiserver.errors import SettingError
from aiserver.notebooks.history import Histories
from aiserver.replay import report
from aiserver.sessions.file.manager import FileSessionManager

from ..attacks.conftest import LiveServer, start
from ..conftest import API_KEY
from ..scripted_model import ScriptedModel
from .conftest import Result, configure, stored

Ask = Callable[..., Result]

CODE = "```python\nimport pandas as pd\ndf = pd.read_csv('data.csv')\n```\nIt reads the file."
SOURCE = "import pandas as pd\ndf = pd.read_csv('data.csv')"


def write_notebook(work: Path, notebook_id: str | None = None, name: str = "a.ipynb") -> Path:
    """Write a notebook with three cells, one of which failed."""
    cells = [
        nbformat.v4.new_markdown_cell("# 销售", id="aaaa0001"),
        nbformat.v4.new_code_cell(
            "limit = 3\nlimit / 0",
            id="aaaa0002",
            outputs=[nbformat.v4.new_output("error", ename="E", evalue="canary", traceback=[])],
        ),
        nbformat.v4.new_code_cell("x = 1", id="aaaa0003", metadata={"b": 1, "a": "é"}),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    if notebook_id:
        notebook.metadata["aiserver"] = {"notebook_id": notebook_id}
    path = work / name
    nbformat.write(notebook, path)
    return path


@pytest.fixture
def ask(
    work: Path,
    scripted: ScriptedModel,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Ask:
    """Run ``jupyter aiserver ask …`` with the scripted model."""
    options = {"base_url": scripted.base_url, "api_key": API_KEY}
    configure(work, AIServer={"model": "openai:scripted"}, ModelRegistry={"model_options": options})
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(work.parent / "runtime"))

    def _run(*arguments: str) -> Result:
        capsys.readouterr()
        status = cli.main(["ask", *arguments])
        output = capsys.readouterr()
        return Result(status, output.out, output.err)

    return _run


def test_ask_prints_the_code_and_changes_only_the_history(
    ask: Ask, work: Path, scripted: ScriptedModel
) -> None:
    path = write_notebook(work, "nb-1")
    before = path.read_bytes()
    scripted.script({"text": CODE})
    done = ask("a.ipynb", "3", "读取 data.csv")
    assert done == Result(0, SOURCE + "\n", "It reads the file.\n")
    assert path.read_bytes() == before
    [session] = stored(work).values()
    assert (session.meta.notebook_id, session.meta.cell_id) == ("nb-1", "aaaa0003")
    [turn] = session.interactions
    assert turn.user_request.current_code == "x = 1" and turn.user_request.intent == "读取 data.csv"
    sent = json.dumps(scripted.requests[-1]["body"], ensure_ascii=False)
    assert "limit = 3" in sent and "# 销售" in sent and "canary" not in sent


def test_the_history_continues_and_a_cell_can_be_named_by_its_id(
    ask: Ask, work: Path, scripted: ScriptedModel
) -> None:
    write_notebook(work, "nb-1")
    assert ask("a.ipynb", "aaaa0003", "first wish").status == 0
    assert ask("a.ipynb", "aaaa0003", "second wish", "--model", "openai:scripted").status == 0
    assert "first wish" in json.dumps(scripted.requests[-1]["body"])
    [session] = stored(work).values()
    assert [turn.turn_id for turn in session.interactions] == [1, 2]


def test_a_notebook_without_an_id_gets_the_same_id_each_time(ask: Ask, work: Path) -> None:
    path = write_notebook(work)
    before = path.read_bytes()
    assert ask("a.ipynb", "3", "first").status == ask("a.ipynb", "2", "second").status == 0
    assert path.read_bytes() == before
    [first, second] = stored(work).values()
    assert first.meta.notebook_id == second.meta.notebook_id
    assert ask("a.ipynb", "3", "third", "--apply").status == 0
    metadata = nbformat.read(path, as_version=4).metadata
    assert metadata.aiserver == {"notebook_id": first.meta.notebook_id}


def test_apply_writes_the_cell_and_the_replay_names_the_model(
    ask: Ask, work: Path, scripted: ScriptedModel
) -> None:
    """P40: the lines are the model's, and a program accepted them."""
    path = write_notebook(work, "nb-1")
    path.chmod(0o640)
    old = json.loads(path.read_text())
    scripted.script({"text": CODE})
    done = ask("a.ipynb", "3", "读取", "--apply")
    assert done.status == 0 and done.out == SOURCE + "\n"
    new = json.loads(path.read_text())
    assert "".join(new["cells"][2].pop("source")) == SOURCE
    assert "".join(old["cells"][2].pop("source")) == "x = 1"
    assert json.dumps(new) == json.dumps(old)  # the same keys, in the same order
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    nbformat.validate(nbformat.read(path, as_version=4))
    event = stored(work)["nb-1_aaaa0003.json"].events
    assert event and event[0].type == "accept" and event[0].turn_id == 1
    assert event[0].contributor and event[0].contributor.kind == "program"

    async def load() -> Any:
        store = FileSessionManager(root=str(work))
        history = await Histories(store).load("nb-1")
        return history.timeline.steps("aaaa0003"), report(history.timeline, history.sessions)

    steps, counts = asyncio.run(load())
    assert [(step.kind, step.outcome, step.author) for step in steps][-1] == (
        "turn",
        "accepted",
        "model",
    )
    assert counts["total"]["byModel"] == 2 and counts["total"]["byPerson"] == 0
    assert ask("a.ipynb", "3", "again").status == 0  # the file and the history agree
    turn = stored(work)["nb-1_aaaa0003.json"].interactions[-1]
    assert turn.user_request.current_code == SOURCE


def test_apply_writes_nothing_if_the_file_was_changed_meanwhile(
    ask: Ask, work: Path, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_notebook(work, "nb-1")

    def change(*_: object) -> None:
        path.write_text(path.read_text().replace("x = 1", "x = 2"))

    monkeypatch.setattr("aiserver.plugins.ask.commands.check_not_open", change)
    done = ask("a.ipynb", "3", "load", "--apply")
    assert done.status == 1 and "changed in the meantime" in done.err
    assert "x = 2" in path.read_text() and "load" not in path.read_text()
    [session] = stored(work).values()
    assert len(session.interactions) == 1 and not session.events


def test_an_answer_in_words_is_printed_and_not_applied(
    ask: Ask, work: Path, scripted: ScriptedModel
) -> None:
    path = write_notebook(work, "nb-1")
    before = path.read_bytes()
    scripted.script({"text": "It is one."}, {"text": "It is one."})
    assert ask("a.ipynb", "3", "what is x?") == Result(0, "It is one.\n", "")
    done = ask("a.ipynb", "3", "what is x?", "--apply")
    assert done.status == 1 and "no code" in done.err and path.read_bytes() == before


def test_the_request_can_come_from_standard_input(
    ask: Ask, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_notebook(work, "nb-1")
    monkeypatch.setattr("sys.stdin", io.StringIO("加载数据\n"))
    assert ask("a.ipynb", "3", "-").status == 0
    [session] = stored(work).values()
    assert session.interactions[0].user_request.intent == "加载数据"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.ipynb", "1", "x"], "Can't read the notebook"),
        (["a.ipynb", "4", "x"], "There is no cell “4”"),
        (["a.ipynb", "0", "x"], "There is no cell “0”"),
        (["a.ipynb", "nothing", "x"], "There is no cell “nothing”"),
        (["a.ipynb", "3", " "], "The request is empty."),
        (["a.ipynb", "3", "x" * 20_001], "too long: at most 20,000"),
        (["a.ipynb", "3", "x", "--model", "mistral:x"], "not available here"),
        (["../other.ipynb", "3", "x"], "not below the folder"),
        (["broken.ipynb", "1", "x"], "not a notebook"),
        (["twice.ipynb", "1", "x"], "no ID of its own"),
    ],
)
def test_mistakes_are_one_sentence_and_send_nothing(
    ask: Ask, work: Path, scripted: ScriptedModel, arguments: list[str], sentence: str
) -> None:
    """P8: without a traceback; the key is in no output."""
    write_notebook(work, "nb-1")
    write_notebook(work.parent, "nb-2", "other.ipynb")
    (work / "broken.ipynb").write_text("[]")
    twice = json.loads((work / "a.ipynb").read_text())
    twice["cells"] = [twice["cells"][2]] * 2
    (work / "twice.ipynb").write_text(json.dumps(twice))
    done = ask(*arguments)
    assert done.status == 1 and done.out == ""
    assert sentence in done.err and done.err.count("\n") == 1
    assert API_KEY not in done.err and scripted.requests == []


def test_a_failed_answer_is_an_error_and_in_the_history(
    ask: Ask, work: Path, scripted: ScriptedModel
) -> None:
    """P8: nothing of the provider's text is printed."""
    write_notebook(work, "nb-1")
    scripted.script({"status": 401, "message": "raw text with canary-4711"})
    done = ask("a.ipynb", "3", "x", "--apply")
    assert done.status == 1 and done.out == "" and done.err.count("\n") == 1
    assert "canary" not in done.err and API_KEY not in done.err
    [session] = stored(work).values()
    assert session.interactions[0].ai_response.status == "error"


def test_no_model_is_used_without_a_choice(
    ask: Ask, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P4: not even if the environment contains a key."""
    configure(work)
    monkeypatch.setenv("OPENAI_API_KEY", "canary-81")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(work / "models"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(work.parent / "data"))
    write_notebook(work, "nb-1")
    done = ask("a.ipynb", "3", "x")
    assert done.status == 1 and "No model is set up yet" in done.err and done.out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_stops_the_model_and_records_the_turn(
    ask: Ask, work: Path, scripted: ScriptedModel
) -> None:
    """P30"""
    write_notebook(work, "nb-1")
    scripted.script({"text": CODE, "hold_after": 2})
    command = [sys.executable, "-m", "aiserver.cli.main", "ask", "a.ipynb", "3", "x", "--apply"]
    process = subprocess.Popen(
        command, cwd=work, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    scripted.wait_for(lambda: bool(scripted.requests) and scripted.requests[0]["sent"] == 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and out == "" and "Traceback" not in err
    scripted.wait_for(lambda: scripted.requests[0]["outcome"] == "gone", 5)
    [session] = stored(work).values()
    assert session.interactions[0].ai_response.status == "cancelled" and not session.events


def test_help_describes_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["ask", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "130 after Ctrl+C" in text and "--apply" in text


@pytest.mark.thorough
def test_two_commands_at_once_lose_no_turn(ask: Ask, work: Path) -> None:
    """P23"""
    write_notebook(work, "nb-1")
    command = [sys.executable, "-m", "aiserver.cli.main", "ask", "a.ipynb", "3"]
    processes = [subprocess.Popen([*command, text], cwd=work) for text in ("one", "two")]
    assert [process.wait(60) for process in processes] == [0, 0]
    [session] = stored(work).values()
    assert sorted(turn.user_request.intent for turn in session.interactions) == ["one", "two"]


@pytest.fixture
def live(tmp_path: Path, scripted: ScriptedModel) -> Iterator[LiveServer]:
    """Run a Jupyter server."""
    folder = tmp_path / "live"
    folder.mkdir()
    server = start(folder, scripted, debug=False)
    yield server
    server.process.terminate()
    server.process.wait(30)


def test_apply_refuses_while_the_notebook_is_open(ask: Ask, work: Path, live: LiveServer) -> None:
    """A kernel of the notebook runs, so a page may have unsaved changes."""
    path = write_notebook(live.root, "nb-1")
    before = path.read_bytes()
    with live.client() as client:
        session = {"path": "a.ipynb", "name": "", "type": "notebook"}
        created = client.post("api/sessions", json=session | {"kernel": {"name": "python3"}})
        runtime = live.root.parent / "runtime"
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(live.root)
            patch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
            done = ask("a.ipynb", "3", "x", "--apply")
            client.delete(f"api/sessions/{created.json()['id']}")
            assert ask("a.ipynb", "3", "x", "--apply").status == 0
    assert done.status == 1 and "open in Jupyter" in done.err and done.out == ""
    assert path.read_bytes() != before


def test_the_administrators_settings_for_features_apply(
    ask: Ask, work: Path, scripted: ScriptedModel
) -> None:
    write_notebook(work, "nb-1")
    (work / "data.csv").write_text("canary-column\n1\n")
    assert ask("a.ipynb", "3", "read data.csv").status == 0
    features = {"files": "forbidden", "receipts": "forbidden"}
    path = work.parent / "config" / "jupyter_server_config.json"
    config = json.loads(path.read_text())
    config["AIServer"]["features"] = features
    path.write_text(json.dumps(config))
    assert ask("a.ipynb", "2", "read data.csv").status == 0
    first, second = (json.dumps(item["body"]) for item in scripted.requests)
    assert "canary-column" in first and "canary-column" not in second
    turns = [session.interactions[0] for session in stored(work).values()]
    assert sorted(turn.prompt is not None for turn in turns) == [False, True]
    config["AIServer"]["features"] = {"remote_models": "forbidden"}
    path.write_text(json.dumps(config))
    done = ask("a.ipynb", "3", "read data.csv", "--model", "openai:scripted")
    assert done.status != 0 and "only allows models that run on its own machine" in done.err
    config["AIServer"]["features"] = {"remote": "forbidden"}
    path.write_text(json.dumps(config))
    done = ask("a.ipynb", "3", "read data.csv")
    assert done.status != 0 and "there is no feature “remote”" in done.err
    assert len(scripted.requests) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["pipe.ipynb", "link.ipynb", "/dev/zero", "folder.ipynb"])
def test_what_is_no_file_is_no_notebook(work: Path, name: str) -> None:
    """A named pipe without a writer blocks whoever opens it, and a device may never end."""
    os.mkfifo(work / "pipe.ipynb")
    (work / "link.ipynb").symlink_to("pipe.ipynb")
    (work / "folder.ipynb").mkdir()
    for read in (NotebookFile, notebook_id_of):
        with pytest.raises(SettingError, match="is not a file, so it is not a notebook"):
            read(name)
