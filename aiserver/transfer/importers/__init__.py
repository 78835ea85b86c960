"""Importers, one module per format. Pure: bytes or rows in, sessions out."""
