"""Check that AI Server is installed completely and enabled in Jupyter.

The checks read the distributions, the extension configuration and the labextension's
``package.json``. They change nothing and import no frontend.
"""

from __future__ import annotations

import importlib.metadata as metadata
import json
import platform
import sys
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from ... import __version__
from .base import Finding, note, ok, problem

_REINSTALL = "pip install --force-reinstall aiserver"
_FRONTENDS = {"jupyterlab": ("4.5", "5"), "notebook": ("7.5", "8")}


def check_installation(*, enabled: bool) -> list[Finding]:
    """Check the Python and browser parts; ``enabled``: whether the server extension is enabled."""
    server = _server_extension(enabled)
    return [_versions(), *_requirements(), *_frontends(), server, *_labextension()]


def _versions() -> Finding:
    python = f"Python {platform.python_version()} in {sys.prefix}"
    return ok(f"AI Server {__version__}, Jupyter Server {_version('jupyter_server')}, {python}")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _requirements() -> list[Finding]:
    """Check the requirements of AI Server's distribution."""
    try:
        requirements = [Requirement(line) for line in metadata.requires("aiserver") or []]
    except metadata.PackageNotFoundError:
        text = "The package aiserver is not installed in this environment."
        return [problem(text, "pip install aiserver")]
    findings = []
    for requirement in requirements:
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        version = _version(requirement.name)
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            installed = f"{requirement.name} {version} is installed" if version else "not installed"
            findings.append(problem(f"{requirement} is required, but {installed}.", _REINSTALL))
    return findings


def _frontends() -> list[Finding]:
    """Check that JupyterLab or Notebook is installed in a supported version."""
    findings = []
    for name, (low, high) in _FRONTENDS.items():
        version = _version(name)
        if version is None:
            continue
        if Version(low) <= Version(version) < Version(high):
            findings.append(ok(f"{name} {version}"))
        else:
            mend = f"pip install '{name}>={low},<{high}'"
            text = f"AI Server requires {name} {low} or newer, below {high}; "
            findings.append(problem(f"{text}{version} is installed.", mend))
    return findings or [
        note(
            "JupyterLab and Notebook are not installed in this environment.",
            "Install AI Server in the same environment as JupyterLab, or run: "
            "pip install jupyterlab",
        )
    ]


def _server_extension(enabled: bool) -> Finding:
    """Check that the server extension is enabled."""
    if enabled:
        return ok("The server extension is enabled.")
    return problem(
        "The server extension is not enabled.",
        "jupyter server extension enable aiserver",
    )


def _labextension() -> list[Finding]:
    """Check that the labextension is installed in the same version."""
    from jupyter_core.paths import jupyter_path

    folders = jupyter_path("labextensions")
    for folder in folders:
        package_file = Path(folder) / "aiserver" / "package.json"
        try:
            version = json.loads(package_file.read_text("utf-8"))["version"]
        except (OSError, ValueError, KeyError):
            continue
        if _plain(version) != _plain(__version__):
            text = (
                f"The JupyterLab extension has version {version}, the server extension "
                f"{__version__}."
            )
            return [problem(text, f"{_REINSTALL}, then reload the page")]
        return _disabled(folders) or [ok("The JupyterLab extension is installed and enabled.")]
    return [problem("The JupyterLab extension is not installed.", _REINSTALL)]


def _plain(version: str) -> str:
    """Normalize a version (npm writes 1.0.0-alpha.1)."""
    try:
        return str(Version(version))
    except ValueError:
        return version


def _disabled(folders: list[str]) -> list[Finding]:
    try:
        from jupyterlab_server.config import get_page_config
    except ImportError:
        return []
    entry = get_page_config(folders).get("disabledExtensions") or []
    names = [name for name in entry if name.partition(":")[0] == "aiserver"]
    return [
        problem(f"{name} is disabled in JupyterLab.", f"jupyter labextension enable {name}")
        for name in names
    ]
