"""Determine in which cases a Redis server can lose data.

Invariants: if Redis can lose a change that it has confirmed, ``missing_guarantees`` returns a
sentence about this. Other sentences are about problems such as a replica or a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping

_ADVICE = "To prevent data loss, set “appendonly yes” and “appendfsync always” in Redis."


def missing_guarantees(info: Mapping[str, str], config: Mapping[str, str] | None) -> list[str]:
    """Return a sentence for each guarantee that the Redis server lacks.

    ``info`` and ``config`` are the results of ``Client.info`` and ``Client.config``.
    """
    warnings = _persistence_warnings(info, config)
    if info.get("redis_mode") == "cluster":
        warnings.append("Redis Cluster is not supported. Use a single Redis server.")
    if info.get("aof_enabled") == "1" and info.get("aof_last_write_status") == "err":
        warnings.append("Redis recently failed to write to its disk. Check the Redis log.")
    elif info.get("rdb_last_bgsave_status") == "err":
        warnings.append("Redis failed to write its last snapshot. Check the Redis log.")
    if info.get("role") == "slave":
        warnings.append("This Redis is a replica. Use the URL of its primary instead.")
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and info.get("maxmemory", "0") != "0":
        warnings.append(
            f"When it runs out of memory, this Redis deletes data (“maxmemory-policy {policy}”), "
            "including histories. Set “noeviction”."
        )
    return warnings


def is_full(info: Mapping[str, str]) -> bool:
    """Return whether Redis has no memory left and may delete nothing."""
    max_memory = int(info.get("maxmemory", "0"))  # 0 means unlimited
    evicts = info.get("maxmemory_policy", "noeviction") != "noeviction"
    return max_memory > 0 and not evicts and int(info.get("used_memory", "0")) >= max_memory


def _persistence_warnings(info: Mapping[str, str], config: Mapping[str, str] | None) -> list[str]:
    if info.get("aof_enabled") == "1":
        return _flush_warnings(config)
    if config is None:
        return [
            "Redis has no append-only file, and does not report whether it takes snapshots: some "
            f"or all changes are lost if Redis or its machine crashes. {_ADVICE}"
        ]
    if config.get("save"):
        return [
            "Redis only takes snapshots: changes since the last one are lost if Redis or its "
            f"machine crashes. {_ADVICE}"
        ]
    return [f"Redis keeps histories in memory only, so they are lost when it stops. {_ADVICE}"]


def _flush_warnings(config: Mapping[str, str] | None) -> list[str]:
    if config is None:
        return [
            "Redis has an append-only file, but does not report how often it is flushed to disk: "
            "the last second of changes or more may be lost if its machine crashes. Ask its "
            "administrator to set “appendfsync always”."
        ]
    appendfsync = config.get("appendfsync")
    if appendfsync == "everysec":
        return [f"Up to one second of changes is lost if the Redis machine crashes. {_ADVICE}"]
    if appendfsync != "always":
        return [f"Up to a minute of changes may be lost if the Redis machine crashes. {_ADVICE}"]
    if config.get("no-appendfsync-on-rewrite") == "yes":
        return [
            "While Redis rewrites its append-only file, changes are not flushed to disk at once. "
            "Set “no-appendfsync-on-rewrite no”."
        ]
    return []
