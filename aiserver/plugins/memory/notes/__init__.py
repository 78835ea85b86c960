"""Notes: a few short sentences about each notebook, which requests in its cells may contain.

Invariants: a note is made from the notebook's own text, or written by the person, never from
sessions. It belongs to one owner, and expires unless the person has written it.
"""
