"""Store sessions in Redis, which many machines can share (see ``docs/redis.md``).

This package is imported only if the settings choose Redis as the store.
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
