"""Real database servers for the tests: PostgreSQL, MariaDB and Redis, each in its own folder.

All tests that use one are marked ``thorough``. Code above the stores is tested without a server.

Invariants: a server listens only on loopback, on a port that is reserved for it; no setting makes
it faster but less durable; it ends with the process that started it, and its folder is deleted. If
a server is not available, the tests that need it are skipped with a reason; under ``CI`` they fail.

``AISERVER_TEST_POSTGRES_URL``, ``…_MYSQL_URL`` and ``…_REDIS_URL`` are the URLs of running servers
to use instead. Their user must be allowed to create databases; in Redis, the database with the
highest number is emptied.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest

from .ports import ReservedPort, last_lines

PASSWORD = "canary-7c9e1f"  # must not appear in errors and logs
START = 60.0  # seconds until a server must respond


class Server(ABC):
    """A server. A context manager; it can be killed and restarted with its data."""

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]  # programs
    account: ClassVar[str]  # that runs the server if we are root
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self) -> None:
        self._reserved: ReservedPort | None = None
        self.folder = Path()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def port(self) -> int:
        """The port, the same for every start."""
        assert self._reserved
        return self._reserved.number

    @property
    @abstractmethod
    def url(self) -> str:
        """The administrator's URL for SQLAlchemy or redis-py."""

    @abstractmethod
    def prepare(self) -> None:
        """Initialize the server's empty folder."""

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command that runs it in the foreground."""

    @abstractmethod
    async def ping(self) -> None:
        """Send any request. Raises any exception until the server responds."""

    @classmethod
    def missing(cls) -> list[str]:
        """Return the programs that are not installed."""
        return [program for program in cls.needs if not _find(program)]

    @property
    def log(self) -> str:
        """The content of its log."""
        return (self.folder / "log").read_text(errors="replace")

    @property
    def pid(self) -> int:
        """The id of the server's process, a child of the one that changes the account."""
        assert self._process
        return self._process.pid

    def __enter__(self) -> Server:
        self.folder = Path(tempfile.mkdtemp(prefix=f"aiserver-{self.name}-"))
        self._reserved = ReservedPort()
        try:
            self.prepare()
            if self._other_account():
                for path in (self.folder, *self.folder.rglob("*")):
                    shutil.chown(path, self.account, self.account)
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._reserved:
            self._reserved.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server, and wait until it responds."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._as_account(self.command()), stdout=log, stderr=log, cwd=self.folder
            )
        until = time.monotonic() + START
        while True:
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.name} did not start:\n{last_lines(self.log)}")
            try:
                run(asyncio.wait_for(self.ping(), 5))
                return
            except Exception:
                if time.monotonic() > until:
                    lines = last_lines(self.log)
                    raise RuntimeError(f"{self.name} does not answer:\n{lines}") from None
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop it regularly."""
        self._end(self.stop_signal)

    def kill(self) -> None:
        """Kill it, like a power failure of this server.

        PostgreSQL's processes end shortly after their parent. Until then, it can't start again.
        """
        children = psutil.Process(self.pid).children(recursive=True)
        self._end(signal.SIGKILL)
        psutil.wait_procs(children, timeout=30)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _other_account(self) -> bool:
        if sys.platform == "win32" or os.geteuid() != 0:
            return False
        import pwd

        with contextlib.suppress(KeyError):
            return bool(pwd.getpwnam(self.account))
        return False

    def _as_account(self, command: list[str]) -> list[str]:
        """Run a command as the server's account, so that it ends with this process."""
        if sys.platform != "linux":
            return command
        start = ["setpriv", f"--pdeathsig={self.stop_signal.name.removeprefix('SIG')}"]
        if self._other_account():
            start += [f"--reuid={self.account}", f"--regid={self.account}", "--clear-groups"]
        return [*start, *command]

    def run_once(self, *command: str | Path) -> None:
        """Run a program as the server's account, and wait until it ends."""
        if self._other_account():
            shutil.chown(self.folder, self.account)
        arguments = [_find(str(command[0])), *map(str, command[1:])]
        done = subprocess.run(
            self._as_account(arguments), cwd=self.folder, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


class PostgreSQL(Server):
    """PostgreSQL, with a superuser ``tester`` who has a password."""

    name, account = "postgresql", "postgres"
    needs = ("initdb", "postgres")
    stop_signal = signal.SIGINT  # "fast": don't wait for clients

    @property
    def url(self) -> str:
        return f"postgresql://tester:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def prepare(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if self._other_account():
            shutil.chown(secret, self.account)
        options = ("--username=tester", "--auth=scram-sha-256", "--encoding=UTF8", "--no-locale")
        data = self.folder / "data"
        self.run_once("initdb", "--no-sync", *options, "--pwfile", secret, "--pgdata", data)

    def command(self) -> list[str]:
        settings = (
            "listen_addresses=127.0.0.1",
            f"port={self.port}",
            f"unix_socket_directories={self.folder}",
            "max_connections=200",
        )
        options = [part for setting in settings for part in ("-c", setting)]
        return [_find("postgres"), "-D", str(self.folder / "data"), *options]

    async def ping(self) -> None:
        import psycopg

        psycopg.connect(self.url).close()


class MariaDB(Server):
    """MariaDB, with an administrator ``tester`` who has a password."""

    name, account = "mariadb", "mysql"
    needs = ("mariadb-install-db", "mariadbd")

    @property
    def url(self) -> str:
        return f"mysql://tester:{PASSWORD}@127.0.0.1:{self.port}/mysql"

    def prepare(self) -> None:
        (self.folder / "init.sql").write_text(
            f"CREATE USER IF NOT EXISTS tester@'%' IDENTIFIED BY '{PASSWORD}';\n"
            "GRANT ALL PRIVILEGES ON *.* TO tester@'%' WITH GRANT OPTION;\n"
        )
        options = ("--no-defaults", "--skip-test-db", "--skip-name-resolve")
        self.run_once("mariadb-install-db", *options, f"--datadir={self.folder / 'data'}")

    def command(self) -> list[str]:
        return [
            _find("mariadbd"),
            "--no-defaults",
            f"--datadir={self.folder / 'data'}",
            f"--socket={self.folder / 'socket'}",
            f"--pid-file={self.folder / 'pid'}",
            f"--init-file={self.folder / 'init.sql'}",
            f"--port={self.port}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--max-connections=200",
            *([] if self._other_account() else [f"--user={getpass.getuser()}"]),
        ]

    async def ping(self) -> None:
        import pymysql

        pymysql.connect(host="127.0.0.1", port=self.port, user="tester", password=PASSWORD).close()


class Redis(Server):
    """Redis that persists each write before it responds (``appendfsync always``)."""

    name, account = "redis", "redis"
    needs = ("redis-server",)

    def __init__(self, *options: str) -> None:
        super().__init__()
        self._options = options

    @property
    def url(self) -> str:
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        """Do nothing; Redis needs no initialization."""

    def command(self) -> list[str]:
        options = f"--port {self.port} --bind 127.0.0.1 --requirepass {PASSWORD} --dir".split()
        persistence = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        return [_find("redis-server"), *options, str(self.folder), *persistence, *self._options]

    async def ping(self) -> None:
        import redis.asyncio

        async with redis.asyncio.Redis.from_url(self.url) as client:
            await client.ping()


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine, even while an event loop is running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def new_database(url: str) -> str:
    """Create an empty database on a PostgreSQL or MariaDB server; return its URL."""
    from sqlalchemy import create_engine, make_url, text

    from aiserver.sessions.sql.address import resolve_address

    name = f"test_{uuid.uuid4().hex[:12]}"
    engine = create_engine(resolve_address(url, "", "").url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def _find(program: str) -> str:
    """Return the path of a program, or “”. Debian installs PostgreSQL's outside of PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name))
    folders = os.pathsep.join([os.environ["PATH"], "/usr/sbin", *map(str, reversed(versions))])
    return shutil.which(program, path=folders) or ""


def _served(kind: type[Server], variable: str) -> Iterator[str]:
    if url := os.environ.get(variable):
        yield url
        return
    need(kind, variable)
    with kind() as server:
        yield server.url


def need(kind: type[Server], variable: str = "") -> None:
    """Skip the test, or fail it under ``CI``, if this kind of server can't be started."""
    if missing := kind.missing():
        ways = f", nor does {variable} name a server" if variable else ""
        reason = f"no {kind.name}: {', '.join(missing)} not found{ways}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def on_servers(*kinds: str, more: tuple[Any, ...] = ()) -> list[Any]:
    """Return parameters for tests that need a server of each kind, with a mark."""
    return [pytest.param(kind, *more, marks=pytest.mark.thorough) for kind in kinds]


@pytest.hookimpl(tryfirst=True)  # before items are deselected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests with a fixture that runs a server."""
    servers = {"postgres_url", "mysql_url", "redis_url", "redis_server"}
    for item in items:
        if servers & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.thorough)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Run a PostgreSQL for all tests."""
    yield from _served(PostgreSQL, "AISERVER_TEST_POSTGRES_URL")


@pytest.fixture(scope="session")
def mysql_url() -> Iterator[str]:
    """Run a MariaDB for all tests."""
    yield from _served(MariaDB, "AISERVER_TEST_MYSQL_URL")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Run a Redis for all tests."""
    yield from _served(Redis, "AISERVER_TEST_REDIS_URL")


def serve(kind: type[Server]) -> None:
    """Run a server with an empty database for the browser tests, until SIGTERM.

    SIGUSR1 kills it, SIGUSR2 restarts it.
    """
    wanted = {signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2}
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    with kind() as server:
        print("ready", new_database(server.url), flush=True)
        while (got := signal.sigwait(wanted)) != signal.SIGTERM:
            if got == signal.SIGUSR1:
                server.kill()
            else:
                server.start()
            print("done", flush=True)


if __name__ == "__main__":
    kinds: dict[str, Any] = {"postgresql": PostgreSQL, "mariadb": MariaDB}
    serve(kinds[sys.argv[1]])
