"""The example of a session manager passes the contract suite, which finds a broken one."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from aiserver.errors import SettingError
from aiserver.sessions.factory import ENTRY_POINT_GROUP, create_session_manager
from aiserver.testing import contract

EXAMPLE = Path(__file__).parent.parent / "examples" / "session-manager"
QUICK = """
from hypothesis import settings

settings.register_profile("quick", max_examples=3)
settings.load_profile("quick")
"""
BROKEN = """
import pytest

from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing import Backend

pytest_plugins = ["aiserver.testing"]


class Forgetful(InMemorySessionManager):
    async def get_history(self, key, **bounds):
        return []


class ForgetfulBackend(Backend):
    def __init__(self):
        self.manager = Forgetful()

    def open(self):
        return self.manager


@pytest.fixture
def backend():
    return ForgetfulBackend()
"""


def run_suite(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    quick = folder / "quick_profile.py"
    quick.write_text(QUICK, "utf-8")
    plugins = ["-p", "quick_profile", "-p", "no:cacheprovider", "-W", "error"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-ra", *plugins, *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(EXAMPLE)])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.thorough
def test_the_example_passes_the_suite(tmp_path: Path) -> None:
    done = run_suite(tmp_path, f"--rootdir={EXAMPLE}", str(EXAMPLE / "tests"))
    assert done.returncode == 0, done.stdout
    summary = done.stdout.splitlines()[-1]
    assert "passed" in summary
    assert "skipped" not in summary


@pytest.mark.thorough
def test_the_suite_explains_failures_and_skips(tmp_path: Path) -> None:
    """Assertions are rewritten, and tests without a way to plant data name what is missing."""
    (tmp_path / "conftest.py").write_text(BROKEN, "utf-8")
    text = "from aiserver.testing.contract import *\n"
    (tmp_path / "test_forgetful.py").write_text(text, "utf-8")
    done = run_suite(tmp_path, f"--rootdir={tmp_path}", "-k", "context_reset or newer")
    assert done.returncode == 1, done.stdout
    assert "assert [] == ['two', 'three', 'four']" in done.stdout
    assert "ForgetfulBackend.plant is not implemented" in done.stdout


def test_the_suite_has_the_tests_of_all_its_modules() -> None:
    folder = Path(contract.__file__).parent
    sources = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    assert sources.count("def test_") == len(contract.__all__)


def test_without_the_package_its_name_is_unknown() -> None:
    assert "onetable" not in {entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)}
    with pytest.raises(SettingError, match="Unknown session store"):
        create_session_manager("onetable:////tmp/histories.db")


def test_the_example_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = (EXAMPLE / "pyproject.toml").read_text("utf-8")
    entry = 'onetable = "aiserver_onetable:OneTableSessionManager"'
    assert f'[project.entry-points."{ENTRY_POINT_GROUP}"]\n{entry}\n' in project
    info = tmp_path / "aiserver_onetable-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: aiserver-onetable\nVersion: 0.1\n")
    text = f"[{ENTRY_POINT_GROUP}]\n{entry}\n".replace('"', "")
    (info / "entry_points.txt").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SettingError, match="needs the package “aiserver_onetable”"):
        create_session_manager("onetable:////tmp/histories.db")
    monkeypatch.syspath_prepend(str(EXAMPLE))
    store = create_session_manager("onetable:////tmp/histories.db")
    assert type(store).__name__ == "OneTableSessionManager"
