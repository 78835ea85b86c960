"""Importers, one module per format. Pure: each converts bytes or database rows to sessions."""
