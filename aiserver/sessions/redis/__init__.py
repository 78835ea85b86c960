"""Sessions in Redis, shared by many machines (``docs/redis.md``).

The modules, lowest layer first: ``address`` (the setting), ``keys`` (the keyspace), ``layout``
(a session as stored texts, pure), ``guarantees`` (the server's durability, pure), ``client``
(connections, retries, errors, and the scripts in ``lua/``), ``notebook_lock``, ``connection`` (the
settings), ``sessions`` and ``logs_and_blobs`` (the parts of the store), ``verify``; ``manager`` is
the store. Imported only if it is chosen.
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
