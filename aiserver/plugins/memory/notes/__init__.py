"""Notes: a few short sentences about a notebook, which its requests may contain.

Invariants: a note is made from the notebook's own text, or written by the person, never from
sessions. It expires unless the person has written it.
"""
