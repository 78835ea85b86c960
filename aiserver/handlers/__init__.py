"""The HTTP API. ``routes.py`` maps paths to handlers."""
