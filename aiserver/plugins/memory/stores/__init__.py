"""The stores of memories. ``base.py`` is their contract."""
