"""The wheel enables the server and the lab extension, without Node or another command."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import venv

import pytest

import aiserver

ROOT = pathlib.Path(aiserver.__file__).parent.parent


@pytest.mark.thorough
def test_the_wheel_contains_both_parts_as_they_are_in_the_sources(tmp_path):
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            tmp_path,
            ROOT,
        ],
        check=True,
        cwd=tmp_path,
    )
    (wheel,) = tmp_path.glob("aiserver-*.whl")
    target = tmp_path / "env"
    venv.create(target, with_pip=False)
    python = target / "bin" / "python"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            wheel,
        ],
        check=True,
    )
    config = json.loads((target / "etc/jupyter/jupyter_server_config.d/aiserver.json").read_text())
    assert config["ServerApp"]["jpserver_extensions"] == {"aiserver": True}
    lab = target / "share/jupyter/labextensions/aiserver"
    package = json.loads((lab / "package.json").read_text())
    assert (lab / package["jupyterlab"]["_build"]["load"]).is_file()
    assert {p.name for p in (lab / "schemas/aiserver").glob("*.json")} >= {
        "ask.json",
        "replay.json",
    }
    assert json.loads((lab / "install.json").read_text())["packageName"] == "aiserver"
    (package_folder,) = target.glob("lib/python3.*/site-packages/aiserver")
    for name in (
        "rest-api.yml",
        "schemas/session.schema.json",
        "plugins/local_models/server.py",
        "testing/contract/sessions.py",
        "testing/session-1.0.json",
    ):
        assert (package_folder / name).is_file()
    (info,) = target.glob("lib/python3.*/site-packages/aiserver-*.dist-info")
    assert "[jupyterlab.locale]\naiserver = aiserver\n" in (info / "entry_points.txt").read_text()
    # The built frontend is included only once.
    assert not (package_folder / "labextension").exists()
    assert (target / "bin" / "jupyter-aiserver").is_file()
    # The generated files are those that the sources generate now.
    subprocess.run(["node", "scripts/generate.mjs", "--check"], check=True, cwd=ROOT)
    for po in (ROOT / "translations").glob("*.po"):
        name = f"locale/{po.stem}/LC_MESSAGES/aiserver.json"
        assert (package_folder / name).read_bytes() == (ROOT / "aiserver" / name).read_bytes()
    scripts = [unescape(path.read_text("utf-8")) for path in lab.glob("static/*.js")]
    kernel_code = subprocess.check_output([sys.executable, ROOT / "scripts/kernel_code.py"])
    for name, text in json.loads(kernel_code).items():
        assert any(text in script for script in scripts), f"the labextension has an old {name}"


def unescape(script: str) -> str:
    """Replace the escapes of string literals, whichever of them the bundler has chosen."""
    escapes = {"n": "\n", "t": "\t", "r": "\r"}

    def character(match: re.Match[str]) -> str:
        code, escaped = match.groups()
        return chr(int(code[1:], 16)) if code else escapes.get(escaped, escaped)

    return re.sub(r"\\(?:(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|(.))", character, script)
