"""Compose prompts and parse answers. Pure functions of their input."""
