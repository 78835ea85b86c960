"""The HTTP API: thin verbs over what is below. ``routes.py`` is the table."""
