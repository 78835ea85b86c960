"""Importers, one module per format: pure conversions of bytes or table rows to sessions."""
