"""Compose prompts and parse answers.

Within one process, equal arguments give equal results. Another process writes other marks around
the texts from the notebook, because the marks depend on a secret of the process (``fence.py``).
"""
