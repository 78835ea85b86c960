"""The numeric codes in the tables. Codes are stored, so the meaning of a code never changes."""

TURN, EVENT, QUARANTINED = 0, 1, 2
"""The kinds of items. An item is a row of the table ``items``.

A quarantined item contains the unchanged text of a damaged record. AI Server never parses this
text. It is preserved for people.
"""

ABSENT, NULL, LIST = 0, 1, 2
"""Whether the key ``events`` in a session's JSON is absent, null or a list."""
