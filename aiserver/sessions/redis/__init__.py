"""Store sessions in Redis, which many machines can share (see ``docs/redis.md``).

The modules, lowest layer first:

- ``address`` parses the URL.
- ``guarantees`` describes how durable a Redis server is.
- ``client`` connects to Redis, runs the scripts in ``lua/``, and retries them.
- ``transaction`` reads and writes values by key; ``convert`` reads data of earlier versions.
- ``manager`` is the store, which is based on ``key_value.py``.

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
