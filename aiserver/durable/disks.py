"""Detect network file systems, and define the notices about a history folder and its disk.

The type of a disk is read from the mount table ``/proc/mounts``, which only Linux has. On other
systems, every disk counts as local.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from ..errors import UserText

_MOUNT_TABLE = Path("/proc/mounts")
# On these file systems, other machines see locks, renames and times late or not at all.
_NETWORK_FILE_SYSTEMS = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "lustre"),
    *("fuse.glusterfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.rclone", "beegfs", "gpfs"),
}
# With these mount options, other machines don't see the locks of this machine.
_LOCAL_LOCK_OPTIONS = {"nolock", "local_lock=all", "local_lock=flock", "localflock"}
SINGLE_SERVER_ADVICE = (
    "Do not let servers on two machines write to the same histories at the same time."
)
NO_LOCKS_NOTICE = UserText(
    "The disk with the history folder does not support file locks (flock), so lock files are used "
    "instead. Saving takes a little longer."
)
OPEN_NOTICE = "Other users of this computer can read the history folder."
NOW_PRIVATE_NOTICE = (
    "The history folder was readable by other users of this computer. It is private now."
)
SHARED_NOTICE = "The history folder is shared with a group, so its members can read it."


class NetworkDisk(NamedTuple):
    """A file system to which other machines may write, too."""

    kind: str
    """The name of the file system in the mount table, such as ``nfs4``."""
    has_shared_locks: bool
    """Whether other machines see the locks of this machine."""

    @property
    def warning(self) -> str:
        text = f"The history folder is on a network file system ({self.kind})"
        return (
            f"{text}."
            if self.has_shared_locks
            else f"{text}; its locks are not visible to other machines."
        )


def network_disk(folder: Path) -> NetworkDisk | None:
    """Return the network file system of a folder, or None if its disk is local."""
    try:
        # Read as bytes, because the name of a mount point may not be valid text.
        lines = os.fsdecode(_MOUNT_TABLE.read_bytes()).splitlines()
        mounts = [fields[1:4] for line in lines if len(fields := line.split()) > 3]
    except OSError:
        return None
    resolved_folder = folder.resolve()
    # If several mount points contain the folder, the folder is on the deepest of them. If a mount
    # point occurs twice in the table, the later line counts.
    kind, options, depth = "", "", -1
    for mount_point, mount_kind, mount_options in mounts:
        mount_folder = Path(mount_point.replace("\\040", " "))  # the table's escape for a space
        if resolved_folder.is_relative_to(mount_folder) and len(mount_folder.parts) >= depth:
            kind, options, depth = mount_kind, mount_options, len(mount_folder.parts)
    if kind not in _NETWORK_FILE_SYSTEMS:
        return None
    return NetworkDisk(kind, not _LOCAL_LOCK_OPTIONS & set(options.split(",")))
