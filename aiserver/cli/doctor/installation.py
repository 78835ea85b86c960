"""Check that AI Server is installed completely and enabled in Jupyter.

The checks change nothing, and import neither JupyterLab nor Notebook.
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
# Supported versions: `("4.5", "5")` means 4.5 or newer, but below 5.
_FRONTENDS = {"jupyterlab": ("4.5", "5"), "notebook": ("7.5", "8")}


def check_installation(*, is_enabled: bool) -> list[Finding]:
    """Check the server extension and the JupyterLab extension."""
    return [
        _report_versions(),
        *_check_requirements(),
        *_check_frontends(),
        _check_server_extension(is_enabled),
        *_check_labextension(),
    ]


def _report_versions() -> Finding:
    python = f"Python {platform.python_version()} in {sys.prefix}"
    return ok(f"AI Server {__version__}, Jupyter Server {_version('jupyter_server')}, {python}")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _check_requirements() -> list[Finding]:
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
            state = f"{requirement.name} {version} is installed" if version else "not installed"
            findings.append(problem(f"{requirement} is required, but {state}.", _REINSTALL))
    return findings


def _check_frontends() -> list[Finding]:
    findings = []
    for name, (low, high) in _FRONTENDS.items():
        version = _version(name)
        if version is None:
            continue
        if Version(low) <= Version(version) < Version(high):
            findings.append(ok(f"{name} {version}"))
        else:
            fix = f"pip install '{name}>={low},<{high}'"
            text = f"AI Server requires {name} {low} or newer, but below {high}; "
            findings.append(problem(f"{text}version {version} is installed.", fix))
    return findings or [
        note(
            "JupyterLab and Notebook are not installed in this environment.",
            "Install AI Server in the same environment as JupyterLab, or run: "
            "pip install jupyterlab",
        )
    ]


def _check_server_extension(is_enabled: bool) -> Finding:
    if is_enabled:
        return ok("The server extension is enabled.")
    return problem(
        "The server extension is not enabled.",
        "jupyter server extension enable aiserver",
    )


def _check_labextension() -> list[Finding]:
    from jupyter_core.paths import jupyter_path

    folders = jupyter_path("labextensions")
    for folder in folders:
        package_file = Path(folder) / "aiserver" / "package.json"
        try:
            version = json.loads(package_file.read_text("utf-8"))["version"]
        except (OSError, ValueError, KeyError):
            continue
        if _normalize(version) != _normalize(__version__):
            text = (
                f"The JupyterLab extension has version {version}, the server extension "
                f"{__version__}."
            )
            return [problem(text, f"{_REINSTALL}, then reload the page")]
        success = ok("The JupyterLab extension is installed and enabled.")
        return _find_disabled_plugins(folders) or [success]
    return [problem("The JupyterLab extension is not installed.", _REINSTALL)]


def _normalize(version: str) -> str:
    """Convert a version from npm's form to Python's: ``"1.0.0-alpha.1" -> "1.0.0a1"``."""
    try:
        return str(Version(version))
    except ValueError:
        return version


def _find_disabled_plugins(folders: list[str]) -> list[Finding]:
    try:
        from jupyterlab_server.config import get_page_config
    except ImportError:
        return []
    disabled = get_page_config(folders).get("disabledExtensions") or []
    names = [name for name in disabled if name.partition(":")[0] == "aiserver"]
    return [
        problem(f"{name} is disabled in JupyterLab.", f"jupyter labextension enable {name}")
        for name in names
    ]
