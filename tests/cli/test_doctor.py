"""``jupyter aiserver doctor``: each problem is reported with a fix."""

from __future__ import annotations

import argparse
import asyncio
import errno
import importlib.util
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aiserver import __version__, durable
from aiserver.cli import main as cli
from aiserver.cli.doctor import commands
from aiserver.cli.doctor.base import ok, problem
from aiserver.cli.doctor.model import check_proxies
from aiserver.cli.doctor.storage import check_settings, check_storage, check_store
from aiserver.errors import StorageUnreachable
from aiserver.sessions.memory import InMemorySessionManager

Doctor = Callable[..., tuple[int, dict[str, list[dict[str, str]]]]]


@pytest.fixture
def doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Doctor:
    """Run ``doctor`` in an empty folder, without a model and settings."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))

    def run(*more: str, **variables: str) -> tuple[int, Any]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        status = cli.main(["doctor", "--json", *more])
        output = capsys.readouterr()
        assert not output.err
        return status, json.loads(output.out)

    return run


def problems(report: dict[str, list[dict[str, str]]]) -> list[str]:
    return [f["text"] for group in report.values() for f in group if f["level"] == "problem"]


def test_the_missing_model_is_the_only_problem(doctor: Doctor, tmp_path: Path):
    status, report = doctor()
    assert status == 1
    assert problems(report) == ["No model is set up."]
    assert all(f["mend"] for group in report.values() for f in group if f["level"] == "problem")
    assert list((tmp_path / "work").iterdir()) == []  # it left nothing behind


def test_doctor_uses_the_configuration_of_the_server(doctor: Doctor, tmp_path: Path):
    configured = tmp_path / "configured"
    configured.mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "jupyter_server_config.json").write_text(
        json.dumps(
            {
                "ServerApp": {"jpserver_extensions": {"aiserver": False}},
                "FileSessionManager": {"root": str(configured)},
                "AIServer": {"model": "openai:gpt-4.1-mini"},
            }
        )
    )
    status, report = doctor()
    assert status == 1
    assert "The server extension is not enabled." in problems(report)
    assert str(configured) in report["Histories"][0]["text"]
    assert any("OpenAI" in text for text in problems(report))  # no key


def test_a_missing_configured_folder_is_reported_with_a_fix(doctor: Doctor, tmp_path: Path):
    (tmp_path / "config").mkdir()
    missing = tmp_path / "not" / "there"
    (tmp_path / "config" / "jupyter_server_config.json").write_text(
        json.dumps({"FileSessionManager": {"root": str(missing)}})
    )
    status, report = doctor()
    (finding,) = report["Histories"]
    assert (status, finding["text"]) == (1, f"The history folder does not exist: {missing}")
    assert f"mkdir -p {missing}" in finding["mend"]
    assert "FileSessionManager.root" in finding["mend"]
    assert not missing.parent.exists()


def test_a_configuration_that_jupyter_rejects_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Jupyter prints that ``ServerApp.root_dir`` doesn't exist; doctor prints how to fix it."""
    missing = str(tmp_path / "nowhere")
    (tmp_path / "jupyter_server_config.json").write_text(
        json.dumps({"ServerApp": {"root_dir": missing}})
    )
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    command = [sys.executable, "-m", "aiserver.cli.main", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert missing in done.stderr
    assert "Jupyter can't start" in done.stdout and "mkdir -p" in done.stdout


def test_a_settings_folder_that_cannot_be_created_is_a_problem(doctor: Doctor, tmp_path: Path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "config").mkdir()
    rules = {"ModelRegistry": {"data_dir": str(tmp_path / "file" / "settings")}}
    (tmp_path / "config" / "jupyter_server_config.json").write_text(json.dumps(rules))
    _, report = doctor()
    (finding,) = report["Settings"]
    assert finding["level"] == "problem" and "is not a folder" in finding["text"]
    assert "ModelRegistry.data_dir" in finding["mend"]


def test_the_settings_check_leaves_no_files(tmp_path: Path):
    (finding,) = check_settings(tmp_path / "one" / "two")
    assert finding.level == "ok" and list(tmp_path.iterdir()) == []
    (finding,) = check_settings(Path("/proc/self"))  # not writable, even by root
    assert finding.level == "problem" and "chmod" in finding.fix


def test_a_model_that_is_not_allowed_is_not_used(doctor: Doctor, tmp_path: Path):
    """With ``--ask``, no request is sent to a model that isn't allowed."""
    (tmp_path / "config").mkdir()
    rules = {"model": "openai:gpt-4.1-mini", "allowed_models": ["local:*"]}
    (tmp_path / "config" / "jupyter_server_config.json").write_text(json.dumps({"AIServer": rules}))
    status, report = doctor("--ask", OPENAI_API_KEY="canary", OPENAI_BASE_URL="http://127.0.0.1:9")
    assert status == 1
    assert problems(report)[-1] == "No model is set up."
    assert "OpenAI" not in json.dumps(report)


PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture
def without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_proxies_are_named_without_passwords(
    doctor: Doctor, without_proxies: None, monkeypatch: pytest.MonkeyPatch
):
    """P8"""
    assert doctor()[1]["Proxies"] == [{"level": "ok", "text": "No proxy is set.", "mend": ""}]
    _, report = doctor(
        HTTP_PROXY="http://ignored:1",
        http_proxy="proxy.example:3128",
        HTTPS_PROXY="http://canary-user:canary@word@proxy.example:8080/",
        all_proxy="socks5h://canary-user:canary@[::1]:1080",
        NO_PROXY="localhost,.example",
    )
    texts = [finding["text"] for finding in report["Proxies"]]
    assert texts[:3] == [
        "http_proxy: http://proxy.example:3128",
        "HTTPS_PROXY: http://proxy.example:8080",
        "all_proxy: socks5h://[::1]:1080",
    ]
    assert "localhost,.example" in texts[3]
    assert "never use a proxy" in texts[4]
    assert "canary" not in str(report)


@pytest.mark.parametrize(
    ("value", "text", "fix"),
    [
        ("socks5://127.0.0.1:1", "socks5://127.0.0.1:1 needs one more", "httpx[socks]"),
        ("socks://u:canary@127.0.0.1:1", "no valid address", "socks5"),
        ("http://", "no valid address", "scheme://host:port"),
        ("http://u:canary@[::1", "no valid address", "scheme://host:port"),
        ("http://u:canary@h:port", "no valid address", "scheme://host:port"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_a_problem(
    without_proxies: None, monkeypatch: pytest.MonkeyPatch, value: str, text: str, fix: str
):
    monkeypatch.setenv("ALL_PROXY", value)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (finding, _) = check_proxies()
    assert finding.level == "problem"
    assert text in finding.text and fix in finding.fix
    assert "canary" not in finding.text


def test_a_labextension_of_another_version_is_reported(doctor: Doctor, tmp_path: Path):
    stale = tmp_path / "share" / "labextensions" / "aiserver"
    stale.mkdir(parents=True)
    (stale / "package.json").write_text('{"name": "aiserver", "version": "0.0.1"}')
    _, report = doctor(JUPYTER_PATH=str(tmp_path / "share"))
    assert (
        f"The JupyterLab extension has version 0.0.1, the server extension {__version__}."
        in problems(report)
    )


def test_a_folder_that_is_not_writable_is_a_problem(tmp_path: Path):
    levels = [finding.level for finding in check_storage(Path("/proc/self"))]
    assert "problem" in levels
    (tmp_path / "real").mkdir()
    (tmp_path / ".aiserver_sessions").symlink_to(tmp_path / "real")
    assert any("link" in f.text for f in check_storage(tmp_path) if f.level == "problem")
    (tmp_path / ".aiserver_sessions").unlink()
    (tmp_path / ".aiserver_sessions").write_text("no folder")
    assert any("is a file" in f.text for f in check_storage(tmp_path) if f.level == "problem")


def test_readable_by_others_and_damaged_histories_are_noted(tmp_path: Path):
    folder = tmp_path / ".aiserver_sessions"
    folder.mkdir(mode=0o755)
    (folder / "nb_c1.json").write_text("{}")
    (folder / "nb_c2.json.corrupt-1").write_text("{")
    where, rights, *_ = check_storage(tmp_path)
    assert "1 cells" in where.text and "1 damaged" in where.text and where.level == "note"
    assert "Other users" in rights.text
    assert sorted(path.name for path in folder.iterdir()) == ["nb_c1.json", "nb_c2.json.corrupt-1"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_pipe_that_is_named_like_a_history_is_not_read(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    folder = tmp_path / ".aiserver_sessions"
    folder.mkdir(mode=0o700)
    os.mkfifo(folder / "nb_c1.json")
    assert [f.text for f in check_storage(tmp_path) if f.level == "problem"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows locks every disk")
def test_a_disk_without_locks_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def flock(fd: int, operation: int) -> None:
        raise OSError(errno.ENOSYS, "injected")

    monkeypatch.setattr("aiserver.durable.flock", flock)
    findings = check_storage(tmp_path)
    assert [f.text for f in findings if f.level == "problem"] == []
    assert any("lock files" in f.text for f in findings if f.level == "note")
    assert list(tmp_path.iterdir()) == []


def test_a_failing_check_is_reported_and_the_others_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def failing() -> Any:
        raise RuntimeError("out of order")

    monkeypatch.setattr(
        commands, "_create_checks", lambda ask: [("One", failing), ("Two", lambda: [ok("fine")])]
    )
    arguments = argparse.Namespace(ask=False, json=False)
    assert commands.run_doctor(arguments) == 1
    printed = capsys.readouterr().out
    assert "out of order" in printed and "✓ fine" in printed and "1 problem found." in printed


@pytest.mark.parametrize(
    ("encoding", "lines"),
    [
        ("utf-8", ["  ✓ 王小明的文件夹 🗂", "  ✗ bad", "    → 修一下"]),
        ("gbk", ["  + 王小明的文件夹 \\U0001f5c2", "  x bad", "    -> 修一下"]),
        ("ascii", ["  + \\u738b\\u5c0f\\u660e\\u7684\\u6587\\u4ef6\\u5939 \\U0001f5c2"]),
    ],
)
def test_doctor_prints_in_every_encoding(monkeypatch, encoding: str, lines: list[str]):
    """A Chinese Windows writes files in GBK, a bare container in ASCII; neither has a tick mark."""
    stdout = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stdout, encoding=encoding))
    findings = [ok("王小明的文件夹 🗂"), problem("bad", "修一下")]
    monkeypatch.setattr(
        commands, "_create_checks", lambda *, ask: [("Histories", lambda: findings)]
    )
    assert cli.main(["doctor"]) == 1
    sys.stdout.flush()
    output = stdout.getvalue().decode(encoding).splitlines()
    assert output[0] == "Histories"
    assert output[1 : 1 + len(lines)] == lines


def test_a_mount_point_in_another_encoding_is_ignored(monkeypatch, tmp_path: Path):
    """A Chinese USB stick may be mounted as 我的 in GBK, which is not UTF-8."""
    mounts = tmp_path / "mounts"
    mounts.write_bytes(
        b"/dev/sdb /media/\xce\xd2\xb5\xc4 vfat rw 0 0\n"
        b"x:/y " + bytes(tmp_path).replace(b" ", b"\\040") + b" nfs4 rw 0 0\n"
    )
    monkeypatch.setattr(durable, "_MOUNT_TABLE", mounts)
    assert any("nfs4" in finding.text for finding in check_storage(tmp_path))


class Unreachable(InMemorySessionManager):
    """A database that doesn't answer."""

    async def start(self) -> list[str]:
        raise StorageUnreachable


def test_an_unreachable_database_is_reported_without_its_password():
    """P8"""
    store = Unreachable(url="redis://me:canary-42@127.0.0.1:9/0")
    (finding,) = asyncio.run(check_store(store))
    assert finding.level == "problem" and "redis://me:…@127.0.0.1:9/0" in finding.text
    assert "Can’t connect" in finding.text and finding.fix
    assert "canary-42" not in str(finding)


def test_limits_of_a_store_are_noted(doctor: Doctor, tmp_path: Path):
    (tmp_path / "config").mkdir()
    settings = {"AIServer": {"session_manager": "memory"}}
    (tmp_path / "config" / "jupyter_server_config.json").write_text(json.dumps(settings))
    _, report = doctor()
    where, notice = report["Histories"]
    assert where["level"] == "ok" and "InMemorySessionManager" in where["text"]
    assert notice["level"] == "note" and "lost when the server stops" in notice["text"]
