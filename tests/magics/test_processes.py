"""``%%ai`` where no Jupyter server runs: in a script, a terminal and an executed notebook."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest
from papermill.exceptions import PapermillExecutionError

from ..conftest import API_KEY
from ..scripted_model import ScriptedModel

CODE = "```python\nimport pandas as pd\ndf = pd.read_csv('data.csv')\n```\nIt reads the file."
SOURCE = "import pandas as pd\ndf = pd.read_csv('data.csv')"


@pytest.fixture
def folder(
    tmp_path: Path, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Return a working folder with the configuration of the scripted model, and no server."""
    options = {"base_url": scripted.base_url, "api_key": API_KEY}
    config = {"AIServer": {"model": "openai:scripted"}, "ModelRegistry": {"model_options": options}}
    for name in ("config", "runtime", "work", "ipython"):
        (tmp_path / name).mkdir()
    (tmp_path / "config" / "jupyter_server_config.json").write_text(json.dumps(config))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("AISERVER_URL", "JUPYTERHUB_SERVICE_URL", "JPY_PARENT_PID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "work")
    yield tmp_path / "work"


def start_script(folder: Path, *lines: str) -> subprocess.Popen[str]:
    """Start IPython with a script, in a session of its own, like at a terminal."""
    (folder / "script.ipy").write_text("\n".join(["%load_ext aiserver", *lines]), "utf-8")
    return subprocess.Popen(
        [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "script.ipy"],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def sessions(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / ".aiserver_sessions").glob("ipython-*.json"))
    return [json.loads(file.read_text("utf-8")) for file in files]


def test_a_script_prints_the_answer_and_is_one_conversation(
    folder: Path, scripted: ScriptedModel
) -> None:
    """P8, P13"""
    (folder / "orders.csv").write_text("price,city\n471147,canary-city\n")
    scripted.script({"text": CODE}, {"text": "```python\nother = 1\n```"})
    lines = [
        "%ai 读取 orders.csv？",
        "%ai --model openai:scripted only the prices",
        "print('df' in globals())",
    ]
    process = start_script(folder, *lines)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out == f"{SOURCE}\n\nIt reads the file.\nother = 1\nFalse\n"
    [stored] = sessions(folder)
    intents = [turn["user_request"]["intent"] for turn in stored["interactions"]]
    assert intents == ["读取 orders.csv？", "only the prices"]
    assert stored["meta"]["cell_id"].startswith("session-")
    first, second = (json.dumps(item["body"]["messages"]) for item in scripted.requests)
    assert "price" in first and "read_csv" in second
    assert API_KEY not in out + err + json.dumps(stored)


@pytest.mark.thorough
def test_all_runs_of_a_script_have_one_notebook_id(folder: Path, scripted: ScriptedModel) -> None:
    for _ in range(2):
        scripted.script({"text": CODE})
        _, err = start_script(folder, "%ai load it").communicate(timeout=120)
        assert not err
    both = [session["meta"] for session in sessions(folder)]
    assert len({meta["notebook_id"] for meta in both}) == 1
    assert len({meta["cell_id"] for meta in both}) == 2


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_at_a_terminal_stops_the_model(folder: Path, scripted: ScriptedModel) -> None:
    """P30: the signal reaches the whole process group, and the turn is recorded."""
    scripted.script({"text": CODE, "hold_after": 2})
    process = start_script(folder, "%ai load it")
    scripted.wait_for(
        lambda: bool(scripted.requests) and scripted.requests[0]["sent"] == 2, timeout=120
    )
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "Stopped. What was received is in the history." in out + err
    assert "Traceback" not in out + err
    scripted.wait_for(lambda: scripted.requests[0]["outcome"] == "gone", 10)
    [stored] = sessions(folder)
    assert stored["interactions"][0]["ai_response"]["status"] == "cancelled"


def run_notebook(folder: Path, *sources: str) -> nbformat.NotebookNode:
    """Execute a notebook by papermill, which runs without a server."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / "in.ipynb")
    return papermill.execute_notebook(
        folder / "in.ipynb",
        folder / "out.ipynb",
        parameters={"limit": 4},
        cwd=folder,
        progress_bar=False,
    )


def test_papermill_gets_the_answers(folder: Path, scripted: ScriptedModel) -> None:
    scripted.script({"text": CODE})
    notebook = run_notebook(folder, "limit = 3", "%load_ext aiserver", "%%ai\n读取数据")
    [output] = notebook.cells[-1].outputs
    assert output.data["text/markdown"] == f"```python\n{SOURCE}\n```\n\nIt reads the file."
    assert output.data["text/plain"] == f"{SOURCE}\n\nIt reads the file."
    assert len(sessions(folder)) == 1
    assert "limit = 4" in json.dumps(scripted.requests[0]["body"]["messages"])


@pytest.mark.thorough
def test_a_failure_fails_papermill(folder: Path, scripted: ScriptedModel) -> None:
    scripted.script({"status": 401, "message": "raw text with canary-4711"})
    with pytest.raises(PapermillExecutionError) as caught:
        run_notebook(folder, "limit = 3", "%load_ext aiserver", "%%ai\nload it")
    assert caught.value.ename == "RequestFailed" and "canary" not in str(caught.value)


def test_an_environment_without_the_server_names_the_remedy(folder: Path) -> None:
    """The packages of the server are hidden, as in a kernel of another environment."""
    hide = "import sys; sys.modules['pydantic'] = None"
    finder = (
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name, *a: None if name == 'jupyter_server' else find(name, *a)"
    )
    process = start_script(folder, hide, finder, "%ai load it")
    out, err = process.communicate(timeout=60)
    assert "AI Server is not completely installed here" in out + err
    assert "Traceback" not in out + err and not (folder / ".aiserver_sessions").exists()
