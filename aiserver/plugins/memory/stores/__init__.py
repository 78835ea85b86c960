"""The stores of memories: files, memory, SQL and Redis. ``base.py`` is their contract."""
