"""P9: several people and servers share one PostgreSQL, set up like in docs/databases.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from aiserver.errors import StorageReadOnly
from aiserver.models import SessionKey
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore
from aiserver.sessions.sql import SQLSessionManager
from aiserver.testing.records import in_loop, turn

from ...conftest import API_KEY
from ...ports import ReservedPort, last_lines
from ...scripted_model import ScriptedModel
from ...servers import PASSWORD, new_database, run
from ..databases import Database

DOCS = (Path(__file__).parents[3] / "docs" / "databases.md").read_text("utf-8")
NOTEBOOK, CELL = "6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11", "b7a1c2d3"
START = 60.0


def example(mark: str) -> str:
    """Return the code block of the docs that contains a line."""
    blocks = re.findall(r"```(?:sql|postgresql|python)\n(.*?)```", DOCS, re.DOTALL)
    (match,) = [block for block in blocks if mark in block]
    return str(match)


def fill_in(code: str, url: str, password_file: Path) -> str:
    """Fill in the URL and the password file of this test."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    code = code.replace("db.example.org:5432/histories", f"{host}{urlsplit(url).path}")
    code = code.replace("//histories@", "//tester@")
    return code.replace("/etc/jupyter/histories-password", str(password_file))


class JupyterServer:
    """A real server, as JupyterHub starts it for a person."""

    def __init__(self, folder: Path, person: str, config: str) -> None:
        self._reserved, self._log = ReservedPort(), folder / "log"
        self.port = self._reserved.number
        (folder / "config").mkdir(parents=True)
        (folder / "root").mkdir()
        (folder / "config" / "jupyter_server_config.py").write_text(config)
        inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        inherited |= {"HOME": str(folder), "JUPYTER_CONFIG_DIR": str(folder / "config")}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "jupyter_server", "--no-browser"),
                    *(f"--port={self.port}", "--ServerApp.port_retries=0"),
                ],
                cwd=folder / "root",
                env=inherited | {"JUPYTERHUB_USER": person},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return httpx.request(
            method,
            f"http://127.0.0.1:{self.port}/aiserver/{path}",
            json=body,
            headers={"Authorization": "token t"},
            timeout=START,
        )

    def wait(self) -> None:
        """Wait until it responds."""
        until = time.monotonic() + START
        while True:
            try:
                if self.ask("GET", "health").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            in_time = time.monotonic() < until
            assert in_time and self._process.poll() is None, last_lines(self.log)
            time.sleep(0.05)

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        self._reserved.release()


def settings_of(model: ScriptedModel) -> str:
    options = {"base_url": model.base_url, "api_key": API_KEY}
    # A token replaces the hub's login, which would identify the person.
    return (
        "c.AIServer.others_may_ask = True\nc.AIServer.others_may_delete = True\n"
        "c.ServerApp.jpserver_extensions = {'aiserver': True}\n"
        "c.ServerApp.allow_root = True\nc.IdentityProvider.token = 't'\n"
        f"c.AIServer.model = 'openai:scripted'\nc.ModelRegistry.model_options = {options!r}\n"
    )


@pytest.fixture
def people_database(postgres_url: str) -> Database:
    return Database(new_database(postgres_url))


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    file = tmp_path / "password"
    file.write_text(PASSWORD + "\n")
    return file


@pytest.fixture
def servers(
    tmp_path: Path, people_database: Database, password_file: Path, scripted: ScriptedModel
) -> Iterator[dict[str, JupyterServer]]:
    """Start two servers of Alice and one of Bob, set up like in the docs."""
    code = example('"postgresql://histories@')
    config = settings_of(scripted) + fill_in(code, people_database.url, password_file)
    started = {
        name: JupyterServer(tmp_path / name, name.split()[0], config + "c.ServerApp.log_level = 10")
        for name in ("alice", "alice elsewhere", "bob")
    }
    try:
        for server in started.values():
            server.wait()
        yield started
    finally:
        for server in started.values():
            server.stop()


