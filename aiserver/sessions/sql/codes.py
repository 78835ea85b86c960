"""The small numbers in the tables. They are kept for good: none may ever get another meaning."""

TURN, EVENT, QUARANTINE_SUFFIX = 0, 1, 2
"""What an item is. What is set aside was found damaged: it is kept, and not read."""

ABSENT, NULL, LIST = 0, 1, 2
"""What stands under a session's key ``events``, where it has none."""
