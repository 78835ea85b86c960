"""Describe the data in a kernel for the person who works there. ``profile.py`` is the entry."""
