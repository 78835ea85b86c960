"""Store sessions in Redis, which many machines can share (see ``docs/redis.md``).

The modules, lowest layer first:

- ``address`` parses the URL; ``keys`` builds the keys; ``layout`` converts sessions to the texts
  that Redis stores, and back.
- ``guarantees`` describes how durable a Redis server is.
- ``client`` connects to Redis, runs the scripts in ``lua/``, and retries them.
- ``notebook_lock`` is a lock that Jupyter servers share.
- ``connection`` contains the base class of the store, with its settings. ``sessions`` and
  ``logs_and_blobs`` contain two classes derived from it: one with the methods for sessions, and one
  with the methods for change logs and blobs.
- ``verify`` finds and repairs damage.
- ``manager`` combines the two derived classes into the store.

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
