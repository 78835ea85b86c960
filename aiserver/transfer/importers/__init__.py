"""Importers, one module per format, and the modules that several importers use.

Importers are pure: they convert bytes or table rows to sessions. Only ``archive`` reads files.
"""
