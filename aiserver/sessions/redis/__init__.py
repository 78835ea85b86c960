"""Store sessions in Redis, which many machines can share (see ``docs/redis.md``).

It is imported only if the settings choose Redis.
"""

from ...errors import SettingError

try:
    from .manager import RedisSessionManager
except ModuleNotFoundError as missing:
    if (missing.name or "").split(".")[0] != "redis":
        raise
    raise SettingError(
        "Redis needs one more Python package: pip install 'aiserver[redis]'"
    ) from missing

__all__ = ["RedisSessionManager"]
