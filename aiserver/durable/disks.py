"""What kind of disk a folder lies on: one of this machine, or one that others write, too.

What must hold: it is asked of the system's own table of mounts, nothing is tried and nothing is
written. Where there is no such table (it is Linux's), a disk counts as this machine's.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_MOUNTS = Path("/proc/mounts")
# File systems whose locks, renames and times other machines see late, or not at all.
_NETWORK = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "lustre"),
    *("fuse.glusterfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "beegfs", "gpfs"),
}
# Options that keep locks on the machine that takes them.
_OWN_LOCKS = {"nolock", "local_lock=all", "local_lock=flock", "localflock"}
SINGLE_SERVER_ADVICE = (
    "Do not let servers on two machines write to the same histories at the same time."
)
NO_LOCKS_NOTICE = (
    "The disk with the history folder does not support file locks (flock), so lock files are used "
    "instead. Saving takes a little longer."
)
OPEN_NOTICE = "Other users of this machine can read the history folder."
NOW_PRIVATE_NOTICE = (
    "The history folder was readable by other users of this machine. It is private now."
)
SHARED_NOTICE = "The history folder is shared with a group, so its members can read it."


class NetworkDisk(NamedTuple):
    """A file system that other machines can write."""

    kind: str
    locks_reach_others: bool

    @property
    def warning(self) -> str:
        """What a person should know, in a sentence."""
        text = f"The history folder is on a network file system ({self.kind})"
        return (
            f"{text}."
            if self.locks_reach_others
            else f"{text}; its locks are not visible to other machines."
        )


def network_disk(folder: Path) -> NetworkDisk | None:
    """The network file system that a folder lies on, or None."""
    try:
        # Bytes, as paths are: a disk may be called in another encoding than this machine's.
        lines = os.fsdecode(_MOUNTS.read_bytes()).splitlines()
        mounts = [fields[1:4] for line in lines if len(fields := line.split()) > 3]
    except OSError:
        return None
    real = folder.resolve()
    # The file system is that of the longest mount point above.
    kind, options, at = "", "", -1
    for point, name, given in mounts:
        mounted = Path(point.replace("\\040", " "))
        if real.is_relative_to(mounted) and len(mounted.parts) >= at:
            kind, options, at = name, given, len(mounted.parts)
    if kind not in _NETWORK:
        return None
    return NetworkDisk(kind, not _OWN_LOCKS & set(options.split(",")))
