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

from .base import Finding, problem

Checks = list[tuple[str, Callable[[], list[Finding]]]]
_REFUSED = "Jupyter can't start with this configuration; see the line above."
_MEND_CONFIGURATION = (
    "Fix jupyter_server_config.py in one of the config folders listed by “jupyter --paths”. "
    "Create a missing folder with mkdir -p."
)
_SIGNS = {"ok": "✓", "note": "!", "problem": "✗", "mend": "→"}
_PLAIN = {"ok": "+", "note": "!", "problem": "x", "mend": "->"}


def add_commands(groups: Any) -> None:
    """Add the command to the command line."""
    text = "find problems and show how to fix them"
    command = groups.add_parser("doctor", help=text, description=f"{text.capitalize()}.")
    command.add_argument("--ask", action="store_true", help="also send a test request to the model")
    command.add_argument("--json", action="store_true", help="print the findings as JSON")
    command.set_defaults(run=run_doctor)


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
    from ..config import configured_extension, configured_server, start_folder
    from .installation import check_installation
    from .model import check_model
    from .storage import check_settings
    from .store import check_store

    try:
        server = configured_server()
    except SystemExit:  # Jupyter has printed the reason
        return [("Configuration", lambda: [problem(_REFUSED, _MEND_CONFIGURATION)])]

    def installation() -> list[Finding]:
        return check_installation(enabled=bool(server.jpserver_extensions.get("aiserver")))

    def storage() -> list[Finding]:
        extension = configured_extension(server)
        store = extension.make_sessions(start_folder(server))
        return asyncio.run(check_store(store))

    def settings() -> list[Finding]:
        return check_settings(configured_extension(server).make_models().folder)

    def model() -> list[Finding]:
        async def look() -> list[Finding]:
            models = configured_extension(server).make_models()
            try:
                return await check_model(models, ask=ask)
            finally:
                await models.close()

        return asyncio.run(look())

    return [
        ("Installation", installation),
        ("Histories", storage),
        ("Settings", settings),
        ("Model", model),
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
