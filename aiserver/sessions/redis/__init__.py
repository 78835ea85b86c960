"""Sessions in Redis, for many machines at once; ``docs/redis.md`` tells how to set it up.

From the ground up: ``address`` (the setting), ``names`` (what is where), ``layout`` (a session and
its parts, pure), ``guarantees`` (what the server promises, pure), ``wire`` (connections, retries,
errors, and the scripts in ``lua/``), ``alone`` (a lock), ``cells`` (the sessions), ``side`` (logs
and blobs) and ``check``; ``manager`` is the store. Imported only when it is chosen.
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
