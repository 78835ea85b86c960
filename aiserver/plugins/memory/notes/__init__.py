"""Notes: a few short sentences about each notebook, which requests in its cells may contain.

Invariants:

- A note is made from the notebook's own text, or written by the person; never from sessions.
- A note belongs to one owner. It expires, unless the person has written it.
- A note that the person has written or deleted is only replaced if the person asks for it.
"""

from __future__ import annotations
