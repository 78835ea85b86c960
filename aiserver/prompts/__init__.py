"""Compose prompts and parse answers.

Equal arguments give equal results, except for the marks around texts from the notebook, which
depend on a secret of the process (``fence.py``).
"""
