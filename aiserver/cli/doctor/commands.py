"""The command ``jupyter aiserver doctor``: run the checks and print their findings.

Invariants: it uses the configuration of a server started in the same folder. Its exit status is 1
if there is a problem, else 0. A check that fails is reported as a problem, and the others run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ...errors import SettingError
from ..commands import add_command
from .base import Finding, problem

Checks = list[tuple[str, Callable[[], list[Finding]]]]
_MEND_CONFIGURATION = (
    "Fix jupyter_server_config.py in one of the config folders listed by “jupyter --paths”. "
    "Create a missing folder with mkdir -p."
)
_SIGNS = {"ok": "✓", "note": "!", "problem": "✗", "mend": "→"}
_PLAIN = {"ok": "+", "note": "!", "problem": "x", "mend": "->"}


def add_commands(groups: Any) -> None:
    """Add the command to the command line."""
    command = add_command(groups, "doctor", "find problems and show how to fix them", run_doctor)
    command.add_argument("--ask", action="store_true", help="also send a test request to the model")
    command.add_argument("--json", action="store_true", help="print the findings as JSON")


def run_doctor(arguments: argparse.Namespace) -> int:
    """Run all checks in the current folder."""
    report = [(name, _findings(check)) for name, check in _checks(ask=arguments.ask)]
    if arguments.json:
        data = {name: [asdict(finding) for finding in findings] for name, findings in report}
        print(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _print(report)
    bad = any(finding.level == "problem" for _, findings in report for finding in findings)
    return 1 if bad else 0


def _checks(*, ask: bool) -> Checks:
    from ..config import Configuration
    from .installation import check_installation
    from .model import check_model
    from .storage import check_settings
    from .store import check_store

    try:
        configuration = Configuration()
    except SettingError as error:
        finding = problem(error.message, _MEND_CONFIGURATION)
        return [("Configuration", lambda: [finding])]
    return [
        ("Installation", lambda: check_installation(enabled=configuration.is_enabled)),
        ("Histories", lambda: asyncio.run(check_store(configuration.create_store()))),
        ("Settings", lambda: check_settings(configuration.extension.make_models().folder)),
        (
            "Model",
            lambda: asyncio.run(check_model(configuration.extension.make_models(), ask=ask)),
        ),
    ]


def _findings(check: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return check()
    except Exception as error:
        # Any failure of a check is worth reporting.
        text = f"This check failed ({type(error).__name__}: {error})."
        return [problem(text, "Please report it with the output above.")]


def _signs() -> dict[str, str]:
    """Return the signs that the output's encoding supports."""
    try:
        "".join(_SIGNS.values()).encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return _PLAIN
    return _SIGNS


def _print(report: list[tuple[str, list[Finding]]]) -> None:
    signs = _signs()
    for name, findings in report:
        print(name)
        for finding in findings:
            print(f"  {signs[finding.level]} {finding.text}")
            if finding.mend:
                print(f"    {signs['mend']} {finding.mend}")
    problems = sum(f.level == "problem" for _, findings in report for f in findings)
    if problems:
        print(f"\n{problems} {'problem' if problems == 1 else 'problems'} found.")
    else:
        print("\nNo problems found.")
