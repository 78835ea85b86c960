"""The numeric codes in the tables. They are stored, so their meaning never changes."""

TURN, EVENT, QUARANTINED = 0, 1, 2
"""The kind of an item. A quarantined item is damaged: it is kept but not read."""

ABSENT, NULL, LIST = 0, 1, 2
"""The value of a session's key ``events``: absent, null or a list."""
