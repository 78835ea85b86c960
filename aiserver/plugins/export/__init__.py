"""Exports of a notebook's history: as a web page, as Markdown, as a notebook.

``export`` is the entry point, and ``process`` runs it in a child process (``worker``).
"""
