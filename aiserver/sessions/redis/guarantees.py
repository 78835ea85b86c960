"""What a Redis server promises of what it was given, in sentences. Pure.

What must hold: each way in which something acknowledged could be lost is said; a server that loses
nothing as it is set up gets no sentence.
"""

from __future__ import annotations

from collections.abc import Mapping

_ASK = "To lose nothing, set “appendonly yes” and “appendfsync always” in Redis."


def sentences(info: Mapping[str, str], config: Mapping[str, str] | None) -> list[str]:
    """What should be known. ``config`` is None where Redis doesn't tell its settings."""
    said = _on_disk(info, config)
    if info.get("redis_mode") == "cluster":
        said.append("A Redis Cluster can't keep the histories. Use a single Redis server.")
    if info.get("aof_enabled") == "1" and info.get("aof_last_write_status") == "err":
        said.append("Redis could not write to its disk lately: look into its log.")
    elif info.get("rdb_last_bgsave_status") == "err":
        said.append("Redis could not write its last snapshot to its disk: look into its log.")
    if info.get("role") == "slave":
        said.append("This Redis is a copy of another one. Give the address of that one instead.")
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and info.get("maxmemory", "0") != "0":
        said.append(
            f"When its memory is full, this Redis throws away what it keeps (“maxmemory-policy "
            f"{policy}”), histories too. Set “noeviction”."
        )
    return said


def full(info: Mapping[str, str]) -> bool:
    """Whether there is no memory for one more write."""
    most = int(info.get("maxmemory", "0"))
    keeps = info.get("maxmemory_policy", "noeviction") == "noeviction"
    return most > 0 and keeps and int(info.get("used_memory", "0")) >= most


def _on_disk(info: Mapping[str, str], config: Mapping[str, str] | None) -> list[str]:
    if info.get("aof_enabled") == "1":
        return _of_the_log(config)
    if config is None:
        return [
            "Redis keeps no log of its writes, and doesn't tell whether it keeps snapshots: what "
            f"was saved lately, or all, is lost when its machine stops. {_ASK}"
        ]
    if config.get("save"):
        return [
            "Redis keeps snapshots only: what was saved since the last one is lost when it is "
            f"killed or its machine stops. {_ASK}"
        ]
    return [f"Redis keeps histories in memory only: they are gone when it stops. {_ASK}"]


def _of_the_log(config: Mapping[str, str] | None) -> list[str]:
    if config is None:
        return [
            "Redis keeps a log of its writes, and doesn't tell how soon that is on disk: the last "
            "second or more may be lost when its machine stops. Ask whoever looks after it for "
            "“appendfsync always”."
        ]
    how = config.get("appendfsync")
    if how == "everysec":
        return [f"The last second of histories is lost when the machine of Redis stops. {_ASK}"]
    if how != "always":
        return [f"The last minute of histories may be lost when Redis's machine stops. {_ASK}"]
    if config.get("no-appendfsync-on-rewrite") == "yes":
        return [
            "While Redis rewrites its log, what is saved is not on disk at once. "
            "Set “no-appendfsync-on-rewrite no”."
        ]
    return []
