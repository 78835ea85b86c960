"""Fetch the public files of the sets.

    python -m benchmarks.suite.fetch [--from FOLDER] [--only SOURCE] [--sha256 PATH=SUM]

The files are written to ``benchmarks/data/fetched``, which isn't part of the repository. Each is
written only if its SHA-256 is the one in ``sources.json``. ``--from`` reads the files from local
copies of the repositories, in folders with the names of the repositories, such as
``FOLDER/numpy-100``. A file whose sum nobody has recorded needs ``--sha256``: the command prints
the sum of what it gets, so that you can compare it with a sum that you trust.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import httpx

from .sources import Source, sha256, sources


class WrongChecksum(Exception):
    """A file isn't the expected one."""


def fetch(source: Source, path: str, folder: Path | None, accepted: Mapping[str, str]) -> bool:
    """Fetch one file unless it is there; return whether it is there now.

    Raises ``WrongChecksum``; ``httpx.HTTPError`` if the address can't be read.
    """
    expected = source.files[path] or accepted.get(path)
    target = source.path(path)
    if target.exists() and sha256(target.read_bytes()) == expected:
        return True
    if folder is not None:
        local = folder / source.repository.partition("/")[2] / path
        if not local.exists():
            return False
        data = local.read_bytes()
    else:
        response = httpx.get(source.address(path), follow_redirects=True, timeout=60)
        data = response.raise_for_status().content
    if sha256(data) != expected:
        raise WrongChecksum(f"{path} has the SHA-256 {sha256(data)}, not {expected}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return True


def main() -> None:
    """Fetch all files, and report those that are missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--from", dest="folder", type=Path, help="local copies of the repositories")
    parser.add_argument("--only", choices=sorted(sources()), help="fetch only this source")
    parser.add_argument("--sha256", action="append", default=[], metavar="PATH=SUM")
    options = parser.parse_args()
    accepted = dict(pair.rsplit("=", 1) for pair in options.sha256)
    failures = 0
    for source in sources().values():
        if options.only not in (None, source.name):
            continue
        count = 0
        for path in source.files:
            try:
                is_there = fetch(source, path, options.folder, accepted)
                reason = "not in the folder"
            except (WrongChecksum, httpx.HTTPError) as error:
                is_there, reason = False, str(error)
            count += is_there
            failures += not is_there
            if not is_there:
                print(f"{source.name}: {path}: {reason}")
        print(f"{source.name} ({source.licence}): {count} of {len(source.files)} files")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
