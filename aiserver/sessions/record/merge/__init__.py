"""Merge two copies of one session or change log. Pure."""
