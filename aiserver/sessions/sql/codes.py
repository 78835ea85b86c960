"""The numeric codes in the tables. They are stored, so their meaning never changes."""

TURN, EVENT, QUARANTINED = 0, 1, 2
"""The kinds of an item, which is a row of the table ``items``.

A quarantined item contains the unchanged text of a damaged record; only people read it.
"""

ABSENT, NULL, LIST = 0, 1, 2
"""The three forms of the key ``events`` in a session's JSON: absent, null or a list."""
