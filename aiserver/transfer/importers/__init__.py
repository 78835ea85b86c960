"""Importers, one module per format. They are pure: they convert bytes or table rows to sessions."""
