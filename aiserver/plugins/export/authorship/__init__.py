"""Authorship in the formats of other tools: git-ai's notes, Agent Trace and W3C PROV.

Invariants: contents of cells aren't exported. What isn't known stays unknown, and the contributions
of people, models, agents and programs stay apart.
"""