def test_people_are_separate_and_share_histories_between_their_servers(
    servers: dict[str, JupyterServer], scripted: ScriptedModel, people_database: Database
) -> None:
    """P8, P9: three servers, started with an empty database, open clones of one notebook."""

    def generate(who: str, intent: str) -> dict[str, Any]:
        scripted.script({"text": f"```python\n# {intent}\nx = 1\n```"})
        body = {"notebookId": NOTEBOOK, "cellId": CELL, "intent": intent, "source": ""}
        answer = servers[who].ask("POST", "generate", body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def intents(who: str) -> list[str]:
        answer = servers[who].ask("GET", f"sessions/{NOTEBOOK}/{CELL}")
        if answer.status_code == 404:
            return []
        assert answer.json()["meta"]["owner"] == who.split()[0]
        return [turn["user_request"]["intent"] for turn in answer.json()["interactions"]]

    assert generate("alice", "from alice")["turn_id"] == 1
    assert intents("bob") == []
    assert servers["bob"].ask("GET", f"sessions?notebookId={NOTEBOOK}").json()["total"] == 0
    assert generate("bob", "from bob")["turn_id"] == 1
    assert generate("alice elsewhere", "from afar")["turn_id"] == 2
    assert intents("alice") == intents("alice elsewhere") == ["from alice", "from afar"]
    assert intents("bob") == ["from bob"]
    request_body = json.dumps(scripted.requests[-2]["body"], ensure_ascii=False)
    assert "from bob" in request_body and "from alice" not in request_body, (
        "another person's turn was sent to the model"
    )
    assert servers["bob"].ask("DELETE", f"sessions/{NOTEBOOK}/{CELL}").status_code == 204
    assert len(intents("alice")) == 2
    assert run(people_database.open().list_owners()) == ["alice"]
    for server in servers.values():
        assert PASSWORD not in server.log


@in_loop
async def test_database_accounts_separate_people(
    people_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P9: with the rules of docs/databases.md, the database denies access to others' rows."""
    import psycopg

    admin_url = people_database.url
    from aiserver.sessions.sql.__main__ import create_tables

    await create_tables(people_database.url)
    admin = await psycopg.AsyncConnection.connect(admin_url, autocommit=True)
    await admin.execute(example("-- rules.sql"))

    hub = example("# jupyterhub_config.py").replace("/srv/jupyterhub/", f"{tmp_path}/")
    hub = re.sub(r'ADMIN = ".*?"', f"ADMIN = {admin_url!r}", hub)
    (tmp_path / "histories-secret").write_bytes(b"secret")
    config = Settings()
    names: dict[str, Any] = {"c": config}
    exec(hub, names)
    stores = {}
    for person in ("alice", "bob"):
        spawner: Any = Settings()
        spawner.user.name, spawner.environment = person, {}
        await config.Spawner.pre_spawn_hook(spawner)
        await config.Spawner.pre_spawn_hook(spawner)  # on each start of the server
        monkeypatch.setenv("JUPYTERHUB_USER", person)
        server = Settings()
        code = example("JUPYTERHUB_USER")
        exec(fill_in(code, people_database.url, tmp_path), {"c": server})
        password = tmp_path / person
        password.write_text(spawner.environment["PGPASSWORD"])
        stores[person] = SQLSessionManager(
            url=server.AIServer.session_manager, password_file=str(password)
        )
        assert await stores[person].start() == []

    for person, store in stores.items():
        key = SessionKey(NOTEBOOK, CELL, person)
        await store.save_interaction(key, turn(f"from {person}"))
        await store.save_interaction(key, turn("again"))
        await store.put_blob(b"x", owner=person)
        assert len(await store.get_history(key)) == 2
        assert await store.list_owners() == [person]
        memories = KeyValueMemoryStore(store)
        assert await memories.replace("memory", None, b"- theirs\n", owner=person)
        assert await memories.read("memory", owner=person) == b"- theirs\n"
    assert await KeyValueMemoryStore(stores["bob"]).read("memory", owner="alice") is None
    other = SessionKey(NOTEBOOK, CELL, "alice")
    assert await stores["bob"].load_if_exists(other) is None
    assert await stores["bob"].list_sessions(owner="alice") == ([], 0)
    assert not await stores["bob"].delete(other)
    for write in (
        stores["bob"].save_interaction(other, turn("forged")),
        stores["bob"].put_blob(b"y", owner="alice"),
        stores["bob"].save_interaction(SessionKey(NOTEBOOK, CELL), turn("nobody's")),
        KeyValueMemoryStore(stores["bob"]).replace("proposals", None, b"{}", owner="alice"),
    ):
        with pytest.raises(StorageReadOnly):
            await write
    assert len(await stores["alice"].get_history(other)) == 2
    for store in stores.values():
        await store.close()
    for person in stores:
        await admin.execute(f"DROP OWNED BY hub_{person}; DROP ROLE hub_{person}")
    await admin.execute("DROP OWNED BY aiserver_people; DROP ROLE aiserver_people")
    await admin.close()


class Settings:
    """The object ``c`` of a configuration file, which accepts any name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        setattr(self, name, Settings())
        return getattr(self, name)
