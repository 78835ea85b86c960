"""Importers, one module per format, and what they share.

They are pure: they convert bytes or table rows to sessions. Only ``archive`` reads files.
"""
