"""Importers, one module per format: pure conversions to sessions."""
