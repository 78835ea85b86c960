"""Find the Jupyter servers that this user runs, and call them.

A person's kernel imports this package, so it imports the standard library only, and nothing else
of ``aiserver``.
"""
