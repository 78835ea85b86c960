"""What a Redis server promises of what it was given, in sentences. Pure.

What must hold: each way in which something acknowledged could be lost is said; a server that loses
nothing as it is set up gets no sentence.
"""

from __future__ import annotations

from collections.abc import Mapping

_ASK = "To prevent data loss, set “appendonly yes” and “appendfsync always” in Redis."


def sentences(info: Mapping[str, str], config: Mapping[str, str] | None) -> list[str]:
    """What should be known. ``config`` is None where Redis doesn't tell its settings."""
    said = _on_disk(info, config)
    if info.get("redis_mode") == "cluster":
        said.append("Redis Cluster is not supported. Use a single Redis server.")
    if info.get("aof_enabled") == "1" and info.get("aof_last_write_status") == "err":
        said.append("Redis recently failed to write to its disk. Check the Redis log.")
    elif info.get("rdb_last_bgsave_status") == "err":
        said.append("Redis failed to write its last snapshot. Check the Redis log.")
    if info.get("role") == "slave":
        said.append("This Redis is a replica. Use the URL of its primary instead.")
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and info.get("maxmemory", "0") != "0":
        said.append(
            f"When it runs out of memory, this Redis deletes data (“maxmemory-policy {policy}”), "
            "including histories. Set “noeviction”."
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
            "Redis has no append-only file, and does not report whether it takes snapshots: some "
            f"or all changes are lost if Redis or its machine crashes. {_ASK}"
        ]
    if config.get("save"):
        return [
            "Redis only takes snapshots: changes since the last one are lost if Redis or its "
            f"machine crashes. {_ASK}"
        ]
    return [f"Redis keeps histories in memory only, so they are lost when it stops. {_ASK}"]


def _of_the_log(config: Mapping[str, str] | None) -> list[str]:
    if config is None:
        return [
            "Redis has an append-only file, but does not report how often it is flushed to disk: "
            "the last second of changes or more may be lost if its machine crashes. Ask its "
            "administrator to set “appendfsync always”."
        ]
    how = config.get("appendfsync")
    if how == "everysec":
        return [f"Up to one second of changes is lost if the Redis machine crashes. {_ASK}"]
    if how != "always":
        return [f"Up to a minute of changes may be lost if the Redis machine crashes. {_ASK}"]
    if config.get("no-appendfsync-on-rewrite") == "yes":
        return [
            "While Redis rewrites its append-only file, changes are not flushed to disk at once. "
            "Set “no-appendfsync-on-rewrite no”."
        ]
    return []
