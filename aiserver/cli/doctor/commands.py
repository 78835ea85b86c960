"""The command ``jupyter aiserver doctor``: run the checks and print their findings.

Invariants: the configuration is that of a Jupyter server in the current folder. The exit status is
1 if there is a problem, else 0. A check's exception is reported as a problem, and the others still
run.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from typing import Any

from ...commands import add_command
from ...errors import SettingError
from ..terminal import print_json
from .base import Finding, problem

Checks = list[tuple[str, Callable[[], list[Finding]]]]
"""The checks to run, each with its heading in the report."""

_CONFIGURATION_FIX = (
    "Fix jupyter_server_config.py in one of the config folders listed by “jupyter --paths”. "
    "Create a missing folder with mkdir -p."
)
_SIGNS = {"ok": "✓", "note": "!", "problem": "✗", "fix": "→"}
_ASCII_SIGNS = {"ok": "+", "note": "!", "problem": "x", "fix": "->"}


def add_commands(groups: Any) -> None:
    """Add the command ``doctor``."""
    command = add_command(groups, "doctor", "find problems and show how to fix them", run_doctor)
    command.add_argument("--ask", action="store_true", help="also send a test request to the model")
    command.add_argument("--json", action="store_true", help="print the findings as JSON")


def run_doctor(arguments: argparse.Namespace) -> int:
    """Run all checks; return the exit status."""
    report = [(name, _run_check(check)) for name, check in _create_checks(ask=arguments.ask)]
    if arguments.json:
        # Scripts read this, so the keys never change: "mend" is the fix.
        data = {
            name: [
                {"level": finding.level, "text": finding.text, "mend": finding.fix}
                for finding in findings
            ]
            for name, findings in report
        }
        print_json(data)
    else:
        _print(report)
    has_problem = any(finding.level == "problem" for _, findings in report for finding in findings)
    return 1 if has_problem else 0


def _create_checks(*, ask: bool) -> Checks:
    from ..stores import Configuration
    from .installation import check_installation
    from .model import check_model, check_proxies
    from .notebooks import check_notebooks
    from .storage import check_settings, check_store

    try:
        configuration = Configuration()
    except SettingError as error:
        finding = problem(error.message, _CONFIGURATION_FIX)
        return [("Configuration", lambda: [finding])]
    own: Checks = [
        ("Installation", lambda: check_installation(is_enabled=configuration.is_enabled)),
        ("Histories", lambda: asyncio.run(check_store(configuration.create_store()))),
        ("Notebooks", lambda: asyncio.run(check_notebooks(configuration))),
        ("Settings", lambda: check_settings(configuration.extension.make_models().folder)),
        ("Proxies", check_proxies),
        (
            "Model",
            lambda: asyncio.run(check_model(configuration.extension.make_models(), ask=ask)),
        ),
    ]
    return [*own, *configuration.extension.plugins.checks()]


def _run_check(check: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return check()
    except Exception as error:
        text = f"This check failed ({type(error).__name__}: {error})."
        return [problem(text, "Please report it with the output above.")]


def _supported_signs() -> dict[str, str]:
    """Return ASCII signs if the output's encoding lacks one of the usual signs."""
    try:
        "".join(_SIGNS.values()).encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return _ASCII_SIGNS
    return _SIGNS


def _print(report: list[tuple[str, list[Finding]]]) -> None:
    signs = _supported_signs()
    for name, findings in report:
        print(name)
        for finding in findings:
            print(f"  {signs[finding.level]} {finding.text}")
            if finding.fix:
                print(f"    {signs['fix']} {finding.fix}")
    problem_count = sum(
        finding.level == "problem" for _, findings in report for finding in findings
    )
    if problem_count:
        print(f"\n{problem_count} {'problem' if problem_count == 1 else 'problems'} found.")
    else:
        print("\nNo problems found.")
